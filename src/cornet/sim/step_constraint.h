#pragma once

#include <array>

#include "cornet/constraints/joints/joint_drives.h"
#include "cornet/constraints/placed_constraint.h"
#include "cornet/sim/held_factor.h"
#include "cornet/sim/step_data.h"

/// Constraints through a step: rows of the kick like contacts, at the kick pose, with the turning κ of (STEP-7) where they have one,
///
///   equality     J v⁺ = w_t, for drifts keep joints closed (STEP-30)
///   unilateral   J v⁺ + κ - w_t ≥ -C/h while open, ≥ -max(0, u⁻ - w_t) when closed; after an impact J v⁺ - w_t ≥ the rebound asked for
///   box          J v⁺ + κ = w_t as far as the bounds times h allow; or the force law of (DRV-4)      (STEP-19)
///
/// C and u⁻ at the start of the step, w_t the target rate: of equalities at its end, of others at the kick. Gains of constraints
/// are not used: what is left of C is taken back by the projection at the end.
namespace cornet {

/// Impulses of a constraint at a pose of their own: of its rows, and what they are to its bodies.
struct PoseImpulse {
  VectorXd rows;
  VectorXd wrench;  // of each body: linear, angular about the centre
  Vector3d arm = Vector3d::Zero();  // from the centre of B to the joint's point at that pose

  void reset(const Constraint& constraint) {
    rows.setZero(constraint.dimension());
    wrench.setZero(6 * constraint.bodyCount());
  }
};

/// When, besides the kick, joints act on bodies.                                               (STEP-30)
enum class JointStage : std::uint8_t { settled, left_start, reached_kick, left_kick, reached_end };

struct StepConstraint {
  explicit StepConstraint(PlacedConstraint the_law) : law(std::move(the_law)) {}

  PlacedConstraint law;                  // where it was asked last
  const JointDrive* drive = nullptr;     // the same, if it is one
  int index = -1;                        // in the world
  std::vector<int> bodies;
  int first = 0;                         // of its impulses in StepMemory
  int island = -1;                       // -1: none of its bodies moves, or it is not active
  bool is_active = true;                 // in this step
  LawKind kind = LawKind::equality;
  LambdaBounds bounds = LambdaBounds::bilateral();

  VectorXd pull;                         // force of its rows in the last step
  VectorXd C;                            // at the start
  VectorXd rate_before;                  // J v at the start
  MatrixXd J;                            // at the kick, 6 columns for each body
  VectorXd target;                       // w_t at the kick
  VectorXd bias;                         // of u⁺
  VectorXd turning;                      // κ of limits, part of the bias
  VectorXd way_back;                     // of limits that rebound, from the stop to the end of the step
  std::optional<ForceLaw> force;         // of a box row, at the kick
  DriveInput input;                      // of this step, for a drive
  double kick_rate = 0.0;                // its J v there, before the kick
  double compliance = 0.0;               // R of a box row
  double share = 1.0;                    // of its u that counts in the certificate
  std::vector<int> row_of;               // in the island's problem, -1: constrains nothing

  VectorXd impulse;                      // λ of the kick
  VectorXd kick_wrench;                  // what it is to its bodies, of islands with trees
  std::array<PoseImpulse, 5> drift_impulses;  // by stage
  VectorXd taut;                         // angular impulses of what turns with its bodies, 3 for each       (STEP-22)
  VectorXd u_after;                      // u⁺ of the solution, bias included
  VectorXd inverse_mass;                 // J M⁻¹Jᵀ of the rows
  Vector3d arm = Vector3d::Zero();       // from the centre of B, or of its only body, to the joint's point

  PoseImpulse& at(JointStage stage) { return drift_impulses[static_cast<std::size_t>(stage)]; }
  /// Of its rows, kick and drifts together.
  void calcTotalImpulse(VectorXd& total) const;
  /// The same without what put velocities right at the start, which no force will go on doing.
  double calcSteadyImpulse(Eigen::Index row) const;

  /// λ W > u⁺: a row that is closed, not merely touched by the rounding of a solver.
  bool carries(Eigen::Index row) const { return impulse[row] * inverse_mass[row] > u_after[row]; }
};

/// The constraints of a world, ready for steps. Throws std::invalid_argument for laws that worlds do not step: cones.
std::vector<StepConstraint> makeStepConstraints(const WorldModel& world);

/// At the start of the step; not `is_in`: none of its bodies takes part.
void beginConstraint(double time, const std::vector<StepBody>& bodies, bool is_in, StepConstraint& constraint);
/// Its rates there, once velocities are right.
void readRate(double time, const std::vector<StepBody>& bodies, StepConstraint& constraint);
/// Forces of its rows in the last step.
void readPull(const StepMemory& memory, StepConstraint& constraint);

/// At the kick, θ h after the start.                                                            (STEP-19)
void turnConstraint(double time, double h, double theta, const std::vector<StepBody>& bodies,
                    StepConstraint& constraint);

}  // namespace cornet
