#include <utility>

#include <fmt/format.h>

#include "cornet/io/format_error.h"
#include "cornet/io/hdf5_handle.h"
#include "cornet/io/hdf5_tables.h"

namespace cornet {
namespace {

constexpr unsigned kDeflateLevel = 1;              // higher ones save little on numbers with noise in them
constexpr std::size_t kMetadataCache = 16u << 20;  // so large that the library writes metadata only when asked to

Handle makeLinks() {
  Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.get(), 1);
  return links;
}

// The newest file structures, which single-writer mode needs and which carry checksums.
Handle makeAccess() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5AC_cache_config_t cache;
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  if (H5Pget_mdc_config(access.get(), &cache) >= 0) {
    cache.set_initial_size = true;
    cache.initial_size = cache.min_size = kMetadataCache;
    cache.max_size = 2 * kMetadataCache;
    H5Pset_mdc_config(access.get(), &cache);
  }
  return access;
}

}  // namespace

std::size_t TableColumn::rowBytes() const {
  constexpr std::array<std::size_t, 5> kSizes = {8, 4, 4, 1, 8};
  std::size_t bytes = kSizes[static_cast<std::size_t>(type)];
  for (const int n : row_shape) bytes *= static_cast<std::size_t>(n);
  return bytes;
}

struct Hdf5TableWriter::Content {
  struct Column {
    TableColumn description;
    Handle dataset;
    hsize_t rows = 0;
  };
  Handle file;
  std::vector<Column> columns;
};

Hdf5TableWriter::Hdf5TableWriter(const std::filesystem::path& file)
    : file_(file), content_(std::make_unique<Content>()) {
  const auto lock = lockHdf5();
  silenceHdf5();
  replacement_ = std::make_unique<FileReplacement>(file);
  if (replacement_->isDirect()) throw FileError(file, "cannot be written: it is a device or a pipe; name a file");
  content_->file =
      Handle(H5Fcreate(replacement_->file().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, makeAccess().get()), H5Fclose);
  if (!content_->file.valid()) throw FileError(file, "cannot be created (disk full, or a file system without locks?)");
}

Hdf5TableWriter::~Hdf5TableWriter() {
  const auto lock = lockHdf5();
  content_.reset();
}

void Hdf5TableWriter::takePlace() {
  if (replacement_) replacement_->finish();
  replacement_.reset();
}

// Closing would clear the writer's mark, as if all were written. So the file stays open until the process ends.
void Hdf5TableWriter::fail(const std::string& problem) {
  const auto lock = lockHdf5();
  static auto& abandoned = *new std::vector<std::unique_ptr<Content>>;
  abandoned.push_back(std::exchange(content_, std::make_unique<Content>()));
  throw FileError(file_, problem);
}

void Hdf5TableWriter::writeArray(const std::string& path, std::int64_t type, std::size_t count, int width,
                                 const void* data) {
  const auto lock = lockHdf5();
  const hsize_t size[2] = {count / static_cast<std::size_t>(width), static_cast<hsize_t>(width)};
  const Handle space(H5Screate_simple(width == 1 ? 1 : 2, size, nullptr), H5Sclose);
  const Handle links = makeLinks();
  const Handle dataset(
      H5Dcreate2(content_->file.get(), path.c_str(), type, space.get(), links.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  if (!dataset.valid() ||
      (count > 0 && H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)) {
    fail(fmt::format("{} cannot be written (disk full?)", path));
  }
}

void Hdf5TableWriter::write(const std::string& path, std::span<const double> values, int width) {
  writeArray(path, H5T_IEEE_F64LE, values.size(), width, values.data());
}

void Hdf5TableWriter::write(const std::string& path, std::span<const std::int32_t> values, int width) {
  writeArray(path, H5T_STD_I32LE, values.size(), width, values.data());
}

void Hdf5TableWriter::write(const std::string& path, std::span<const std::uint64_t> values) {
  writeArray(path, H5T_STD_U64LE, values.size(), 1, values.data());
}

void Hdf5TableWriter::writeText(const std::string& path, const std::string& text) { writeTexts(path, {text}); }

void Hdf5TableWriter::writeTexts(const std::string& path, const std::vector<std::string>& texts) {
  const auto lock = lockHdf5();
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  std::string padded;
  for (const std::string& text : texts) padded += text + std::string(longest - text.size(), '\0');
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), longest);
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  writeArray(path, type.get(), texts.size(), 1, padded.data());
}

int Hdf5TableWriter::addColumn(const TableColumn& column) {
  const auto lock = lockHdf5();
  std::vector<hsize_t> size = {0}, limit = {H5S_UNLIMITED}, chunk = {static_cast<hsize_t>(column.chunk_rows)};
  for (const int n : column.row_shape) {
    size.push_back(static_cast<hsize_t>(n));
    limit.push_back(size.back());
    chunk.push_back(size.back());
  }
  const Handle space(H5Screate_simple(static_cast<int>(size.size()), size.data(), limit.data()), H5Sclose);
  const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(layout.get(), static_cast<int>(chunk.size()), chunk.data());
  H5Pset_shuffle(layout.get());
  H5Pset_deflate(layout.get(), kDeflateLevel);
  H5Pset_fletcher32(layout.get());
  const Handle links = makeLinks();
  // Room for the chunk that is being filled; full ones leave first.
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(access.get(), 101, 4 * column.rowBytes() * static_cast<std::size_t>(column.chunk_rows), 1.0);
  Handle dataset(H5Dcreate2(content_->file.get(), column.path.c_str(), fileType(column.type), space.get(), links.get(),
                            layout.get(), access.get()),
                 H5Dclose);
  if (!dataset.valid()) fail(fmt::format("{} cannot be created (disk full?)", column.path));
  content_->columns.push_back({column, std::move(dataset)});
  return static_cast<int>(content_->columns.size()) - 1;
}

void Hdf5TableWriter::startAppending() {
  const auto lock = lockHdf5();
  if (H5Fflush(content_->file.get(), H5F_SCOPE_GLOBAL) < 0 || H5Fstart_swmr_write(content_->file.get()) < 0) {
    fail("cannot be written (disk full, or a file system without locks?)");
  }
  takePlace();
}

void Hdf5TableWriter::append(int number, const void* rows, std::size_t count) {
  if (count == 0) return;
  const auto lock = lockHdf5();
  Content::Column& column = content_->columns[static_cast<std::size_t>(number)];
  std::vector<hsize_t> size = {column.rows + count}, begin = {column.rows}, part = {count};
  for (const int n : column.description.row_shape) {
    size.push_back(static_cast<hsize_t>(n));
    begin.push_back(0);
    part.push_back(size.back());
  }
  const hid_t dataset = column.dataset.get();
  bool written = H5Dset_extent(dataset, size.data()) >= 0;
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const Handle memory(H5Screate_simple(static_cast<int>(part.size()), part.data(), nullptr), H5Sclose);
  written = written &&
            H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, begin.data(), nullptr, part.data(), nullptr) >= 0 &&
            H5Dwrite(dataset, fileType(column.description.type), memory.get(), space.get(), H5P_DEFAULT, rows) >= 0;
  if (!written) fail(fmt::format("{} cannot be written (disk full?)", column.description.path));
  column.rows += count;
}

void Hdf5TableWriter::flush() {
  for (const Content::Column& column : content_->columns) {
    const auto lock = lockHdf5();
    if (H5Dflush(column.dataset.get()) < 0) {
      fail(fmt::format("{} cannot be written (disk full?)", column.description.path));
    }
  }
}

void Hdf5TableWriter::close() {
  flush();
  const auto lock = lockHdf5();
  if (H5Fflush(content_->file.get(), H5F_SCOPE_GLOBAL) < 0) fail("cannot be written (disk full?)");
  content_->columns.clear();
  content_->file = Handle();
  takePlace();
}

}  // namespace cornet
