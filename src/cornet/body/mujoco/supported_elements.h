#pragma once

#include <span>
#include <string_view>

namespace cornet {

/// What becomes of an element of a robot model; docs/howto/run_a_robot.md shows this table.
struct SupportedElement {
  std::string_view element;
  std::string_view becomes;
};
std::span<const SupportedElement> supportedElements();

}  // namespace cornet
