#include "cornet/io/toml/read_geometry.h"

#include <algorithm>
#include <array>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cornet {
namespace {

constexpr double kRadiansPerDegree = std::numbers::pi / 180.0;

// ---- orientations

Matrix3d readQuaternion(TableReader& table) {
  const int before = table.faults();
  const std::vector<double> q = table.numbers("quat_wxyz", 4);
  if (table.faults() > before) return Matrix3d::Identity();
  const Quaterniond quaternion(q[0], q[1], q[2], q[3]);
  const double norm = quaternion.norm();
  if (isNearlyUnit(quaternion)) return quaternion.normalized().toRotationMatrix();
  const Eigen::Vector4d unit = Eigen::Vector4d(q[0], q[1], q[2], q[3]).stableNormalized();
  table.refuse("quat_wxyz", fmt::format("quat_wxyz has length {}; a rotation has 1", norm),
               norm > 0.0 ? fmt::format("normalised: quat_wxyz = [{}, {}, {}, {}]", unit[0], unit[1],
                                        unit[2], unit[3])
                          : "no rotation: quat_wxyz = [1.0, 0.0, 0.0, 0.0]");
  return Matrix3d::Identity();
}

Matrix3d fromRollPitchYaw(const Vector3d& rpy) {
  return (expMap(rpy.z() * Vector3d::UnitZ()) * expMap(rpy.y() * Vector3d::UnitY()) *
          expMap(rpy.x() * Vector3d::UnitX()))
      .toRotationMatrix();
}

Matrix3d readAxisAngle(TableReader& table) {
  const int before = table.faults();
  const Vector3d axis = table.vector3("axis");
  const double angle = table.angle("angle");
  if (table.faults() > before) return Matrix3d::Identity();
  if (axis.isZero(0.0)) {
    table.refuse("axis", "axis = [0, 0, 0] has no direction", "a turn about z: axis = [0.0, 0.0, 1.0]");
  }
  return expMap(angle * axis.stableNormalized()).toRotationMatrix();
}

Matrix3d readMatrix(TableReader& table) {
  const int before = table.faults();
  const std::vector<Vector3d> rows = table.points("rotation_matrix", 3);
  if (table.faults() > before) return Matrix3d::Identity();
  Matrix3d R;
  for (int k = 0; k < 3; ++k) R.row(k) = rows[k].transpose();
  if (rows.size() == 3 && isNearlyRotation(R)) return R;
  table.refuse("rotation_matrix", "rotation_matrix is no rotation",
               "expected 3 rows of 3 numbers, orthogonal and of length 1, with determinant 1");
  return Matrix3d::Identity();
}

// ---- shapes: sizes that are not allowed are findings, so that constructors get what they accept

Shape readSphere(TableReader& table) { return Sphere{table.number("radius", Limits::positive())}; }

Shape readBox(TableReader& table) {
  const int before = table.faults();
  const Vector3d half = table.vector3("half_extents", Limits::positive());
  return table.faults() == before ? Shape(Box(half)) : Shape(Sphere{});
}

template <class RoundShape>
Shape readRound(TableReader& table) {
  const double radius = table.number("radius", Limits::positive());
  return RoundShape{radius, table.number("half_length", Limits::positive())};
}

Shape readEllipsoid(TableReader& table) {
  return Ellipsoid{table.vector3("radii", Limits::positive())};
}

Shape readHull(TableReader& table) {
  const int before = table.faults();
  const std::vector<Vector3d> points = table.points("points", 4);
  if (table.faults() > before) return Sphere{};
  try {
    return ConvexHull(points);
  } catch (const std::invalid_argument& error) {
    table.refuse("points", error.what(), "expected at least 4 points that do not lie in one plane");
    return Sphere{};
  }
}

Shape readBowl(TableReader& table) { return Bowl{table.number("radius", Limits::positive())}; }

Shape readHalfSpace(TableReader&) { return HalfSpace{}; }

Shape readMesh(TableReader& table) {
  const int before = table.faults();
  const std::vector<Vector3d> vertices = table.points("vertices", 3);
  std::vector<int> triangles;
  for (const Vector3d& triangle : table.points("triangles", 1)) {
    for (int k = 0; k < 3; ++k) triangles.push_back(static_cast<int>(triangle[k]));
    if (triangle.array().round().matrix() == triangle) continue;
    table.refuse("triangles", "a vertex index is not a whole number", "count vertices from 0");
  }
  if (table.faults() > before) return Sphere{};
  try {
    return TriangleMesh(vertices, triangles);
  } catch (const std::invalid_argument& error) {
    table.refuse("triangles", error.what(), "three vertex indices each, counterclockwise seen from outside");
    return Sphere{};
  }
}

Shape readHeightField(TableReader& table) {
  const int before = table.faults();
  const int nx = table.integer("nx", Limits::atLeast(2));
  const int ny = table.integer("ny", Limits::atLeast(2));
  const double dx = table.number("dx", Limits::positive());
  const double dy = table.number("dy", Limits::positive(), dx);
  const auto count = static_cast<std::size_t>(std::max(nx, 1)) * static_cast<std::size_t>(std::max(ny, 1));
  const std::vector<double> heights = table.numbers("heights", count);
  if (table.faults() > before) return Sphere{};
  return HeightField(nx, ny, dx, dy, heights);
}

// A new shape joins here.
struct ShapeType {
  std::string_view name;
  Shape (*read)(TableReader&);
};
constexpr std::array kShapeTypes = {
    ShapeType{"sphere", readSphere},          ShapeType{"box", readBox},
    ShapeType{"capsule", readRound<Capsule>}, ShapeType{"cylinder", readRound<Cylinder>},
    ShapeType{"cone", readRound<Cone>},       ShapeType{"ellipsoid", readEllipsoid},
    ShapeType{"convex_hull", readHull},       ShapeType{"half_space", readHalfSpace},
    ShapeType{"triangle_mesh", readMesh},     ShapeType{"height_field", readHeightField},
    ShapeType{"bowl", readBowl}};

}  // namespace

Matrix3d readRotation(TableReader& table) {
  std::vector<std::string_view> given;
  for (const char* key : {"quat_wxyz", "rpy_deg", "rpy_rad", "axis", "rotation_matrix"}) {
    if (table.has(key)) given.push_back(key);
  }
  const bool degrees = table.has("angle_deg");
  const bool turned = table.has("angle_rad") || degrees;
  if (given.size() > 1) {
    table.refuse(given[1], fmt::format("the orientation is given by {}", fmt::join(given, " and by ")),
                 "keep one of them");
  } else if (given.empty()) {
    return turned ? readAxisAngle(table) : Matrix3d(Matrix3d::Identity());
  } else if (given[0] == "quat_wxyz") {
    return readQuaternion(table);
  } else if (given[0] == "rpy_deg") {
    return fromRollPitchYaw(kRadiansPerDegree * table.vector3("rpy_deg"));
  } else if (given[0] == "rpy_rad") {
    return fromRollPitchYaw(table.vector3("rpy_rad"));
  } else if (given[0] == "axis") {
    return readAxisAngle(table);
  } else {
    return readMatrix(table);
  }
  return Matrix3d::Identity();
}

Pose readPose(TableReader& table) {
  const Vector3d position = table.vector3("position", {}, Vector3d(Vector3d::Zero()));
  return {readRotation(table), position};
}

Shape readShape(TableReader& table) {
  std::vector<std::string> names;
  for (const ShapeType& type : kShapeTypes) names.emplace_back(type.name);
  const std::string name = table.word("type", names);
  const auto type = std::ranges::find(kShapeTypes, name, &ShapeType::name);
  if (type != kShapeTypes.end()) return type->read(table);
  table.ignoreRest();
  return Sphere{};
}

}  // namespace cornet
