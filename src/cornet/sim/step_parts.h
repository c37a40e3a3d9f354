#pragma once

#include "cornet/audit/step_certifier.h"
#include "cornet/sim/step_work.h"
#include "cornet/world/outcomes.h"

/// A step of some bodies in equal parts, each cut where something hits, every piece a step of its own, and what they add up to. Errors of a
/// step fall with the square of the number of its parts: what is beyond a bound of the certificate is taken again like this.  (STEP-31)
namespace cornet {

struct PartsOutcome {
  int parts = 0;                                 // pieces that it was taken in
  std::vector<int> bodies;                       // that moved, ascending
  std::vector<InertialState> end;                // of these bodies
  std::vector<Waypoint> waypoints;               // of these bodies where parts meet, part after part
  std::vector<ContactOutcome> contacts;          // of all parts
  std::vector<ContactMoment> moments;
  std::vector<std::pair<int, ConstraintOutcome>> constraints;  // number in the world
  std::vector<std::pair<int, JointOutcome>> joints;            // the same; forces are means over the parts
  std::vector<ContactMemory> memory;             // impulses as for a whole step
  std::vector<std::pair<int, VectorXd>> constraint_impulses;   // the same; first row of the constraint in the memory
  std::vector<std::pair<int, TreeOutcome>> trees;              // number in the world; velocities before are those of the first part
  StepReport report;                             // effort and solves; contacts of the last part, impacts of all, penetration
                                                 //   of the first; the certificate of all but overlap
};

class StepParts {
 public:
  StepParts(const WorldModel& world, const SimulatorOptions& options);

  /// Takes a step of dt from `state` in so many parts, for the bodies of the scope. False when one of them leaves the finite
  /// range, or more than a few kicks miss their tolerance: such a step is not accepted, and costs more than all others.
  bool run(const StepScope& scope, int parts, double dt, const StepInputs& inputs, const State& state,
           const StepMemory& memory, PartsOutcome& outcome);

 private:
  void begin(const StepScope& scope, PartsOutcome& outcome) const;
  void judge(const StepScope& scope, double h, PartsOutcome& outcome);
  void addContacts(bool is_last, PartsOutcome& outcome);
  void addConstraints(PartsOutcome& outcome);
  void addTrees(PartsOutcome& outcome);
  void addJoints(double h, double share, PartsOutcome& outcome);
  void countContacts(bool is_first, PartsOutcome& outcome) const;
  void remember(double h, bool is_impact);
  double choosePiece(double rest, double instant, const StepInputs& inputs, const StepScope& scope);
  bool takePiece(const StepScope& scope, double from, double h, const StepInputs& inputs, PartsOutcome& outcome);

  const WorldModel& world_;
  double dt_ = 0.0, start_ = 0.0;
  std::size_t unsolved_ = 0;  // contacts and constraints of kicks that missed their tolerance
  StepWork work_;
  StepCertifier certifier_;
  JointReader joint_reader_;
  StepCertificate certificate_;
  ContactSet no_contacts_;
  State state_;
  BodyStates at_;  // the same, of all bodies
  StepMemory memory_, before_;
  std::vector<ContactOutcome> contact_outcomes_;
  std::vector<ContactMoment> contact_moments_;
  std::vector<ConstraintOutcome> constraint_outcomes_;
  std::vector<TreeOutcome> tree_outcomes_;
  std::vector<JointOutcome> joint_outcomes_;
};

}  // namespace cornet
