#include "cornet/body/mass_properties.h"

#include <cmath>
#include <stdexcept>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

namespace cornet {

MassProperties MassProperties::solidSphere(double mass, double radius) {
  return {mass, 0.4 * mass * radius * radius * Matrix3d::Identity()};
}

MassProperties MassProperties::solidBox(double mass, const Vector3d& size) {
  const Vector3d squares = size.cwiseAbs2();
  const Vector3d moments = mass / 12.0 * (Vector3d::Constant(squares.sum()) - squares);
  return {mass, moments.asDiagonal()};
}

double MassProperties::gyrationRadius() const { return std::sqrt(inertia.trace() / (3.0 * mass)); }

void MassProperties::validate(std::string_view name) const {
  if (!(mass > 0.0) || !std::isfinite(mass)) {
    throw std::invalid_argument(fmt::format(
        "{}: mass = {} kg: expected a finite number > 0; a body that does not move is fixed", name,
        mass));
  }
  constexpr double kRounding = 1e-9;  // relative; inertias come from files with few digits
  const double size = inertia.cwiseAbs().maxCoeff();
  if (!inertia.allFinite() || (inertia - inertia.transpose()).cwiseAbs().maxCoeff() >
                                  kRounding * size) {
    throw std::invalid_argument(
        fmt::format("{}: the inertia is not a finite symmetric matrix", name));
  }
  const Vector3d moments = Eigen::SelfAdjointEigenSolver<Matrix3d>(inertia).eigenvalues();
  if (!(moments[0] > 0.0)) {
    throw std::invalid_argument(fmt::format(
        "{}: principal moments of inertia ({}, {}, {}) kg m²: expected numbers > 0", name,
        moments[0], moments[1], moments[2]));
  }
  if (moments[2] > (moments[0] + moments[1]) * (1.0 + kRounding)) {
    throw std::invalid_argument(fmt::format(
        "{}: principal moments of inertia ({}, {}, {}) kg m²: the largest exceeds the sum of the "
        "others, which no body has",
        name, moments[0], moments[1], moments[2]));
  }
}

}  // namespace cornet
