// The only file that knows toml++.
#include "cornet/io/toml/toml_value.h"

#include <algorithm>
#include <array>

#define TOML_EXCEPTIONS 0
#define TOML_ASSERT(condition) static_cast<void>(0)  // some fail on bad text, which is then refused
#include <toml++/toml.h>

#include "cornet/io/toml/toml_guard.h"

namespace cornet {
namespace {

SourcePlace placeOf(const toml::source_region& region) {
  // Values that stand nowhere, such as the table of the file, begin with it.
  return {std::max(1, static_cast<int>(region.begin.line)),
          std::max(1, static_cast<int>(region.begin.column))};
}

TomlValue convert(const toml::node& node);

void fill(const toml::table& table, TomlValue& value) {
  value.kind = TomlValue::Kind::table;
  for (const auto& [key, item] : table) {
    value.entries.push_back({std::string(key.str()), placeOf(key.source()), convert(item)});
  }
  std::ranges::stable_sort(value.entries, {}, &TomlEntry::place);
}

void fill(const toml::array& array, TomlValue& value) {
  value.kind = TomlValue::Kind::array;
  for (const toml::node& item : array) value.items.push_back(convert(item));
}

void fill(const toml::value<bool>& boolean, TomlValue& value) {
  value.kind = TomlValue::Kind::boolean;
  value.boolean = boolean.get();
}

void fill(const toml::value<std::int64_t>& integer, TomlValue& value) {
  value.kind = TomlValue::Kind::integer;
  value.integer = integer.get();
  value.number = static_cast<double>(integer.get());
}

void fill(const toml::value<double>& number, TomlValue& value) {
  value.kind = TomlValue::Kind::number;
  value.number = number.get();
}

void fill(const toml::value<std::string>& string, TomlValue& value) {
  value.kind = TomlValue::Kind::string;
  value.string = string.get();
}

template <class Time>
void fill(const toml::value<Time>&, TomlValue& value) {
  value.kind = TomlValue::Kind::time;
}

TomlValue convert(const toml::node& node) {
  TomlValue value;
  value.place = placeOf(node.source());
  node.visit([&](const auto& typed) { fill(typed, value); });
  return value;
}

// "Error while parsing string: unescaped ..." says what it was doing first; we say what is wrong.
std::string shortened(std::string_view description) {
  constexpr std::string_view kPrefix = "Error while parsing ";
  if (description.starts_with(kPrefix)) description.remove_prefix(kPrefix.size());
  std::string text(description);
  constexpr std::string_view kLineEnd = "'\\n'";
  if (const auto at = text.find(kLineEnd); at != text.npos) {
    text.replace(at, kLineEnd.size(), "the end of the line");
  }
  return text;
}

}  // namespace

const TomlEntry* TomlValue::find(std::string_view key) const {
  const auto entry = std::ranges::find(entries, key, &TomlEntry::key);
  return entry == entries.end() ? nullptr : &*entry;
}

std::string_view nameOf(TomlValue::Kind kind) {
  constexpr std::array names = {"a boolean",      "an integer", "a number", "a string",
                                "a date or time", "an array",   "a table"};
  return names[static_cast<std::size_t>(kind)];
}

TomlValue parseToml(const SourceText& source) {
  guardToml(source);
  const toml::parse_result result = toml::parse(source.text());
  if (result) return convert(result.table());
  const toml::parse_error& error = result.error();
  throw FindingsError(source, {{placeOf(error.source()), shortened(error.description()),
                                "the file is not TOML up to here; the language is described on toml.io"}});
}

}  // namespace cornet
