#pragma once

#include <concepts>
#include <memory>

#include "cornet/sim/island_crew.h"
#include "cornet/sim/sleep.h"
#include "cornet/sim/step_report.h"
#include "cornet/sim/step_try.h"
#include "cornet/world/controller.h"
#include "cornet/world/outcomes.h"

/// Steps a world: drift, kick, drift.
///
/// Bodies move freely to the middle of the step (or to the first impact of their island), contacts act there all
/// at once by one exact solve, and bodies move on. Sliding, rolling, flight and bouncing on flat ground come
/// out exact to rounding at any step; curved ground is second order. docs/math/stepping.md derives the step; its
/// table leads from each formula to its function. Islands that the certificate of the step does not accept are taken again in parts.
namespace cornet {

class Simulator {
 public:
  /// The world must outlive the simulator. Throws std::invalid_argument when an option is out of range
  /// or a constraint of the world has a law that is not stepped.
  explicit Simulator(const WorldModel& world, const SimulatorOptions& options = {});
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  /// Advances `state` by dt [s]; `memory` carries impulses from step to step: where solves begin, and
  /// which contacts carried; after setting velocities by hand begin with an empty one. Throws std::invalid_argument
  /// unless dt > 0 and the state fits the world, std::runtime_error when a body leaves the finite range:
  /// state and memory are then those before the step.
  StepReport step(double dt, State& state, StepMemory& memory);
  /// The same with forces on bodies, targets and efforts of joints, controls of actuators and ways of guided surroundings, that are held over this step. Throws
  /// std::invalid_argument, too, when an input names something that is not there or is not finite, or rates of users' states
  /// are not as many as these.
  StepReport step(double dt, const StepInputs& inputs, State& state, StepMemory& memory);
  /// The same with the inputs that the controller gives for the start of the step; to the bit that of a step with these inputs.
  /// Throws std::invalid_argument when there is no controller, and what the controller throws. Empty braces are inputs, not a controller.
  template <class Law>
    requires std::convertible_to<const Law&, const Controller&>
  StepReport step(double dt, const Law& controller, State& state, StepMemory& memory) {
    return stepControlled(dt, controller, {}, state, memory);
  }

  /// The same as one of several tries from this state, or as a share of a step: for those who choose its size by its error.
  StepReport step(double dt, const StepInputs& inputs, const StepTry& a_try, State& state, StepMemory& memory);
  template <class Law>
    requires std::convertible_to<const Law&, const Controller&>
  StepReport step(double dt, const Law& controller, const StepTry& a_try, State& state, StepMemory& memory) {
    return stepControlled(dt, controller, a_try, state, memory);
  }

  /// Calls `observer` in each step, island by island in order, with copies of the contact problems that missed
  /// their tolerance, or of all. Costs nothing where there is nothing to keep.
  void setKickObserver(KickObserver observer, KeptKicks kept = KeptKicks::missed);

  /// What contacts, constraints, joints and trees of the world did in the last step.
  const std::vector<ContactOutcome>& contacts() const;
  const std::vector<ConstraintOutcome>& constraints() const;
  const std::vector<JointOutcome>& joints() const;
  const std::vector<TreeOutcome>& trees() const;
  /// What hit in the last step, islands with trees apart, which are cut where something hits.
  const std::vector<ImpactTime>& impacts() const;
  /// Where it left all moving bodies, links of trees among them.
  const BodyStates& bodies() const;
  /// Where bodies were between the parts of the last step: of those that were taken in parts, part after part.
  const std::vector<Waypoint>& waypoints() const;
  const WorldModel& world() const;
  const SimulatorOptions& options() const;

 private:
  StepReport stepControlled(double dt, const Controller& controller, const StepTry& a_try, State& state, StepMemory& memory);

  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace cornet
