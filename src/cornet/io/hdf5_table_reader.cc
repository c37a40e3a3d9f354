#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "cornet/io/format_error.h"
#include "cornet/io/hdf5_handle.h"
#include "cornet/io/hdf5_tables.h"

namespace cornet {
namespace {

constexpr std::uintmax_t kMostExpansion = 1100;  // of a byte by inflation; what claims more is damaged

// Of metadata whose checksum is wrong, while somebody may be writing them. The library waits twice as long each time, from
// a nanosecond on: a millisecond in all. Its own choice of 100 never ends on a damaged file.
constexpr unsigned kReadAttempts = 20;

// The first bytes of a file: signature, version, marks of a writer, where the file should end.
struct Superblock {
  static constexpr unsigned kWriting = 1, kGrowing = 4;  // marks
  bool is_hdf5 = false;
  int version = 0;
  unsigned marks = 0;
  std::uint64_t end = 0;
};

Superblock readSuperblock(const std::filesystem::path& file) {
  std::array<unsigned char, 48> bytes{};
  std::ifstream stream(file, std::ios::binary);
  if (!stream.is_open()) throw FileError(file, "cannot be read (permissions?)");
  stream.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
  constexpr std::array<unsigned char, 8> kSignature = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  Superblock block;
  block.is_hdf5 = stream.gcount() == bytes.size() && std::ranges::equal(kSignature, std::span(bytes).first(8));
  if (!block.is_hdf5) return block;
  block.version = bytes[8];
  block.marks = bytes[11];
  for (std::size_t k = 8; k-- > 0;) block.end = block.end << 8 | bytes[28 + k];
  return block;
}

}  // namespace

struct Hdf5TableReader::Content {
  struct Column {
    TableColumn description;
    Handle dataset;
    hsize_t rows = 0;
    hsize_t chunk_rows = 1;
  };
  Handle file;
  std::vector<Column> columns;
};

Hdf5TableReader::Hdf5TableReader(const std::filesystem::path& file, const std::string& kind)
    : file_(file), content_(std::make_unique<Content>()) {
  const auto lock = lockHdf5();
  silenceHdf5();
  std::error_code error;
  if (!std::filesystem::exists(file, error)) throw FileError(file, "no such file");
  if (!std::filesystem::is_regular_file(file, error)) throw FileError(file, "not a regular file");
  file_size_ = std::filesystem::file_size(file, error);
  const Superblock block = readSuperblock(file);
  if (!block.is_hdf5) throw FormatError(file, "/", "a file that is not HDF5, or only its first bytes", kind);
  // Older structures carry no checksums, and the library follows them anywhere.
  if (block.version != 3) throw FormatError(file, "/", fmt::format("HDF5 structures of version {}", block.version), kind);
  was_closed_ = (block.marks & (Superblock::kWriting | Superblock::kGrowing)) == 0;
  if (!was_closed_ && (block.marks & Superblock::kGrowing) == 0) {
    throw FormatError(file, "/", "a file whose writer ended before its first row", kind);
  }
  is_cut_ = block.end > file_size_;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.get(), true, true);
  if (!was_closed_) H5Pset_metadata_read_attempts(access.get(), kReadAttempts);
  hbool_t skip_end = true;  // what h5clear sets to open a file that was cut
  if (is_cut_) H5Pset(access.get(), "skip_eof_check", &skip_end);
  content_->file = Handle(
      H5Fopen(file.c_str(), H5F_ACC_RDONLY | (was_closed_ ? 0u : H5F_ACC_SWMR_READ), access.get()), H5Fclose);
  if (!content_->file.valid()) {
    throw FormatError(file, "/", "a file that HDF5 cannot open (damaged, or cut off before its first row)", kind);
  }
}

Hdf5TableReader::~Hdf5TableReader() {
  const auto lock = lockHdf5();
  content_.reset();
}

bool Hdf5TableReader::exists(const std::string& path) const {
  const auto lock = lockHdf5();
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string prefix = path.substr(0, end);
    H5L_info_t link;
    if (H5Lexists(content_->file.get(), prefix.c_str(), H5P_DEFAULT) <= 0 ||
        H5Lget_info(content_->file.get(), prefix.c_str(), &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) {
      return false;
    }
    if (end == std::string::npos) return true;
  }
}

// A dataset that stays as it is; `type` < 0 asks for texts, `item` bytes long each.
std::vector<std::byte> Hdf5TableReader::readAll(const std::string& path, std::int64_t wanted, std::size_t item) const {
  const auto lock = lockHdf5();
  const auto refuse = [&](const std::string& found) { throw FormatError(file_, path, found, "a dataset"); };
  if (!exists(path)) refuse("nothing");
  const Handle dataset(H5Dopen2(content_->file.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle type(dataset.valid() ? H5Dget_type(dataset.get()) : -1, H5Tclose);
  const Handle space(dataset.valid() ? H5Dget_space(dataset.get()) : -1, H5Sclose);
  const Handle layout(dataset.valid() ? H5Dget_create_plist(dataset.get()) : -1, H5Pclose);
  if (!type.valid() || !space.valid() || !layout.valid()) refuse("an object that cannot be read");
  if (H5Tequal(type.get(), wanted) <= 0) refuse("data of another type");
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count < 0 || static_cast<std::uintmax_t>(count) > file_size_ / item) {
    refuse(fmt::format("{} entries in a file of {} bytes", count, file_size_));
  }
  const H5D_layout_t kind = H5Pget_layout(layout.get());
  if ((kind != H5D_CONTIGUOUS && kind != H5D_COMPACT) || H5Pget_external_count(layout.get()) != 0) {
    refuse("data that are not stored in one piece");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * item);
  if (count > 0 &&
      H5Dread(dataset.get(), wanted, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) {
    refuse("data that cannot be read (cut off?)");
  }
  return bytes;
}

namespace {

template <class T>
std::vector<T> castBytes(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace

std::vector<double> Hdf5TableReader::readDoubles(const std::string& path) const {
  return castBytes<double>(readAll(path, H5T_IEEE_F64LE, sizeof(double)));
}

std::vector<std::int32_t> Hdf5TableReader::readInts(const std::string& path) const {
  return castBytes<std::int32_t>(readAll(path, H5T_STD_I32LE, sizeof(std::int32_t)));
}

std::uint64_t Hdf5TableReader::readKey(const std::string& path) const {
  const auto keys = castBytes<std::uint64_t>(readAll(path, H5T_STD_U64LE, sizeof(std::uint64_t)));
  if (keys.size() != 1) throw FormatError(file_, path, fmt::format("{} numbers", keys.size()), "one");
  return keys.front();
}

std::vector<std::string> Hdf5TableReader::readTexts(const std::string& path) const {
  const auto lock = lockHdf5();
  const auto refuse = [&](const std::string& found) { throw FormatError(file_, path, found, "texts"); };
  if (!exists(path)) refuse("nothing");
  const Handle dataset(H5Dopen2(content_->file.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle type(dataset.valid() ? H5Dget_type(dataset.get()) : -1, H5Tclose);
  if (!type.valid() || H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0) {
    refuse("data of another type");
  }
  const std::size_t length = H5Tget_size(type.get());
  if (length == 0 || length > file_size_) refuse("texts longer than the file");
  const std::vector<std::byte> bytes = readAll(path, type.get(), length);
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < bytes.size(); at += length) {
    const char* begin = reinterpret_cast<const char*>(bytes.data()) + at;
    texts.emplace_back(begin, std::find(begin, begin + length, '\0'));
  }
  return texts;
}

std::string Hdf5TableReader::readText(const std::string& path) const {
  const std::vector<std::string> texts = readTexts(path);
  if (texts.size() != 1) throw FormatError(file_, path, fmt::format("{} texts", texts.size()), "one");
  return texts.front();
}

int Hdf5TableReader::openColumn(const TableColumn& column) {
  const auto lock = lockHdf5();
  const auto refuse = [&](const std::string& found) {
    throw FormatError(file_, column.path, found, "a table column as docs/formats/recording.md has it");
  };
  if (!exists(column.path)) refuse("nothing");
  Handle dataset(H5Dopen2(content_->file.get(), column.path.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle type(dataset.valid() ? H5Dget_type(dataset.get()) : -1, H5Tclose);
  const Handle space(dataset.valid() ? H5Dget_space(dataset.get()) : -1, H5Sclose);
  const Handle layout(dataset.valid() ? H5Dget_create_plist(dataset.get()) : -1, H5Pclose);
  if (!type.valid() || !space.valid() || !layout.valid()) refuse("an object that cannot be read");
  if (H5Tequal(type.get(), fileType(column.type)) <= 0) refuse("data of another type");
  const int rank = static_cast<int>(column.row_shape.size()) + 1;
  hsize_t size[H5S_MAX_RANK] = {}, chunk[H5S_MAX_RANK] = {};
  if (H5Sget_simple_extent_ndims(space.get()) != rank || H5Pget_layout(layout.get()) != H5D_CHUNKED ||
      H5Pget_external_count(layout.get()) != 0 || H5Pget_chunk(layout.get(), H5S_MAX_RANK, chunk) != rank) {
    refuse("data of another shape");
  }
  H5Sget_simple_extent_dims(space.get(), size, nullptr);
  for (int d = 1; d < rank; ++d) {
    const auto n = static_cast<hsize_t>(column.row_shape[static_cast<std::size_t>(d - 1)]);
    if (size[d] != n || chunk[d] != n) refuse("data of another shape");
  }
  const std::uintmax_t most = kMostExpansion * file_size_;
  if (chunk[0] == 0 || chunk[0] > most / column.rowBytes() || size[0] > most / column.rowBytes()) {
    refuse(fmt::format("{} rows of {} bytes in a file of {} bytes", size[0], column.rowBytes(), file_size_));
  }
  content_->columns.push_back({column, std::move(dataset), size[0], chunk[0]});
  return static_cast<int>(content_->columns.size()) - 1;
}

std::uint64_t Hdf5TableReader::rowCount(int column) const {
  return content_->columns[static_cast<std::size_t>(column)].rows;
}

// Chunks come one after the other in the file, as they were written.
std::uint64_t Hdf5TableReader::countReadable(int number) const {
  const auto lock = lockHdf5();
  const Content::Column& column = content_->columns[static_cast<std::size_t>(number)];
  const auto isThere = [&](hsize_t chunk) {
    hsize_t place[H5S_MAX_RANK] = {chunk * column.chunk_rows};
    unsigned mask = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    if (H5Dget_chunk_info_by_coord(column.dataset.get(), place, &mask, &address, &bytes) < 0) return false;
    return address != HADDR_UNDEF && bytes > 0 && address <= file_size_ && bytes <= file_size_ - address;
  };
  hsize_t low = 0, high = (column.rows + column.chunk_rows - 1) / column.chunk_rows;
  if (high > 0 && isThere(high - 1)) return column.rows;
  while (low < high) {
    const hsize_t middle = low + (high - low) / 2;
    if (isThere(middle)) low = middle + 1; else high = middle;
  }
  return std::min<std::uint64_t>(low * column.chunk_rows, column.rows);
}

void Hdf5TableReader::read(int number, std::uint64_t first, std::size_t count, void* rows) const {
  if (count == 0) return;
  const auto lock = lockHdf5();
  const Content::Column& column = content_->columns[static_cast<std::size_t>(number)];
  std::vector<hsize_t> begin = {first}, part = {count};
  for (const int n : column.description.row_shape) {
    begin.push_back(0);
    part.push_back(static_cast<hsize_t>(n));
  }
  const hid_t dataset = column.dataset.get();
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const Handle memory(H5Screate_simple(static_cast<int>(part.size()), part.data(), nullptr), H5Sclose);
  if (first > column.rows || count > column.rows - first ||
      H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, begin.data(), nullptr, part.data(), nullptr) < 0 ||
      H5Dread(dataset, fileType(column.description.type), memory.get(), space.get(), H5P_DEFAULT, rows) < 0) {
    throw FormatError(file_, column.description.path,
                      fmt::format("rows {} to {} that cannot be read (damaged or cut off)", first, first + count - 1),
                      "numbers");
  }
}

}  // namespace cornet
