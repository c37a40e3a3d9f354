#include "cornet/io/recording/draw_mesh.h"

#include <cmath>
#include <numbers>

namespace cornet {
namespace {

constexpr int kAround = 32;  // segments of a full circle

// A surface of revolution about z through (radius, z), from bottom to top; rings of radius 0 are poles.
RecordedMesh revolve(const std::vector<std::array<double, 2>>& profile) {
  RecordedMesh mesh;
  for (const auto& [radius, z] : profile) {
    for (int k = 0; k < kAround; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / kAround;
      mesh.vertices.insert(mesh.vertices.end(), {radius * std::cos(angle), radius * std::sin(angle), z});
    }
  }
  for (int r = 0; r + 1 < static_cast<int>(profile.size()); ++r) {
    for (int k = 0; k < kAround; ++k) {
      const int a = r * kAround + k, b = r * kAround + (k + 1) % kAround;
      const int c = a + kAround, d = b + kAround;
      if (profile[static_cast<std::size_t>(r)][0] > 0.0) mesh.triangles.insert(mesh.triangles.end(), {a, b, d});
      if (profile[static_cast<std::size_t>(r + 1)][0] > 0.0) mesh.triangles.insert(mesh.triangles.end(), {a, d, c});
    }
  }
  return mesh;
}

// Arc of a circle about (0, z) from one latitude to another.
void addArc(double radius, double z, double from, double to, int pieces, std::vector<std::array<double, 2>>& profile) {
  for (int k = 0; k <= pieces; ++k) {
    const double latitude = from + (to - from) * k / pieces;
    const bool is_pole = std::abs(latitude) > 0.5 * std::numbers::pi - 1e-9;
    profile.push_back({is_pole ? 0.0 : radius * std::cos(latitude), z + radius * std::sin(latitude)});
  }
}

RecordedMesh makeBall(double radius, double half_length) {
  constexpr double kPole = 0.5 * std::numbers::pi;
  std::vector<std::array<double, 2>> profile;
  addArc(radius, -half_length, -kPole, 0.0, kAround / 4, profile);
  if (half_length == 0.0) profile.pop_back();
  addArc(radius, half_length, 0.0, kPole, kAround / 4, profile);
  return revolve(profile);
}

RecordedMesh makeBox(const std::array<double, 3>& half) {
  RecordedMesh mesh;
  for (int k = 0; k < 8; ++k) {
    for (int d = 0; d < 3; ++d) mesh.vertices.push_back((k >> d & 1) != 0 ? half[static_cast<std::size_t>(d)] : -half[static_cast<std::size_t>(d)]);
  }
  mesh.triangles = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                    2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
  return mesh;
}

RecordedMesh makeBowl(double radius) {
  std::vector<std::array<double, 2>> profile;
  addArc(radius, 0.0, -0.5 * std::numbers::pi, 0.0, kAround / 4, profile);
  RecordedMesh mesh = revolve(profile);
  // Seen from inside.
  for (std::size_t k = 0; k < mesh.triangles.size(); k += 3) std::swap(mesh.triangles[k + 1], mesh.triangles[k + 2]);
  return mesh;
}

}  // namespace

RecordedMesh makeDrawMesh(const RecordedShape& shape, const std::vector<RecordedMesh>& meshes, double reach) {
  const auto& [a, b, c] = shape.size;
  switch (shape.type) {
    case RecordedShapeType::sphere: return makeBall(a, 0.0);
    case RecordedShapeType::box: return makeBox(shape.size);
    case RecordedShapeType::capsule: return makeBall(a, b);
    case RecordedShapeType::cylinder: return revolve({{0.0, -b}, {a, -b}, {a, b}, {0.0, b}});
    case RecordedShapeType::cone: return revolve({{0.0, -b}, {a, -b}, {0.0, b}});
    case RecordedShapeType::ellipsoid: {
      RecordedMesh mesh = makeBall(1.0, 0.0);
      for (std::size_t k = 0; k < mesh.vertices.size(); ++k) mesh.vertices[k] *= shape.size[k % 3];
      return mesh;
    }
    case RecordedShapeType::half_space:
      return {{-reach, -reach, 0.0, reach, -reach, 0.0, reach, reach, 0.0, -reach, reach, 0.0}, {0, 1, 2, 0, 2, 3}};
    case RecordedShapeType::bowl: return makeBowl(a);
    case RecordedShapeType::mesh: return meshes[static_cast<std::size_t>(shape.mesh)];
  }
  return {};
}

}  // namespace cornet
