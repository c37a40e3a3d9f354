#include "cornet/io/hdf5_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>

#include <fmt/format.h>

#include "cornet/io/format_error.h"
#include "cornet/io/hdf5_handle.h"
#include "cornet/io/hdf5_structure.h"

namespace cornet {
namespace {

// Only plain machine numbers are converted: a damaged type description must not reach the library.
bool isPlainNumber(hid_t type, bool integers_only) {
  const std::array integers = {H5T_STD_I8LE,  H5T_STD_I16LE, H5T_STD_I32LE, H5T_STD_I64LE,
                               H5T_STD_U8LE,  H5T_STD_U16LE, H5T_STD_U32LE, H5T_STD_U64LE,
                               H5T_STD_I32BE, H5T_STD_I64BE, H5T_STD_U32BE, H5T_STD_U64BE};
  const std::array floats = {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_IEEE_F64BE};
  const auto equals = [type](hid_t other) { return H5Tequal(type, other) > 0; };
  return std::ranges::any_of(integers, equals) ||
         (!integers_only && std::ranges::any_of(floats, equals));
}

// Bytes that a dataset of plain storage must have in the file.
hsize_t plainStorage(hid_t space, hid_t type, hid_t layout) {
  const hsize_t size = H5Tget_size(type);
  if (H5Pget_layout(layout) != H5D_CHUNKED) {
    return size * static_cast<hsize_t>(H5Sget_simple_extent_npoints(space));
  }
  hsize_t length[H5S_MAX_RANK] = {};
  hsize_t chunk[H5S_MAX_RANK] = {};
  const int rank = H5Sget_simple_extent_dims(space, length, nullptr);
  H5Pget_chunk(layout, H5S_MAX_RANK, chunk);
  hsize_t bytes = size;
  for (int d = 0; d < rank; ++d) {
    if (chunk[d] == 0) return 0;
    bytes *= (length[d] + chunk[d] - 1) / chunk[d] * chunk[d];
  }
  return bytes;
}

template <class T>
hid_t nativeType();
template <>
hid_t nativeType<double>() { return H5T_NATIVE_DOUBLE; }
template <>
hid_t nativeType<std::int64_t>() { return H5T_NATIVE_INT64; }
template <>
hid_t nativeType<std::uint64_t>() { return H5T_NATIVE_UINT64; }

}  // namespace

Hdf5Reader::Hdf5Reader(const std::filesystem::path& file) : file_(file) {
  const auto lock = lockHdf5();
  silenceHdf5();
  std::error_code error;
  if (!std::filesystem::exists(file, error)) throw FileError(file, "no such file");
  if (!std::filesystem::is_regular_file(file, error)) throw FileError(file, "not a regular file");
  if (!std::ifstream(file).is_open()) throw FileError(file, "cannot be read (permissions?)");
  file_size_ = std::filesystem::file_size(file, error);
  checkHdf5Structure(file);
  id_ = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id_ < 0) {
    throw FormatError(file, "/", "a file that HDF5 cannot open (truncated, damaged or of another "
                      "kind)", "an HDF5 file");
  }
}

Hdf5Reader::~Hdf5Reader() {
  const auto lock = lockHdf5();
  H5Fclose(id_);
}

bool Hdf5Reader::exists(const std::string& path) const {
  const auto lock = lockHdf5();
  // Every group on the way has to exist before the library may be asked for the next.
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string prefix = path.substr(0, end);
    H5L_info_t link;
    if (H5Lexists(id_, prefix.c_str(), H5P_DEFAULT) <= 0 ||
        H5Lget_info(id_, prefix.c_str(), &link, H5P_DEFAULT) < 0) {
      return false;
    }
    if (link.type != H5L_TYPE_HARD) {
      throw FormatError(file_, prefix, "a link to another place", "the data themselves");
    }
    if (end == std::string::npos) return true;
  }
}

template <class T>
std::vector<T> Hdf5Reader::read(const std::string& path) const {
  const auto lock = lockHdf5();
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw FormatError(file_, path, found, expected);
  };
  constexpr bool integers_only = !std::is_same_v<T, double>;
  const std::string expected = integers_only ? "a dataset of integers" : "a dataset of numbers";
  if (!exists(path)) refuse("nothing", expected);
  const Handle dataset(H5Dopen2(id_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) refuse("an object that is no readable dataset", expected);
  const Handle type(H5Dget_type(dataset.get()), H5Tclose);
  const Handle space(H5Dget_space(dataset.get()), H5Sclose);
  const Handle layout(H5Dget_create_plist(dataset.get()), H5Pclose);
  if (!type.valid() || !space.valid() || !layout.valid()) refuse("a damaged dataset", expected);
  if (!isPlainNumber(type.get(), integers_only)) refuse("data of another type", expected);

  // How much there is, against how much there can be. The library does not compare what comes out
  // of a filter with the size of its buffer, so compressed data are refused.
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (H5Pget_nfilters(layout.get()) != 0) {
    refuse("compressed data", "plain storage (h5repack -f NONE takes compression out)");
  }
  if (count < 0 || H5Sget_simple_extent_type(space.get()) == H5S_NULL) {
    refuse("a dataset without a size", expected);
  }
  if (static_cast<std::uintmax_t>(count) > file_size_ / H5Tget_size(type.get())) {
    refuse(fmt::format("{} entries in a file of {} bytes", count, file_size_), expected);
  }
  if (H5Pget_layout(layout.get()) == H5D_VIRTUAL || H5Pget_external_count(layout.get()) != 0) {
    refuse("a dataset stored in other files", expected);
  }
  if (count > 0 && H5Dget_storage_size(dataset.get()) !=
                       plainStorage(space.get(), type.get(), layout.get())) {
    refuse("storage of another size than type and space say", expected);
  }

  std::vector<T> values(static_cast<std::size_t>(count));
  if (count > 0 && H5Dread(dataset.get(), nativeType<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                           values.data()) < 0) {
    refuse("data that cannot be read (truncated?)", expected);
  }
  return values;
}

std::vector<double> Hdf5Reader::readDoubles(const std::string& path) const {
  return read<double>(path);
}

std::vector<double> Hdf5Reader::readFinite(const std::string& path) const {
  std::vector<double> values = read<double>(path);
  const auto bad = std::ranges::find_if(values, [](double x) { return !std::isfinite(x); });
  if (bad != values.end()) {
    throw FormatError(file_, path, fmt::format("{} at entry {}", *bad, bad - values.begin()),
                      "finite numbers");
  }
  return values;
}

std::vector<int> Hdf5Reader::readInts(const std::string& path) const {
  const std::vector<std::int64_t> wide = read<std::int64_t>(path);
  std::vector<int> values(wide.size());
  for (std::size_t k = 0; k < wide.size(); ++k) {
    if (wide[k] < std::numeric_limits<int>::min() || wide[k] > std::numeric_limits<int>::max()) {
      throw FormatError(file_, path, fmt::format("{} at entry {}", wide[k], k),
                        "integers of 32 bits");
    }
    values[k] = static_cast<int>(wide[k]);
  }
  return values;
}

int Hdf5Reader::readInt(const std::string& path) const {
  const std::vector<int> values = readInts(path);
  if (values.size() != 1) {
    throw FormatError(file_, path, fmt::format("{} integers", values.size()), "one integer");
  }
  return values.front();
}

std::vector<std::uint64_t> Hdf5Reader::readKeys(const std::string& path) const {
  return read<std::uint64_t>(path);
}

std::string Hdf5Reader::readStringOrEmpty(const std::string& path) const {
  const auto lock = lockHdf5();
  if (!exists(path)) return {};
  const Handle dataset(H5Dopen2(id_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) return {};
  const Handle type(H5Dget_type(dataset.get()), H5Tclose);
  const Handle space(H5Dget_space(dataset.get()), H5Sclose);
  if (!type.valid() || !space.valid() || H5Tget_class(type.get()) != H5T_STRING ||
      H5Tis_variable_str(type.get()) != 0 || H5Sget_simple_extent_npoints(space.get()) != 1 ||
      H5Tget_size(type.get()) > file_size_) {
    return {};
  }
  std::string text(H5Tget_size(type.get()), '\0');
  if (H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) return {};
  return text.substr(0, text.find('\0'));
}

Hdf5Writer::Hdf5Writer(const std::filesystem::path& file) : file_(file) {
  const auto lock = lockHdf5();
  silenceHdf5();
  unfinished_ = file;
  unfinished_ += fmt::format(".{}.unfinished", ::getpid());
  id_ = H5Fcreate(unfinished_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (id_ < 0) throw FileError(file, "cannot be created (does the folder exist?)");
}

Hdf5Writer::~Hdf5Writer() {
  const auto lock = lockHdf5();
  if (id_ < 0) return;
  H5Fclose(id_);
  std::error_code ignored;
  std::filesystem::remove(unfinished_, ignored);
}

void Hdf5Writer::writeDataset(const std::string& path, std::int64_t type, std::size_t count,
                              const void* data) {
  const auto lock = lockHdf5();
  const hsize_t size = count;
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.get(), 1);
  const Handle dataset(H5Dcreate2(id_, path.c_str(), type, space.get(), links.get(), H5P_DEFAULT,
                                  H5P_DEFAULT),
                       H5Dclose);
  const bool written =
      dataset.valid() &&
      (count == 0 || H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  if (!written) throw FileError(file_, fmt::format("{} cannot be written (disk full?)", path));
}

void Hdf5Writer::write(const std::string& path, std::span<const double> values) {
  writeDataset(path, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

void Hdf5Writer::write(const std::string& path, std::span<const int> values) {
  writeDataset(path, H5T_NATIVE_INT, values.size(), values.data());
}

void Hdf5Writer::write(const std::string& path, std::span<const std::uint64_t> values) {
  writeDataset(path, H5T_NATIVE_UINT64, values.size(), values.data());
}

void Hdf5Writer::writeString(const std::string& path, const std::string& text) {
  const auto lock = lockHdf5();
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), text.size() + 1);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.get(), 1);
  const Handle dataset(H5Dcreate2(id_, path.c_str(), type.get(), space.get(), links.get(),
                                  H5P_DEFAULT, H5P_DEFAULT),
                       H5Dclose);
  if (!dataset.valid() || H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                   text.c_str()) < 0) {
    throw FileError(file_, fmt::format("{} cannot be written", path));
  }
}

void Hdf5Writer::commit() {
  const auto lock = lockHdf5();
  const bool closed = H5Fclose(id_) >= 0;
  id_ = -1;
  std::error_code error;
  if (closed) std::filesystem::rename(unfinished_, file_, error);
  if (!closed || error) {
    std::error_code ignored;
    std::filesystem::remove(unfinished_, ignored);
    throw FileError(file_, "cannot be written (disk full, or no permission?)");
  }
}

}  // namespace cornet
