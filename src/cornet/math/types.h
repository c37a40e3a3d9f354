#pragma once

#include <limits>
#include <span>

#include <Eigen/Core>

namespace cornet {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();  // from 1 to the next number

/// The entries of a vector, without a copy.
inline std::span<const double> asSpan(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace cornet
