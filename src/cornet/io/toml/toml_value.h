#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cornet/io/toml/findings.h"

/// The content of a TOML file as plain data with places. The parser stays behind parseToml.
namespace cornet {

struct TomlEntry;

struct TomlValue {
  enum class Kind { boolean, integer, number, string, time, array, table };
  Kind kind = Kind::table;
  SourcePlace place;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0.0;             // of an integer too
  std::string string;
  std::vector<TomlValue> items;    // of an array
  std::vector<TomlEntry> entries;  // of a table, in the order of the file

  /// Null when there is none.
  const TomlEntry* find(std::string_view key) const;
};

struct TomlEntry {
  std::string key;
  SourcePlace place;  // of the key
  TomlValue value;
};

/// "a number", "a table", ...
std::string_view nameOf(TomlValue::Kind kind);

/// The table of the whole file. Throws FindingsError when the text is not TOML.
TomlValue parseToml(const SourceText& source);

}  // namespace cornet
