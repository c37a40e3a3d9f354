#pragma once

#include <array>

#include "cornet/math/union_find.h"
#include "cornet/sim/joint_drift.h"
#include "cornet/sim/kick_solver.h"
#include "cornet/sim/places.h"
#include "cornet/sim/rest_keeper.h"
#include "cornet/sim/taut_joints.h"

/// Parts 4 to 6 of a step, for one island: rows and kick, places, the drift to the end.
///
///   κ = (J v - u⁻)(1-θ)/θ: how the rows turn over the rest of the step; none for impacts or θ < 0.1, no
///   tangential one where friction cannot end the slip                                          (STEP-7)
///
/// Rebounds and κ ask for velocities that bodies may have no impulses for: friction that holds one contact shut holds the
/// other one, and both grow without bound; or joints leave no such motion. Such a kick is solved with the κ that a motion could make,
/// and, where that and parts of a step do not avoid it, without any and without rebounds: only gaps are then in the bias.  (STEP-35)
///
/// Where impacts rebound and the exact change of mechanical energy dE = T(v⁺) - T(v) - h f·w - W_s is positive, all
/// their b are scaled by the largest s in [0, 1] with dE ≤ 0. W_s is the work of surroundings, belts and drives.   (STEP-13)
namespace cornet {

/// Buffers are kept between islands. Not for use by two threads at once.
class IslandStep {
 public:
  explicit IslandStep(const SimulatorOptions& options);

  /// Takes the bodies of an island from the kick pose to the end of the step.
  IslandReport run(const WorldModel& world, StepView step, const Island& island,
                   const StepMemory& memory);

 private:
  void turnRows(StepView& step, const Island& island) const;
  void takeWarmStart(StepView& step, const Island& island, const StepMemory& memory);
  void beginParts(StepView& step, const Island& island, IslandReport& report);
  void solve(StepView& step, const Island& island, double scale, IslandReport& report);
  bool loosen(StepView& step, const Island& island, double& scale, IslandReport& report);
  bool fitTurning(StepView& step, const Island& island);
  bool forgetTurning(StepView& step, const Island& island);
  void kick(StepView& step, const Island& island, double scale, IslandReport& report);
  void takeImpulses(StepView& step, const Island& island) const;
  void takeTautImpulses(StepView& step, const Island& island) const;
  void keepRecord(const StepView& step, IslandReport& report) const;
  bool isAtRest(const StepView& step, const Island& island) const;
  void keepAtRest(StepView& step, const Island& island);
  double calcEnergyGain(const StepView& step, const Island& island, double kinetic) const;
  double calcWorkOfConstraint(const StepView& step, const StepConstraint& constraint) const;
  double calcWorkOfSurroundings(const StepView& step, const Island& island) const;
  void capEnergy(StepView& step, const Island& island, IslandReport& report);
  double calcWorkOfContact(const StepView& step, const StepContact& contact) const;
  void calcLosses(const StepView& step, const Island& island);
  void place(StepView& step, const Island& island, IslandReport& report);

  SimulatorOptions options_;
  IslandProblem problem_;
  TautJoints taut_joints_;
  Places places_;
  JointDrift joint_drift_;
  KickSolver solver_;
  bool in_parts_ = false;
  bool is_fitted_ = false;  // κ is what a motion could make
  HeldRowList turning_rows_;
  HeldRows turning_factors_;
  VectorXd turn_;
  KickParts parts_;
  // By the first body of the island, so that each finds its factors again.
  std::array<RestKeeper, 64> rest_keepers_;
  std::vector<bool> held_;
  VectorXd next_, v_next_, start_, best_lambda_;
  std::vector<double> losses_;  // of bodies, by block [J]
  UnionFind groups_{0};         // of bodies that impulses connect
  VectorXd v_after_;  // with which bodies leave the kick
  Solution solution_, before_rest_;
};

}  // namespace cornet
