#include "view/token.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

namespace cornet::app {

std::string makeToken() {
  std::random_device source;
  std::string token;
  for (int k = 0; k < 4; ++k) token += fmt::format("{:08x}", source());
  return token;
}

bool isSameToken(std::string_view given, std::string_view expected) {
  if (given.size() != expected.size() || expected.empty()) return false;
  unsigned difference = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    difference |= static_cast<unsigned char>(given[k]) ^ static_cast<unsigned char>(expected[k]);
  }
  return difference == 0;
}

RequestTarget splitTarget(std::string_view target) {
  const auto query = target.find('?');
  RequestTarget parts{std::string(target.substr(0, query)), ""};
  if (query == target.npos) return parts;
  std::string_view rest = target.substr(query + 1);
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find('&'));
    if (item.starts_with("token=")) {
      parts.token = item.substr(6);
      return parts;
    }
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
  }
  return parts;
}

}  // namespace cornet::app
