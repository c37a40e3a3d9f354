#pragma once

#include <string>
#include <vector>

#include "random_numbers.h"

/// Bodies of random scenes, as numbers and as TOML.
namespace cornet::fuzz {

/// What the bodies of a scene have in common.
struct BodyStyle {
  double size = 0.1;          // [m], half of a body
  double size_spread = 1.0;   // bodies are between size / spread and size * spread
  double density = 1000.0;    // [kg/m³]
  double density_spread = 1.0;
  int materials = 1;          // "default", "material_1", ...
  bool has_compounds = false;
  std::vector<std::string> shapes;  // types to choose from
};

/// A body about its frame; `radius` is that of a ball about the frame's origin that holds it.
struct RandomBody {
  std::string name;
  std::string shape_text;    // lines of TOML
  double radius = 0.0;       // [m]
  double half_height = 0.0;  // [m] along its z axis, of bodies that can stand; else 0
  bool stands = false;       // upright, on its end
  double density = 1000.0;
  double mass = 0.0;         // [kg], roughly
  std::string material;
  Vector3d position = Vector3d::Zero();
  Quaterniond orientation = Quaterniond::Identity();
  Vector3d velocity = Vector3d::Zero();
  Vector3d omega = Vector3d::Zero();

  /// How far it reaches from its origin along a direction, at most.
  double extent(const Vector3d& direction) const {
    return stands && std::abs(direction.z()) > 0.999999 ? half_height : radius;
  }
};

/// Types of shapes that bodies may have.
const std::vector<std::string>& bodyShapes();

/// "[1.5, 0, 2]" and "[1, 0, 0, 0]"; lengths with six digits, quaternions with all.
std::string write(const Vector3d& x);
std::string writeQuaternion(const Quaterniond& q);

RandomBody drawBody(Random& random, const BodyStyle& style, const std::string& name);
std::string write(const RandomBody& body);

}  // namespace cornet::fuzz
