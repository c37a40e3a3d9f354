#pragma once

#include <string>

#include "cornet/io/scene/scene.h"

namespace cornet::bench {

/// A scene in MuJoCo's format: the same bodies at the same places with the same masses and friction. Boxes,
/// spheres, capsules and half-spaces that begin at rest; std::invalid_argument for other shapes.
std::string toMjcf(const Scene& scene);

}  // namespace cornet::bench
