#pragma once

#include <functional>

#include "cornet/sim/by_shape.h"
#include "cornet/sim/impacts.h"
#include "cornet/sim/island_crew.h"
#include "cornet/sim/joint_drift.h"
#include "cornet/sim/late_contacts.h"
#include "cornet/sim/placement.h"
#include "cornet/sim/reach.h"
#include "cornet/sim/retake.h"
#include "cornet/sim/sleep.h"
#include "cornet/sim/step_report.h"
#include "cornet/sim/step_try.h"
#include "cornet/world/step_inputs.h"

/// One step of all bodies, or of some of them: contacts, islands, and where they go. Everything it uses is kept from step to
/// step.
namespace cornet {

/// Bodies of a world that are stepped apart from all others: they touch each other and surroundings alone.
struct StepScope {
  std::vector<char> has;  // of each moving body
  std::vector<BodyForce> held;  // on moving bodies, beyond their own
  std::vector<InertialState> guided;  // surroundings that inputs guide, as they move in all of the step
  bool is_cut = true;           // where something hits
  double share = 1.0;           // of a step that is itself one of several
};

class StepWork {
 public:
  /// The world must outlive it.
  StepWork(const WorldModel& world, const SimulatorOptions& options);

  /// Moves bodies from `state` to the end of a step of dt: `bodies` then are there. Without a scope all of them.
  void run(double dt, const StepInputs& inputs, const StepTry& a_try, const State& state, const StepMemory& memory);
  /// The same of some bodies, a part of a step of their own; it ends where something hits, or has nothing that hits but all through.
  void run(double dt, double part, const StepInputs& inputs, const State& state, const StepMemory& memory, const StepScope& scope);
  /// When, in a step of dt, something hits first; dt if nothing does.
  double findFirstImpact(double dt, const StepInputs& inputs, const State& state, const StepMemory& memory, const StepScope& scope);
  /// Contacts where the step ends, as the next one of this length will look for them.
  void lookAhead(double dt);
  bool isFinite() const;
  /// Throws std::runtime_error when a body has left the finite range.
  void requireFinite() const;
  /// Islands of free bodies that left it stay where they were, with the velocities they had: nothing was solved, which is their status.
  void giveUpLostIslands();

  /// Effort and certificates of one island, added to the report.
  void addUp(const Island& island, StepReport& report) const;
  /// Contacts of islands that stand, as `stands` says by number, added to the report.
  void countContacts(const std::function<bool(int)>& stands, StepReport& report) const;
  /// Impulses of constraints for a step of the same length; none where something hit, for that is over.
  void rememberConstraints(std::vector<double>& impulses) const;
  /// Those kicks that were kept, of islands that `isShown`.
  void showKicks(const KickObserver& observer, const std::function<bool(std::size_t)>& isShown) const;
  StepView view() { return {before.time, h_, bodies, contacts, constraints, kept_kicks, &detector_, &found, trees,
            part_, share_}; }

  SleepWatch sleep_watch;
  KeptKicks kept_kicks = KeptKicks::none;
  std::vector<BodyForce> forces;
  std::vector<StepBody> bodies;
  std::vector<StepContact> contacts;
  std::vector<StepConstraint> constraints;
  std::vector<StepTree> trees;
  StepIslands islands;
  BodyStates before, after;  // after: once it has looked ahead
  ContactSet found;       // at the start of the step
  ContactSet next_found;  // at its end, for a step of the same length from there
  std::vector<ShapePair> pairs;
  StepTimes times;        // detection and drift

 private:
  Search search(double dt) { return {world_, detector_, options_, dt, found, bodies, contacts, remembered_, scope_ != nullptr && scope_->is_cut}; }
  void look(double dt, const StepInputs& inputs, const State& state, const StepMemory& memory);
  bool isIn(const StepConstraint& constraint) const;
  void begin(double dt, const StepInputs& inputs, const State& state, const StepMemory& memory);
  void beginTree(const State& state, int k);
  void detect(double dt);
  void find(ContactSet& contacts);
  void driftToKick(double dt);
  void meetAgain(double dt, double kick_time, StepContact& contact) const;
  void moveIslands(double dt, const StepMemory& memory);

  const WorldModel& world_;
  SimulatorOptions options_;
  Detector detector_;
  Placer placer_;
  IslandCrew crew_;
  std::vector<std::unique_ptr<TreeCache>> caches_;  // of trees where the step begins
  const StepScope* scope_ = nullptr;  // null: all
  double part_ = 1.0;                 // of a step that is taken,
  double share_ = 1.0;                //   and what would be all of it
  SharedStart* start_ = nullptr;      // of tries; null: this is the only one
  double h_ = 0.0;
  std::vector<BodyForce> next_forces_;
  Placement placement_, next_placement_;
  Reach reach_;
  ImpactFinder impact_finder_;
  LateContacts late_contacts_;
  JointDrift start_drift_;            // of all bodies together
  ByShape<JointDrift> joint_drifts_;  // of islands
  std::span<const ContactMemory> remembered_;  // in the last step
};

}  // namespace cornet
