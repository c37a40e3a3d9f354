#pragma once

#include "cornet/world/world_model.h"

namespace cornet {

/// What errors are measured by. With Δ for the difference of two results at the same time, r the size of a body and τ a time:
///
///   e_i = |Δx| + r |log(q_F q_H⁻¹)| + τ (|Δv| + r |Δω|)   of every body, links of trees among them
///   error = max over bodies and users' states of  s_i e_i,  s_k |Δuser_k|                      (ERR-2)
///
/// in metres. Velocities count because an impact that is missed shows in them a step before it shows in places. Scales s are 1
/// unless given; 0 leaves a body or a state out.
struct ErrorScales {
  std::vector<double> bodies;  // of all that move, or none
  VectorXd user;               // [m] for a unit of each of State::user, or none
};

class ErrorNorm {
 public:
  /// The world must outlive it. Throws std::invalid_argument when scales are not as many as bodies, or one is not a finite
  /// number ≥ 0.
  ErrorNorm(const WorldModel& world, double velocity_time, ErrorScales scales);

  /// Throws std::invalid_argument when users' states are not as many as their scales.
  double calc(const BodyStates& full, const VectorXd& full_user, const BodyStates& halves, const VectorXd& halves_user) const;

 private:
  const WorldModel& world_;
  double velocity_time_;
  ErrorScales scales_;
};

}  // namespace cornet
