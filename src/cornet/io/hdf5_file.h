#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

/// HDF5 behind a plain interface: whole datasets of numbers and strings, named by their path.
/// Only files whose names begin with hdf5_ include the library's headers.
namespace cornet {

/// Reads datasets. Every failure throws FormatError with the path of the object. Datasets are
/// checked against the size of the file before memory is taken for them.
class Hdf5Reader {
 public:
  /// Throws FileError when there is no readable file, FormatError when it is not HDF5.
  explicit Hdf5Reader(const std::filesystem::path& file);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;

  const std::filesystem::path& file() const { return file_; }
  bool exists(const std::string& path) const;

  std::vector<double> readDoubles(const std::string& path) const;
  /// Finite numbers only.
  std::vector<double> readFinite(const std::string& path) const;
  std::vector<int> readInts(const std::string& path) const;
  /// A dataset of exactly one integer.
  int readInt(const std::string& path) const;
  std::vector<std::uint64_t> readKeys(const std::string& path) const;
  /// Empty when the object does not exist or is not a string.
  std::string readStringOrEmpty(const std::string& path) const;

 private:
  template <class T>
  std::vector<T> read(const std::string& path) const;

  std::filesystem::path file_;
  std::uintmax_t file_size_ = 0;
  std::int64_t id_ = -1;
};

/// Writes datasets into a new file beside its final name; `commit` puts it in place, so that an
/// interrupted write never damages what was there. Missing groups are made on the way.
class Hdf5Writer {
 public:
  /// Throws FileError when the file cannot be created.
  explicit Hdf5Writer(const std::filesystem::path& file);
  /// Without commit the unfinished file is removed.
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  void write(const std::string& path, std::span<const double> values);
  void write(const std::string& path, std::span<const int> values);
  void write(const std::string& path, std::span<const std::uint64_t> values);
  void write(const std::string& path, int value) { write(path, std::span<const int>(&value, 1)); }
  void write(const std::string& path, double value) {
    write(path, std::span<const double>(&value, 1));
  }
  void writeString(const std::string& path, const std::string& text);

  void commit();

 private:
  void writeDataset(const std::string& path, std::int64_t type, std::size_t count,
                    const void* data);
  std::filesystem::path file_;
  std::filesystem::path unfinished_;
  std::int64_t id_ = -1;
};

}  // namespace cornet
