#pragma once

#include "cornet/sim/held_factor.h"
#include "cornet/sim/island.h"

/// Joints under load turn bodies back when they tilt, like taut strings. Where that is stiff for the step, the kick takes it
/// implicitly: with f the last step's force of a joint on a body, K = -∂(torque of f)/∂(rotation), symmetric part, h²K = RᵀR of its
/// positive part, and P what a torque on the body turns it by with all joints of the island in place,
///
///   R P Rᵀ = Y z Yᵀ,  one z above ½:   (I + S)(ω⁺ - ω) = h τ - D ω + angular impulses
///   S = RᵀY (δ(d) d/z + ¼) YᵀR,   D = RᵀY (d/z) YᵀR,   d = max(0, z - 1)/2                         (STEP-22)
///
/// z = h²ω² of the modes that joints leave a body: a bob on a long arm turns about the end of the arm, not about its own
/// centre. S of ¼h²K alone keeps the energy of a mode, d damps those that a step cannot resolve; δ as for dampers. What S and D do is
/// told with the joint that pulls hardest, for the balance of its body's momentum; its reaction is without it.
namespace cornet {

/// Buffers are kept between steps.
class TautJoints {
 public:
  TautJoints();

  /// Sets S and D of the island's bodies, at the kick pose; zero where it is not needed.
  void set(const StepView& step, const Island& island, double theta);

 private:
  bool addStiffness(const StepView& step, StepConstraint& constraint, double t);
  void collectJoints(const StepView& step, const Island& island);
  Matrix3d calcMobility(const StepBody& body);

  HeldFactor factor_;
  HeldRowList held_;
  BlockDiagonalMatrix M_;
  VectorXd turn_;
};

}  // namespace cornet
