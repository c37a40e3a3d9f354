#include "cornet/io/scene/formulas.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace cornet {
namespace {

constexpr std::array kTexts = {"title", "description", "name", "unit", "expected", "file", "include"};

bool isFormula(const TomlValue& value) {
  return value.kind == TomlValue::Kind::string &&
         (value.string.starts_with('=') || value.string.starts_with('$'));
}

void replace(TomlValue& value, const Variables& variables, TomlFile& file) {
  const std::size_t skipped = value.string.starts_with('=') ? 1 : 0;
  const std::string text = value.string;
  double result = 1.0;
  try {
    result = Expression(std::string_view(text).substr(skipped)).evaluate(variables);
    if (!std::isfinite(result)) {
      file.add(value.place, fmt::format("\"{}\" is {}", text, result), "expected a finite number");
      result = 1.0;
    }
  } catch (const ExpressionError& error) {
    SourcePlace place = value.place;
    place.column += static_cast<int>(1 + skipped + error.at());  // behind the quote
    file.add(place, error.what(), error.help());
  }
  // A whole number may count things.
  constexpr double kLargestCount = 1e9;
  const bool whole = result == std::round(result) && std::abs(result) < kLargestCount;
  value.kind = whole ? TomlValue::Kind::integer : TomlValue::Kind::number;
  value.integer = whole ? static_cast<std::int64_t>(result) : 0;
  value.number = result;
}

}  // namespace

bool isFormulaName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && letter(name.front()) && name != "t" && name != "pi" && name != "deg" &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || digit(c); });
}

void evaluateFormulas(TomlValue& value, const Variables& variables, TomlFile& file) {
  if (isFormula(value)) return replace(value, variables, file);
  for (TomlValue& item : value.items) evaluateFormulas(item, variables, file);
  for (TomlEntry& entry : value.entries) {
    if (std::ranges::find(kTexts, entry.key) != kTexts.end()) continue;
    evaluateFormulas(entry.value, variables, file);
  }
}

}  // namespace cornet
