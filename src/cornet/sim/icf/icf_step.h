#pragma once

#include "cornet/audit/step_certifier.h"
#include "cornet/sim/icf/icf_builder.h"
#include "cornet/sim/icf/icf_crew.h"
#include "cornet/sim/icf/icf_linearizer.h"
#include "cornet/sim/placement.h"
#include "cornet/sim/reach.h"
#include "cornet/sim/step_report.h"
#include "cornet/solvers/icf/icf_solver.h"
#include "cornet/world/controller.h"
#include "cornet/world/outcomes.h"

/// A step of a world in compliant contact: a kick by the convex problem at the start pose, then a drift without forces.
///
///   M(q0) (v - v0) = h f + Jᵀγ,   γ the impulses of the solve                                       (ICF-29)
///   q = q0 ⊕ h v, a free body turning with its momentum I(q0) ω, which its velocity at the end follows;
///   trees drift with Coriolis' forces (TREE-1)                                                      (ICF-30)
///
/// v is computed once more from the impulses that are reported, so that momentum is theirs to rounding; the velocities that the
/// laws of contacts and joints hold at differ from it by the error of the solution, which the report tells. A step is solved
/// when the judge of the law says so (ICF-19) and the certificate of the whole step finds motion, momentum and energy
/// explained; overlap and open joints are how far the model is from rigid bodies, and are told beside it.
///
/// A step depends on state, inputs and dt alone: nothing is taken from the memory of the last one. Taken again from the same state with
/// another dt it gives the bits of a fresh simulator.
namespace cornet {

class IcfStep {
 public:
  /// The world must outlive it.
  IcfStep(const WorldModel& world, const SimulatorOptions& options);

  /// As Simulator::step. `controller` gave the inputs, or is empty.
  StepReport run(double dt, const StepInputs& inputs, const Controller& controller, State& state, StepMemory& memory);

  std::vector<ContactOutcome> contacts;
  std::vector<ConstraintOutcome> constraints;
  std::vector<JointOutcome> joints;
  std::vector<TreeOutcome> trees;
  BodyStates before, after;

 private:
  void begin(double dt, const StepInputs& inputs, const Controller& controller, const State& state);
  void calcForces(double dt, const StepInputs& inputs, const Controller& controller, const State& state);
  void detect(double dt);
  void lookAhead(double dt);
  void solve(double dt, const State& state, StepReport& report);
  void addUp(StepReport& report) const;
  void takeImpulses(bool is_solved);
  bool meetsLaw() const;
  void advance(double dt, const State& state);
  void makeContacts();
  void makeConstraints();
  void makeTrees(double dt);
  void takeDampingOff();
  void judge(double dt, StepReport& report);
  void measureDistance(StepReport& report) const;
  void finish(const StepInputs& inputs, double dt, State& state, StepMemory& memory) const;

  const WorldModel& world_;
  SimulatorOptions options_;
  Detector detector_;
  Placer placer_;
  Reach reach_;
  StepCertifier certifier_;
  JointReader joint_reader_;
  IcfCrew crew_;
  IcfExternalSystemsLinearizer linearizer_;
  IcfEffortLinearizer effort_linearizer_;
  IcfBuilder builder_;
  IcfModel model_;
  IcfData data_;
  IcfSolver solver_;
  AllItems all_;

  std::vector<StepBody> bodies_;
  std::vector<StepTree> trees_;
  std::vector<StepConstraint> rows_;
  std::vector<std::unique_ptr<TreeCache>> caches_;
  std::vector<BodyForce> forces_, next_forces_;
  VectorXd damping_;       // K of users' forces, by velocity; empty: none
  std::vector<IcfEffort> efforts_;  // of a controller, by constraint; empty: held
  VectorXd v_;             // of the kick, from the impulses that are reported
  VectorXd error_;         // how far the velocity that the laws hold at is from it
  Placement placement_, next_placement_;
  ContactSet found_, next_found_;
  StepInputs asked_;       // of the controller, elsewhere
};

}  // namespace cornet
