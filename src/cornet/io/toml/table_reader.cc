#include "cornet/io/toml/table_reader.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cornet/io/toml/suggestion.h"

namespace cornet {
namespace {

using Kind = TomlValue::Kind;

// What was found, as one would write it.
std::string textOf(const TomlValue& value) {
  switch (value.kind) {
    case Kind::boolean: return value.boolean ? "true" : "false";
    case Kind::integer: return std::to_string(value.integer);
    case Kind::number: return fmt::format("{}", value.number);
    case Kind::string: return fmt::format("\"{}\"", value.string);
    default: return std::string(nameOf(value.kind));
  }
}

std::string example(std::string_view key, std::string_view text) {
  return fmt::format(", such as {} = {}", key, text);
}

}  // namespace

std::string Limits::text() const {
  const bool bounded = std::isfinite(most);
  if (std::isfinite(least) && bounded) return fmt::format(" from {} to {}", least, most);
  if (std::isfinite(least)) return fmt::format(" {} {}", above ? ">" : ">=", least);
  return bounded ? fmt::format(" <= {}", most) : "";
}

TableReader::TableReader(const TomlValue& table, std::string name, TomlFindings& findings)
    : table_(&table), path_(std::move(name)), findings_(&findings) {
  findings_->of(table).name = this->name();
}

std::string TableReader::name() const { return path_.empty() ? "the file" : "[" + path_ + "]"; }

std::string TableReader::below(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

bool TableReader::has(std::string_view key) {
  auto& keys = findings_->of(*table_).keys;
  if (std::ranges::find(keys, key) == keys.end()) keys.emplace_back(key);
  return table_->find(key) != nullptr;
}

const TomlValue* TableReader::find(std::string_view key, bool required, const std::string& expected) {
  if (has(key)) return &table_->find(key)->value;
  if (required) findings_->addMissing(*table_, key, fmt::format("add {}: {}", key, expected));
  return nullptr;
}

void TableReader::fault(const TomlValue& value, std::string what, const std::string& expected) {
  findings_->add(value.place, std::move(what), "expected " + expected);
}

void TableReader::refuse(std::string_view key, std::string what, std::string help) {
  const TomlEntry* entry = table_->find(key);
  findings_->add(entry ? entry->value.place : table_->place, std::move(what), std::move(help));
}

void TableReader::ignoreRest() { findings_->of(*table_).rest_ignored = true; }

// ---- values

bool TableReader::readNumber(const TomlValue& value, const std::string& name, const Limits& limits,
                             const std::string& expected, double& result) {
  if (value.kind != Kind::number && value.kind != Kind::integer) {
    fault(value, fmt::format("{} is {}", name, nameOf(value.kind)), expected);
  } else if (!std::isfinite(value.number)) {
    fault(value, fmt::format("{} = {} is not finite", name, textOf(value)), expected);
  } else if (!limits.allow(value.number)) {
    fault(value, fmt::format("{} = {} is out of range", name, textOf(value)), expected);
  } else {
    result = value.number;
    return true;
  }
  return false;
}

bool TableReader::readNumbers(const TomlValue& value, const std::string& name, std::size_t count,
                              const Limits& limits, const std::string& expected,
                              std::vector<double>& result) {
  if (value.kind != Kind::array) {
    fault(value, fmt::format("{} is {}", name, nameOf(value.kind)), expected);
    return false;
  }
  if (value.items.size() != count) {
    fault(value, fmt::format("{} has {} entries", name, value.items.size()), expected);
    return false;
  }
  bool good = true;
  result.assign(count, 0.0);
  for (std::size_t k = 0; k < count; ++k) {
    const std::string entry = fmt::format("entry {} of {}", k + 1, name);
    good = readNumber(value.items[k], entry, limits, expected, result[k]) && good;
  }
  return good;
}

bool TableReader::boolean(std::string_view key, std::optional<bool> otherwise) {
  const std::string expected = "true or false" + example(key, "true");
  const TomlValue* value = find(key, !otherwise, expected);
  if (value && value->kind == Kind::boolean) return value->boolean;
  if (value) fault(*value, fmt::format("{} is {}", key, nameOf(value->kind)), expected);
  return otherwise.value_or(false);
}

int TableReader::integer(std::string_view key, const Limits& limits, std::optional<int> otherwise) {
  const std::string expected = "an integer" + limits.text();
  const TomlValue* value = find(key, !otherwise, expected);
  const int fallback = otherwise.value_or(0);
  if (!value) return fallback;
  if (value->kind != Kind::integer) {
    fault(*value, fmt::format("{} is {}", key, nameOf(value->kind)), expected);
    return fallback;
  }
  double number = fallback;
  const double largest = std::numeric_limits<int>::max();
  const Limits range{std::max(limits.least, -largest), std::min(limits.most, largest), limits.above};
  readNumber(*value, std::string(key), range, expected, number);
  return static_cast<int>(number);
}

double TableReader::number(std::string_view key, const Limits& limits, std::optional<double> otherwise) {
  const std::string expected = "a number" + limits.text() + example(key, "0.5");
  double result = otherwise.value_or(0.0);
  if (const TomlValue* value = find(key, !otherwise, expected)) {
    readNumber(*value, std::string(key), limits, expected, result);
  }
  return result;
}

std::string TableReader::string(std::string_view key, std::optional<std::string> otherwise) {
  const std::string expected = "a string" + example(key, "\"name\"");
  const TomlValue* value = find(key, !otherwise, expected);
  if (value && value->kind == Kind::string) return value->string;
  if (value) fault(*value, fmt::format("{} is {}", key, nameOf(value->kind)), expected);
  return otherwise.value_or("");
}

std::string TableReader::word(std::string_view key, const std::vector<std::string>& choices,
                              std::optional<std::string> otherwise) {
  const std::string expected = fmt::format("one of \"{}\"", fmt::join(choices, "\", \""));
  const TomlValue* value = find(key, !otherwise, expected);
  const std::string fallback = otherwise.value_or("");
  if (!value) return fallback;
  if (value->kind != Kind::string) {
    fault(*value, fmt::format("{} is {}", key, nameOf(value->kind)), expected);
  } else if (std::ranges::find(choices, value->string) != choices.end()) {
    return value->string;
  } else {
    const std::string near = suggest(value->string, choices);
    findings_->add(value->place, fmt::format("{} = \"{}\" is not known", key, value->string),
                   near.empty() ? "expected " + expected : fmt::format("did you mean \"{}\"?", near));
  }
  return fallback;
}

std::vector<double> TableReader::numbers(std::string_view key, std::size_t count, const Limits& limits) {
  const std::string expected = fmt::format("{} numbers{}", count, limits.text());
  std::vector<double> result;
  const TomlValue* value = find(key, true, expected);
  if (value && readNumbers(*value, std::string(key), count, limits, expected, result)) return result;
  return std::vector<double>(count, 0.0);
}

std::vector<double> TableReader::numberList(std::string_view key, std::size_t least_count,
                                            const Limits& limits) {
  const std::string expected = fmt::format("at least {} numbers{}", least_count, limits.text());
  std::vector<double> result;
  const TomlValue* value = find(key, true, expected);
  if (!value) return result;
  if (value->kind == Kind::array && value->items.size() < least_count) {
    fault(*value, fmt::format("{} has {} entries", key, value->items.size()), expected);
  } else if (!readNumbers(*value, std::string(key), value->items.size(), limits, expected, result)) {
    result.clear();
  }
  return result;
}

std::vector<int> TableReader::integers(std::string_view key, std::size_t count, int least) {
  const std::string expected = fmt::format("{} integers >= {}", count, least);
  const std::vector<int> fallback(count, least);
  const TomlValue* value = find(key, true, expected);
  std::vector<double> numbers;
  const Limits limits = Limits::between(least, std::numeric_limits<int>::max());
  if (!value || !readNumbers(*value, std::string(key), count, limits, expected, numbers)) return fallback;
  std::vector<int> result;
  for (std::size_t k = 0; k < count; ++k) {
    if (value->items[k].kind != Kind::integer) {
      fault(value->items[k], fmt::format("entry {} of {} is a number", k + 1, key), expected);
      return fallback;
    }
    result.push_back(static_cast<int>(numbers[k]));
  }
  return result;
}

std::vector<std::string> TableReader::strings(std::string_view key) {
  const std::string expected = fmt::format("strings, such as {} = [\"name\"]", key);
  std::vector<std::string> result;
  const TomlValue* value = find(key, true, expected);
  if (!value) return result;
  if (value->kind != Kind::array) fault(*value, fmt::format("{} is {}", key, nameOf(value->kind)), expected);
  for (std::size_t k = 0; k < value->items.size(); ++k) {
    const TomlValue& item = value->items[k];
    if (item.kind == Kind::string) {
      result.push_back(item.string);
    } else {
      fault(item, fmt::format("entry {} of {} is {}", k + 1, key, nameOf(item.kind)), expected);
    }
  }
  return result;
}

Vector3d TableReader::vector3(std::string_view key, const Limits& limits,
                              const std::optional<Vector3d>& otherwise) {
  const std::string expected = "3 numbers" + limits.text() + example(key, "[0.1, 0.2, 0.3]");
  const TomlValue* value = find(key, !otherwise, expected);
  std::vector<double> x;
  if (!value || !readNumbers(*value, std::string(key), 3, limits, expected, x)) {
    return otherwise.value_or(Vector3d::Zero());
  }
  return {x[0], x[1], x[2]};
}

std::vector<Vector3d> TableReader::points(std::string_view key, std::size_t least_count) {
  const std::string expected = fmt::format("at least {} points [x, y, z]", least_count);
  const TomlValue* value = find(key, true, expected);
  if (!value) return {};
  if (value->kind != Kind::array) {
    fault(*value, fmt::format("{} is {}", key, nameOf(value->kind)), expected);
    return {};
  }
  if (value->items.size() < least_count) {
    fault(*value, fmt::format("{} has {} entries", key, value->items.size()), expected);
    return {};
  }
  std::vector<Vector3d> points;
  for (std::size_t k = 0; k < value->items.size(); ++k) {
    std::vector<double> x;
    const std::string name = fmt::format("point {} of {}", k + 1, key);
    if (!readNumbers(value->items[k], name, 3, {}, "3 numbers [x, y, z]", x)) continue;
    points.emplace_back(x[0], x[1], x[2]);
  }
  return points;
}

double TableReader::angle(const std::string& name, std::optional<double> otherwise) {
  const std::string degrees = name + "_deg";
  const std::string radians = name + "_rad";
  const bool in_degrees = has(degrees);
  const bool in_radians = has(radians);
  if (in_degrees && in_radians) {
    refuse(radians, fmt::format("{} and {} are both given", degrees, radians), "keep one of them");
  }
  constexpr double kRadiansPerDegree = std::numbers::pi / 180.0;
  if (in_radians) return number(radians);
  if (in_degrees || !otherwise) return kRadiansPerDegree * number(degrees);
  return *otherwise;
}

// ---- tables

TableReader TableReader::table(std::string_view key) {
  static const TomlValue kEmpty;
  const std::string expected = fmt::format("a table, [{}]", below(key));
  const TomlValue* value = find(key, true, expected);
  if (value && value->kind == Kind::table) return {*value, below(key), *findings_};
  if (value) fault(*value, fmt::format("{} is {}", key, nameOf(value->kind)), expected);
  TableReader empty(kEmpty, below(key), *findings_);
  return empty;
}

std::optional<TableReader> TableReader::optionalTable(std::string_view key) {
  if (!has(key)) return {};
  return table(key);
}

std::vector<TableReader> TableReader::tables(std::string_view key) {
  std::vector<TableReader> result;
  if (!has(key)) return result;
  const TomlValue& value = table_->find(key)->value;
  const std::string expected = fmt::format("tables, each under a line [[{}]]", below(key));
  if (value.kind != Kind::array) fault(value, fmt::format("{} is {}", key, nameOf(value.kind)), expected);
  for (std::size_t k = 0; k < value.items.size(); ++k) {
    const std::string name = fmt::format("{} {}", below(key), k + 1);
    if (value.items[k].kind == Kind::table) {
      result.emplace_back(value.items[k], name, *findings_);
    } else {
      fault(value.items[k], fmt::format("entry {} of {} is {}", k + 1, key, nameOf(value.items[k].kind)),
            expected);
    }
  }
  return result;
}

std::vector<TableReader> TableReader::oneOrMoreTables(std::string_view key) {
  const TomlEntry* entry = has(key) ? table_->find(key) : nullptr;
  if (entry && entry->value.kind == Kind::table) return {table(key)};
  return tables(key);
}

void TableReader::requireVersion(int version) {
  const std::string expected = fmt::format("{}, the version this program reads", version);
  const TomlValue* value = find("version", true, expected);
  if (!value || (value->kind == Kind::integer && value->integer == version)) return;
  fault(*value, fmt::format("version = {} is not known", textOf(*value)), expected);
}

}  // namespace cornet
