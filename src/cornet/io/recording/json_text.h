#pragma once

#include <span>
#include <string>
#include <string_view>

/// Pieces of JSON as text. Private to the recording.
namespace cornet {

/// The text in quotes; what is not UTF-8 in it is replaced.
std::string quoteJson(std::string_view text);

/// Shortest form that reads back to the same bits; null for a number that is not finite, which JSON has not.
std::string toJson(double x);
std::string toJson(float x);
/// [x, y, ...]
std::string toJson(std::span<const double> numbers);
std::string toJson(std::span<const float> numbers);

}  // namespace cornet
