#pragma once

#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

/// Types that most files make of Eigen's templates, for the precompiled headers: naming them here makes them once.
/// Types only: functions that a precompiled header uses are made again for every file that reads it.
namespace cornet::common_types {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

using Transformed = decltype((Matrix3d() * Vector3d() + Vector3d()).eval());
using TransformedBack = decltype((Matrix3d().transpose() * (Vector3d() - Vector3d())).eval());
using Relative = decltype((Matrix3d().transpose() * Matrix3d()).eval());
using Turned = decltype(Quaterniond().conjugate() * Vector3d());
using Rotation = decltype(Quaterniond().toRotationMatrix());
using Cross = decltype(Vector3d().cross(Vector3d()));
using Dot = decltype(Vector3d().dot(Vector3d()));
using Length = decltype((Vector3d() * 2.0 - Vector3d() / 2.0).norm());
using Equal = decltype(Vector3d(Vector3d::Zero()) == Vector3d());

static_assert(sizeof(std::vector<Vector3d>) + sizeof(std::vector<double>) + sizeof(std::vector<int>) +
                  sizeof(Eigen::VectorXd) + sizeof(Eigen::MatrixXd) > 0);

}  // namespace cornet::common_types
