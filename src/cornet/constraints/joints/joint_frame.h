#pragma once

#include <string_view>

#include "cornet/body/inertial_state.h"

/// Where a joint sits on its two bodies, and the rows that all joints are made of. With p_A, p_B the
/// anchors, d = p_B - p_A, a the axis on A, t any direction fixed on A:
///
///   point      p_B - p_A                      [-I, [r_A]×, I, -[r_B]×]                          (JNT-1)
///   along t    t·(p_B - p_A)                  [-t, -(r_A + d) × t, t, r_B × t]                  (JNT-2)
///   turn       2 vec(q_A* q_B q_0*)           (w I - [vec]×) R_Aᵀ (ω_B - ω_A)                   (JNT-3)
///   tilt       t_A·a_B                        [0, t_A × a_B, 0, a_B × t_A]                      (JNT-4)
///   angle      about a, from t_A to t_B       [0, -a, 0, a]                                     (JNT-5)
namespace cornet {

struct JointFrame {
  Vector3d p_AJ_A, p_BJ_B;  // anchors, each in its body's axes
  Vector3d axis_A, axis_B;  // unit axis
  Vector3d t1_A, t2_A;      // complete axis_A to a right-handed frame
  Vector3d t1_B;            // the direction t1 on B at the pose the joint was made
  Quaterniond q_AB;         // orientation of B in A at that pose
};

/// A joint at the world point `anchor` with the world direction `axis`, both as the bodies are now.
/// Throws std::invalid_argument, naming the joint, when the axis has no length.
JointFrame makeJointFrame(std::string_view joint, const InertialState& stateA,
                          const InertialState& stateB, const Vector3d& anchor,
                          const Vector3d& axis = Vector3d::UnitZ());

using JointRow = Eigen::Matrix<double, 1, 12>;
using JointRows3 = Eigen::Matrix<double, 3, 12>;

/// Values and rows of (JNT-1) to (JNT-5).
Vector3d calcPointError(const JointFrame& frame, const InertialState& a, const InertialState& b);
JointRows3 calcPointRows(const JointFrame& frame, const InertialState& a, const InertialState& b);

/// `t_A` in A's axes.
double calcSlide(const JointFrame& frame, const InertialState& a, const InertialState& b,
                 const Vector3d& t_A);
JointRow calcSlideRow(const JointFrame& frame, const InertialState& a, const InertialState& b,
                      const Vector3d& t_A);

Vector3d calcTurnError(const JointFrame& frame, const InertialState& a, const InertialState& b);
JointRows3 calcTurnRows(const JointFrame& frame, const InertialState& a, const InertialState& b);

double calcTilt(const JointFrame& frame, const InertialState& a, const InertialState& b,
                const Vector3d& t_A);
JointRow calcTiltRow(const JointFrame& frame, const InertialState& a, const InertialState& b,
                     const Vector3d& t_A);

/// In (-π, π], zero at the pose the joint was made [rad].
double calcAngle(const JointFrame& frame, const InertialState& a, const InertialState& b);
JointRow calcAngleRow(const JointFrame& frame, const InertialState& a, const InertialState& b);

/// What a row makes of the velocities of A and B.
double calcRowRate(const JointRow& row, const InertialState& a, const InertialState& b);

}  // namespace cornet
