#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

/// What the page of a live run says (docs/formats/page_data.md).
namespace cornet::app {

struct ClientMessage {
  enum class Type { pause, resume, step, restart, set, pull, release };
  Type type = Type::pause;
  std::string name = {};              // set: the parameter
  double value = 0.0;                 // set
  int body = 0;                       // pull: its place in the list of bodies
  std::array<double, 3> point = {};   // pull: in the body's frame [m]
  std::array<double, 3> target = {};  // pull: in the world [m]
};

/// Nothing for text that is no message: not JSON, an unknown type, keys that are missing, of the
/// wrong type or not finite.
std::optional<ClientMessage> parseClientMessage(std::string_view text);

}  // namespace cornet::app
