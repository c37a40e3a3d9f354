#pragma once

#include <span>

#include <Eigen/Core>

namespace cornet {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// The entries of a vector, without a copy.
inline std::span<const double> asSpan(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace cornet
