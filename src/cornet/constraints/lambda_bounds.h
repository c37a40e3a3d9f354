#pragma once

namespace cornet {

/// What a multiplier may be, as a force [N] or torque [N m]: the bounds of an impulse over a step
/// are these times dt.
///
///   bilateral       (-∞, ∞)    an equality: the row's velocity is zero
///   unilateral      (0, ∞)     pushes only: 0 ≤ u ⊥ λ ≥ 0
///   box             [lo, hi]   a limited effort: u = 0 between the bounds, u ≥ 0 at lo, u ≤ 0 at hi
struct LambdaBounds {
  double lower;
  double upper;

  static LambdaBounds bilateral();
  static LambdaBounds unilateral();
  /// Throws std::invalid_argument when lo > hi or one is not a number.
  static LambdaBounds boxConstrained(double lo, double hi);

  bool isBilateral() const;
  bool isUnilateral() const;
  bool isBoxConstrained() const;

  bool operator==(const LambdaBounds&) const = default;
};

}  // namespace cornet
