#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cornet/io/file_replacement.h"

/// Tables that grow in an HDF5 file while others may read it: columns of rows that are appended, compressed chunk
/// by chunk, in the library's mode of one writer and many readers. A process that is killed leaves a file that opens
/// with everything up to its last flush.
namespace cornet {

enum class NumberType : std::uint8_t { f64, f32, i32, u8, u64 };

/// A dataset of rows; all numbers of a row have one type.
struct TableColumn {
  std::string path;
  NumberType type = NumberType::f64;
  std::vector<int> row_shape = {};  // empty: a row is one number
  int chunk_rows = 256;

  std::size_t rowBytes() const;
};

template <class T>
struct ColumnTypeOf;
template <>
struct ColumnTypeOf<double> { static constexpr auto type = NumberType::f64; };
template <>
struct ColumnTypeOf<float> { static constexpr auto type = NumberType::f32; };
template <>
struct ColumnTypeOf<std::int32_t> { static constexpr auto type = NumberType::i32; };
template <>
struct ColumnTypeOf<std::uint8_t> { static constexpr auto type = NumberType::u8; };
template <>
struct ColumnTypeOf<std::uint64_t> { static constexpr auto type = NumberType::u64; };

/// Writes such a file, in three stages: data that stay, columns, then rows. Failures throw FileError; the file then keeps
/// the mark of its writer, by which readers know that its end is missing.
class Hdf5TableWriter {
 public:
  /// Replaces what was there when the rows begin, or when it is closed: until then the older file stays. Who has that
  /// open keeps it.
  explicit Hdf5TableWriter(const std::filesystem::path& file);
  ~Hdf5TableWriter();
  Hdf5TableWriter(const Hdf5TableWriter&) = delete;
  Hdf5TableWriter& operator=(const Hdf5TableWriter&) = delete;

  void write(const std::string& path, std::span<const double> values, int width = 1);
  void write(const std::string& path, std::span<const std::int32_t> values, int width = 1);
  void write(const std::string& path, std::span<const std::uint64_t> values);
  void writeText(const std::string& path, const std::string& text);
  void writeTexts(const std::string& path, const std::vector<std::string>& texts);

  /// Returns its number.
  int addColumn(const TableColumn& column);
  /// Nothing but rows from here on.
  void startAppending();
  void append(int column, const void* rows, std::size_t count);
  /// What was appended becomes readable, column by column in the order of their numbers.
  void flush();
  /// Flushes and closes. Without it the destructor closes, and forgets what goes wrong.
  void close();

 private:
  struct Content;
  void writeArray(const std::string& path, std::int64_t type, std::size_t count, int width, const void* data);
  void takePlace();
  [[noreturn]] void fail(const std::string& problem);
  std::filesystem::path file_;
  std::unique_ptr<FileReplacement> replacement_;  // none once it took its place
  std::unique_ptr<Content> content_;
};

/// Reads such a file: closed, abandoned by a process that was killed, still growing, or cut off. Failures throw
/// FileError or FormatError. Sizes are compared with that of the file before memory is taken for them.
class Hdf5TableReader {
 public:
  /// `kind` is what the file should be, for messages: "a recording".
  Hdf5TableReader(const std::filesystem::path& file, const std::string& kind);
  ~Hdf5TableReader();
  Hdf5TableReader(const Hdf5TableReader&) = delete;
  Hdf5TableReader& operator=(const Hdf5TableReader&) = delete;

  const std::filesystem::path& file() const { return file_; }
  std::uintmax_t fileSize() const { return file_size_; }
  /// Whether its writer closed it, and whether the end of the file is missing.
  bool wasClosed() const { return was_closed_; }
  bool isCut() const { return is_cut_; }

  bool exists(const std::string& path) const;
  std::vector<double> readDoubles(const std::string& path) const;
  std::vector<std::int32_t> readInts(const std::string& path) const;
  std::uint64_t readKey(const std::string& path) const;
  std::string readText(const std::string& path) const;
  std::vector<std::string> readTexts(const std::string& path) const;

  /// Opens a column, which must have this type and shape. Returns its number.
  int openColumn(const TableColumn& column);
  /// Rows it has, and how many of them, from the first on, lie within the file.
  std::uint64_t rowCount(int column) const;
  std::uint64_t countReadable(int column) const;
  /// Rows begin .. begin + count - 1.
  void read(int column, std::uint64_t begin, std::size_t count, void* rows) const;

 private:
  struct Content;
  std::vector<std::byte> readAll(const std::string& path, std::int64_t type, std::size_t item) const;
  std::filesystem::path file_;
  std::uintmax_t file_size_ = 0;
  bool was_closed_ = true;
  bool is_cut_ = false;
  std::unique_ptr<Content> content_;
};

}  // namespace cornet
