#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Random scene files (docs/formats/scene.md): plain numbers only, so that any reader of TOML understands them.
///
///   bodies      two to thirty bodies of all shapes on floors, slopes, platforms, in bowls and closed boxes
///   mechanisms  the same with joints in every scene: chains, trees and loops, limits, motors
///   impacts     something fast is thrown at a few small bodies in a row, before walls and thin plates: many impacts in a step
///
/// Most begin without overlap and with joints that hold; a few per cent do not, on purpose.
namespace cornet::fuzz {

enum class Family : std::uint8_t { bodies, mechanisms, impacts };

std::string_view nameOf(Family family);

/// Text of scene number `index`; depends on the arguments alone.
std::string makeRandomScene(Family family, std::uint32_t seed, std::uint32_t index);

/// The step of that scene [s].
double drawStep(Family family, std::uint32_t seed, std::uint32_t index);

}  // namespace cornet::fuzz
