#include "cornet/world/asset.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

std::string labelOf(const std::string& name) { return fmt::format("body '{}'", name); }

void requireShapes(const std::string& name, const std::vector<AssetShape>& shapes, bool may_be_static) {
  for (const AssetShape& part : shapes) {
    validate(part.shape, fmt::format("{}, {}", labelOf(name), nameOf(part.shape)));
    if (may_be_static || !isStatic(part.shape)) continue;
    throw std::invalid_argument(fmt::format(
        "{}: a {} cannot move; put it into the environment", labelOf(name), nameOf(part.shape)));
  }
}

// Inertia of a point mass at d from the centre.
Matrix3d parallelAxis(const Vector3d& d) {
  return d.squaredNorm() * Matrix3d::Identity() - d * d.transpose();
}

double calcRadius(const std::vector<AssetShape>& shapes, const Vector3d& centre) {
  double radius = 0.0;
  for (const AssetShape& part : shapes) {
    const Bounds bounds = calcBounds(part.shape, Pose());
    const Vector3d middle = 0.5 * (bounds.lower + bounds.upper);
    const double half = 0.5 * (bounds.upper - bounds.lower).norm();
    radius = std::max(radius, (part.X_BS * middle - centre).norm() + half);
  }
  return radius;
}

// Distance of the furthest point of a shape from a point p in its frame; of ellipsoids an upper bound, exact at their centre.
struct FurthestFrom {
  const Vector3d& p;
  static double corner(double x, double y) { return std::sqrt(x * x + y * y); }
  double across() const { return corner(p.x(), p.y()); }
  double operator()(const Sphere& s) const { return p.norm() + s.radius; }
  double operator()(const Box& s) const { return (p.cwiseAbs() + s.half()).norm(); }
  double operator()(const Capsule& s) const { return corner(across(), std::abs(p.z()) + s.half_length) + s.radius; }
  double operator()(const Cylinder& s) const { return corner(across() + s.radius, std::abs(p.z()) + s.half_length); }
  double operator()(const Cone& s) const {
    return std::max(corner(across(), p.z() - s.half_length), corner(across() + s.radius, p.z() + s.half_length));
  }
  double operator()(const Ellipsoid& s) const { return p.norm() + s.radii.maxCoeff(); }
  double operator()(const ConvexHull& s) const {
    double furthest = 0.0;
    for (const Vector3d& vertex : s.polyhedron().vertices()) furthest = std::max(furthest, (vertex - p).norm());
    return furthest;
  }
  template <class Static>
  double operator()(const Static&) const { return 0.0; }  // does not move
};

double calcSize(const std::vector<AssetShape>& shapes, const Vector3d& centre) {
  double size = 0.0;
  for (const AssetShape& part : shapes) {
    const Vector3d p = part.X_BS.R.transpose() * (centre - part.X_BS.p);
    size = std::max(size, std::visit(FurthestFrom{p}, part.shape));
  }
  return size;
}

VolumeProperties sumVolumes(const std::vector<AssetShape>& shapes) {
  VolumeProperties sum;
  for (const AssetShape& part : shapes) {
    const VolumeProperties own = calcVolumeProperties(part.shape);
    sum.volume += own.volume;
    sum.centre += own.volume * (part.X_BS * own.centre);
  }
  sum.centre /= sum.volume;
  for (const AssetShape& part : shapes) {
    const VolumeProperties own = calcVolumeProperties(part.shape);
    const Matrix3d& R = part.X_BS.R;
    sum.inertia += R * own.inertia * R.transpose() +
                   own.volume * parallelAxis(part.X_BS * own.centre - sum.centre);
  }
  return sum;
}

}  // namespace

AssetInertial::AssetInertial(std::string name, const MassProperties& mass,
                             std::vector<AssetShape> shapes, const Vector3d& p_OB)
    : name_(std::move(name)), mass_(mass), shapes_(std::move(shapes)), p_OB_(p_OB) {
  mass.validate(labelOf(name_));
  if (!p_OB.allFinite()) {
    throw std::invalid_argument(labelOf(name_) + ": its centre of mass is not finite");
  }
  requireShapes(name_, shapes_, false);
  inertia_ = PrincipalInertia(mass.inertia);
  radius_ = calcRadius(shapes_, p_OB);
  size_ = shapes_.empty() ? mass.gyrationRadius() : calcSize(shapes_, p_OB);
  initial_.position = p_OB;
}

AssetInertial AssetInertial::fromDensity(std::string name, std::vector<AssetShape> shapes,
                                         double density) {
  if (!(density > 0.0 && std::isfinite(density))) {
    throw std::invalid_argument(fmt::format("{}: density = {} kg/m³: expected a finite number > 0",
                                            labelOf(name), density));
  }
  if (shapes.empty()) {
    throw std::invalid_argument(labelOf(name) + ": a density needs at least one shape");
  }
  requireShapes(name, shapes, false);
  const VolumeProperties volume = sumVolumes(shapes);
  const MassProperties mass{density * volume.volume, density * volume.inertia};
  return {std::move(name), mass, std::move(shapes), volume.centre};
}

AssetInertial AssetInertial::fromMass(std::string name, std::vector<AssetShape> shapes, double mass) {
  if (!(mass > 0.0 && std::isfinite(mass))) {
    throw std::invalid_argument(
        fmt::format("{}: mass = {} kg: expected a finite number > 0", labelOf(name), mass));
  }
  if (shapes.empty()) {
    throw std::invalid_argument(labelOf(name) + ": without a shape it needs an inertia beside its mass");
  }
  requireShapes(name, shapes, false);
  const VolumeProperties volume = sumVolumes(shapes);
  const MassProperties properties{mass, mass / volume.volume * volume.inertia};
  return {std::move(name), properties, std::move(shapes), volume.centre};
}

AssetInertial& AssetInertial::place(const Vector3d& p_WO, const Quaterniond& q_WO) {
  initial_.orientation = q_WO;
  initial_.position = p_WO + q_WO * p_OB_;
  validate(initial_, labelOf(name_));
  initial_.orientation.normalize();
  return *this;
}

AssetInertial& AssetInertial::setVelocity(const Vector3d& velocity, const Vector3d& omega) {
  initial_.velocity = velocity;
  initial_.omega = omega;
  validate(initial_, labelOf(name_));
  return *this;
}

AssetInertial& AssetInertial::setDrag(double linear, double angular) {
  if (!(linear >= 0.0 && angular >= 0.0 && std::isfinite(linear) && std::isfinite(angular))) {
    throw std::invalid_argument(fmt::format("{}: drag = ({}, {}): expected finite numbers ≥ 0",
                                            labelOf(name_), linear, angular));
  }
  linear_drag_ = linear;
  angular_drag_ = angular;
  return *this;
}

AssetEnvironment::AssetEnvironment(std::string name, std::vector<AssetShape> shapes,
                                   const Vector3d& p_WB, const Quaterniond& q_WB, Motion motion)
    : name_(std::move(name)), shapes_(std::move(shapes)), p_WB_(p_WB), q_WB_(q_WB),
      motion_(std::move(motion)) {
  requireShapes(name_, shapes_, true);
  InertialState state;
  state.position = p_WB;
  state.orientation = q_WB;
  cornet::validate(state, labelOf(name_));
  q_WB_.normalize();
  cornet::validate(motion_, labelOf(name_));
}

AssetEnvironment& AssetEnvironment::setSurfaceVelocity(const Vector3d& velocity_B) {
  if (!velocity_B.allFinite()) {
    throw std::invalid_argument(labelOf(name_) + ": its surface velocity is not finite");
  }
  surface_velocity_ = velocity_B;
  return *this;
}

}  // namespace cornet
