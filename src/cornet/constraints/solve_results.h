#pragma once

#include <limits>
#include <string>
#include <vector>

#include "cornet/problem/solution.h"

namespace cornet {

/// Result of a solve in the form A λ - b: one of the pivoting solver or of ECOS.
struct ActiveSetResult {
  VectorXd lambda;
  bool converged = false;           // the certificate meets the tolerance
  int iterations = 0;
  int active_set_size = 0;          // rows that carry impulse; 0 for ECOS
  std::string solver_type = "ASM";  // "ASM" or "ECOS"
  int ecos_exit_flag = 0;
  double primal_residual = std::numeric_limits<double>::quiet_NaN();
  double dual_residual = std::numeric_limits<double>::quiet_NaN();
  double gap = std::numeric_limits<double>::quiet_NaN();
  SolveStatus status = SolveStatus::unsupported;
  Certificate certificate;
  std::string message;              // why it is not converged
};

/// What constraints do to a body that moves: force at its centre [N] and torque about it [N m]. Zero for
/// a fixed one.
struct BodyForces {
  Vector3d linear_force = Vector3d::Zero();
  Vector3d angular_torque = Vector3d::Zero();
};

using Twist = Eigen::Matrix<double, 6, 1>;  // (v, ω) or its rate, world axes

/// Forces of bilateral constraints.
struct SolveResult {
  VectorXd lambdas;                     // [N] or [N m], in the order of the constraints
  std::vector<BodyForces> body_forces;  // Jᵀλ
  std::vector<Twist> accelerations;     // of every body, constraints included
  bool converged = false;
  SolveStatus status = SolveStatus::unsupported;
  Certificate certificate;              // of accelerations
  std::string message;
};

/// Impulses of all constraints over a step.
struct MultiBodySolveResult {
  VectorXd lambdas;                     // [N s], in the order of the constraints
  std::vector<BodyForces> body_forces;  // mean over the step: Jᵀλ/dt
  std::vector<Twist> velocities;        // of every body after the step
  bool converged = false;
  int iterations = 0;
  int active_set_size = 0;
  std::string solver_type;              // "direct", "ASM", "exact", "gauss_seidel" or "ECOS"
  int ecos_exit_flag = 0;
  double primal_residual = std::numeric_limits<double>::quiet_NaN();
  double dual_residual = std::numeric_limits<double>::quiet_NaN();
  double gap = std::numeric_limits<double>::quiet_NaN();
  SolveStatus status = SolveStatus::unsupported;
  Certificate certificate;
  std::string message;
};

}  // namespace cornet
