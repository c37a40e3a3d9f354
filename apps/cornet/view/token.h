#pragma once

#include <string>
#include <string_view>

namespace cornet::app {

/// 32 hexadecimal digits from the system's source of randomness.
std::string makeToken();

/// Whether both are the same and not empty; takes as long wherever they differ.
bool isSameToken(std::string_view given, std::string_view expected);

/// Path and value of `token` of the target of a request, "/data/header?token=ab"; an empty token
/// where there is none.
struct RequestTarget {
  std::string path;
  std::string token;
};
RequestTarget splitTarget(std::string_view target);

}  // namespace cornet::app
