#pragma once

#include "cornet/collision/shape.h"
#include "cornet/io/toml/table_reader.h"

/// Poses and shapes in TOML, for every file that has them.
///
///   position = [x, y, z]                     [m]; the origin when left out
///   quat_wxyz = [w, x, y, z]                 orientation, one of these; none when left out
///   rpy_deg = [roll, pitch, yaw]             R = Rz(yaw) Ry(pitch) Rx(roll); rpy_rad likewise
///   axis = [x, y, z], angle_deg = a          axis of any length; angle_rad likewise
///   rotation_matrix = [[..], [..], [..]]     rows, kept bit by bit
///
///   type = "sphere"                          and the sizes of that shape, by the names of its C++ fields
namespace cornet {

/// A quaternion within kUnitTolerance of length 1 is normalised; another is refused with its length and the
/// one that was meant.
Matrix3d readRotation(TableReader& table);
Pose readPose(TableReader& table);

/// A sphere stands in where something is wrong.
Shape readShape(TableReader& table);

}  // namespace cornet
