#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "cornet/io/toml/toml_value.h"
#include "cornet/math/types.h"

/// Reading a TOML file by asking for keys. Nothing throws on the way: what is wrong is collected, a getter then
/// returns its fallback, and TomlFile::check throws all findings together. A key nobody asked for is one.
///
///   TomlFile file("pair.toml");
///   TableReader root = file.root();
///   const double margin = root.number("margin", Limits::atLeast(0.0), 0.0);
///   file.check();
namespace cornet {

/// Which numbers are allowed; always finite ones.
struct Limits {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above = false;  // `least` itself is not allowed

  static Limits positive() { return {0.0, std::numeric_limits<double>::infinity(), true}; }
  static Limits atLeast(double x) { return {x, std::numeric_limits<double>::infinity(), false}; }
  static Limits between(double x, double y) { return {x, y, false}; }
  bool allow(double x) const { return (above ? x > least : x >= least) && x <= most; }
  /// "", " > 0", " from 4 to 8".
  std::string text() const;
};

/// What a file has been asked for, and what was wrong with the answers.
class TomlFindings {
 public:
  struct Asked {
    std::string name;                                           // of the table
    std::vector<std::string> keys;                              // asked for
    std::vector<std::pair<std::string, std::string>> missing;   // key, help
    bool rest_ignored = false;
  };
  Asked& of(const TomlValue& table) { return asked_[&table]; }
  void add(SourcePlace place, std::string what, std::string help);
  void addMissing(const TomlValue& table, std::string_view key, std::string help);
  int count() const { return count_; }
  /// Adds what was missing and what nobody asked for, in this table and those below.
  void finish(const TomlValue& table);
  std::vector<Finding> take() { return std::move(findings_); }

 private:
  std::map<const TomlValue*, Asked> asked_;
  std::vector<Finding> findings_;
  int count_ = 0;
};

/// A view of one table. Getters with a fallback make the key optional. Valid as long as its TomlFile.
class TableReader {
 public:
  TableReader(const TomlValue& table, std::string name, TomlFindings& findings);

  /// "[a.shape]"; "the file" for the outermost table.
  std::string name() const;
  /// Whether the key is there; counts as asking for it.
  bool has(std::string_view key);
  /// Whether the key is there and a string; counts as asking for it.
  bool hasString(std::string_view key) {
    return has(key) && table_->find(key)->value.kind == TomlValue::Kind::string;
  }
  /// What was wrong in the file so far: what has been read since is good when it has not grown.
  int faults() const { return findings_->count(); }

  bool boolean(std::string_view key, std::optional<bool> otherwise = {});
  int integer(std::string_view key, const Limits& limits = {}, std::optional<int> otherwise = {});
  double number(std::string_view key, const Limits& limits = {}, std::optional<double> otherwise = {});
  std::string string(std::string_view key, std::optional<std::string> otherwise = {});
  /// One of the given words.
  std::string word(std::string_view key, const std::vector<std::string>& choices,
                   std::optional<std::string> otherwise = {});
  Vector3d vector3(std::string_view key, const Limits& limits = {},
                   const std::optional<Vector3d>& otherwise = {});
  std::vector<double> numbers(std::string_view key, std::size_t count, const Limits& limits = {});
  /// Any number of numbers, at least so many.
  std::vector<double> numberList(std::string_view key, std::size_t least_count, const Limits& limits = {});
  /// Whole numbers, each at least `least`.
  std::vector<int> integers(std::string_view key, std::size_t count, int least);
  std::vector<std::string> strings(std::string_view key);
  /// Points as arrays of three numbers.
  std::vector<Vector3d> points(std::string_view key, std::size_t least_count);
  /// [rad], from the key `name`_deg or `name`_rad.
  double angle(const std::string& name, std::optional<double> otherwise = {});

  /// An empty table when it is not there or something else.
  TableReader table(std::string_view key);
  std::optional<TableReader> optionalTable(std::string_view key);
  /// [[key]], as often as it is there.
  std::vector<TableReader> tables(std::string_view key);

  /// [key] or [[key]].
  std::vector<TableReader> oneOrMoreTables(std::string_view key);

  /// A finding of the caller's own: at the value of the key, or at the table when it has none.
  void refuse(std::string_view key, std::string what, std::string help);
  /// Keys of this table that nobody asked for are no findings: what it is, is not known.
  void ignoreRest();
  /// The key `version`, which must be this number.
  void requireVersion(int version);

 private:
  const TomlValue* find(std::string_view key, bool required, const std::string& expected);
  bool readNumber(const TomlValue& value, const std::string& name, const Limits& limits,
                  const std::string& expected, double& result);
  bool readNumbers(const TomlValue& value, const std::string& name, std::size_t count,
                   const Limits& limits, const std::string& expected, std::vector<double>& result);
  void fault(const TomlValue& value, std::string what, const std::string& expected);
  std::string below(std::string_view key) const;

  const TomlValue* table_;
  std::string path_;
  TomlFindings* findings_;
};

/// A TOML file and what is wrong with it.
class TomlFile {
 public:
  /// Throws FileError when it cannot be read, FindingsError when it is not TOML.
  explicit TomlFile(const std::filesystem::path& file) : TomlFile(SourceText::read(file)) {}
  explicit TomlFile(SourceText source);

  TableReader root() { return {*content_, "", *findings_}; }
  const SourceText& source() const { return source_; }
  /// For what is to be changed before anybody asks for it.
  TomlValue& content() { return *content_; }
  /// A finding of the caller's own.
  void add(SourcePlace place, std::string what, std::string help) {
    findings_->add(place, std::move(what), std::move(help));
  }
  /// Throws FindingsError with all findings, if any. To be called when everything has been asked for.
  void check();

 private:
  SourceText source_;
  std::unique_ptr<TomlValue> content_;
  std::unique_ptr<TomlFindings> findings_;
};

}  // namespace cornet
