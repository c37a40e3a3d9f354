#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cornet/math/union_find.h"
#include "cornet/problem/solution.h"
#include "cornet/sim/kick_record.h"
#include "cornet/sim/step_constraint.h"
#include "cornet/sim/step_report.h"
#include "cornet/sim/trees/step_tree.h"

/// Bodies that push each other, solved together and apart from all others.
namespace cornet {

/// What an island contributes to the report.
struct IslandReport {
  SolveStatus status = SolveStatus::solved;
  double relative = 0.0;
  double velocity_error = 0.0;
  double impulse_error = 0.0;
  int iterations = 0;
  int factorizations = 0;
  StepCorrections corrections;
  double work_in = 0.0;  // of surroundings
  std::unique_ptr<KickRecord> record = nullptr;  // of the last kick, where the step keeps it
  double assemble_seconds = 0.0, solve_seconds = 0.0, displace_seconds = 0.0;

  /// Adds what an earlier round of the same step cost.
  void addEffort(const IslandReport& earlier);
};

/// Bodies with the contacts between them.
struct Island {
  std::vector<int> bodies;    // moving ones, ascending
  std::vector<int> contacts;  // of the step
  std::vector<int> constraints;  // of the step
  bool has_trees = false;     // links of mechanisms among its bodies
  double theta = 0.5;         // kick time / h: of the first impact, else the middle         (STEP-6)
  bool has_impact = false;
  bool asleep = false;        // stays as it is                                              (STEP-15)
  bool is_retaken = false;    // for the energy it gained                                    (STEP-24)
  double retake_change = 0.0; // the largest velocity of a contact that was taken for none [m/s]
  bool is_done = false;       // its bodies have reached the end of the step
  std::uint64_t shape = 0;    // the same for islands with the same rows between as many bodies; 0: of all large ones
  IslandReport report;        // until it is done: what earlier rounds cost
};

/// Bodies and contacts of a step, as an island sees them.
struct StepView {
  double time = 0.0;  // at the start
  double h = 0.0;
  std::vector<StepBody>& bodies;
  std::vector<StepContact>& contacts;
  std::vector<StepConstraint>& constraints;
  KeptKicks kept = KeptKicks::none;
  const Detector* detector = nullptr;  // with what it found: for gaps at other poses
  const ContactSet* found = nullptr;
  std::span<StepTree> trees = {};      // of the world
  double part = 1.0;  // of a step in parts: 1 over their number,
  double share = 1.0; //   where this is the whole of it: of several that are taken as one
};

/// In how many steps in a row nothing made the island right: contradictions stay what they are, and less is spent on them.
std::uint64_t countRefusals(const Island& island, const StepMemory& memory);
/// Whether all is tried all the same, as in the first two of them and every so often.
bool isTriedAgain(std::uint64_t refusals);

/// How far a point of a body of the island moves at most when bodies move and turn by this, body by body.
double calcLargestMove(const StepView& step, const Island& island, const VectorXd& moves);

/// The islands of a step. Memory is kept between steps.
class StepIslands {
 public:
  /// Bodies that share a contact or a constraint share an island; surroundings join nothing. `fresh`: all islands are new; otherwise
  /// those of the last split which got no new contact stay done.                              (STEP-6)
  void split(bool fresh, const StepView& step);

  std::span<Island> all() { return {islands_.data(), static_cast<std::size_t>(count_)}; }
  std::span<const Island> all() const { return {islands_.data(), static_cast<std::size_t>(count_)}; }

 private:
  Island& islandOf(int body, std::vector<StepBody>& bodies);

  UnionFind sets_{0};
  std::vector<Island> islands_, former_;
  std::vector<int> former_island_;  // of each body
  int count_ = 0;
};

}  // namespace cornet
