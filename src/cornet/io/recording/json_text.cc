#include "cornet/io/recording/json_text.h"

#include <cmath>

#include <fmt/format.h>

namespace cornet {
namespace {

// Bytes of the UTF-8 character at the beginning of `text`; 0 when there is none.
std::size_t characterLength(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : (first & 0xf0) == 0xe0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return 0;
  }
  // Longer than need be, a half of a pair, or beyond the last character.
  if (length == 3 && ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0))) return 0;
  if (length == 4 && ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90))) return 0;
  return length;
}

template <class T>
std::string listToJson(std::span<const T> numbers) {
  std::string text = "[";
  for (std::size_t k = 0; k < numbers.size(); ++k) text += (k == 0 ? "" : ", ") + toJson(numbers[k]);
  return text + "]";
}

}  // namespace

std::string quoteJson(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = characterLength(text);
    if (length == 0) {
      quoted += "\\ufffd";
      text.remove_prefix(1);
      continue;
    }
    const char c = text[0];
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (length == 1 && static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", c);
    } else {
      quoted += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return quoted + '"';
}

std::string toJson(double x) { return std::isfinite(x) ? fmt::format("{}", x) : "null"; }
std::string toJson(float x) { return std::isfinite(x) ? fmt::format("{}", x) : "null"; }
std::string toJson(std::span<const double> numbers) { return listToJson(numbers); }
std::string toJson(std::span<const float> numbers) { return listToJson(numbers); }

}  // namespace cornet
