#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cornet {

/// Insertions, deletions, replacements and exchanges of neighbours that turn one word into the other.
int calcEditDistance(std::string_view a, std::string_view b);

/// The known word that was probably meant, the first of equals; empty when none is near.
std::string suggest(std::string_view word, const std::vector<std::string>& known);

}  // namespace cornet
