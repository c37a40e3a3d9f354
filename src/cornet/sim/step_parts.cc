#include "cornet/sim/step_parts.h"

#include <algorithm>

#include "cornet/sim/make_outcomes.h"
#include "cornet/sim/take_inputs.h"

namespace cornet {
namespace {

constexpr int kMostUnsolved = 3;  // kicks,
constexpr std::size_t kMostUnsolvedRows = 100;  //   contacts and constraints of all but the first
constexpr int kMostCuts = 12;     // of a step, shared by its parts, of which each may have one
constexpr double kInstant = 1e-4; // of a part: how long an impact takes, before its time and after it

// Parts are never left alone, and never taken in parts.
SimulatorOptions withoutSleep(SimulatorOptions options) {
  options.sleep_time = 0.0;
  return options;
}

}  // namespace

StepParts::StepParts(const WorldModel& world, const SimulatorOptions& options)
    : world_(world), work_(world, withoutSleep(options)), certifier_(world), joint_reader_(world) {}

void StepParts::begin(const StepScope& scope, PartsOutcome& outcome) const {
  outcome.bodies.clear();
  for (std::size_t i = 0; i < scope.has.size(); ++i) {
    if (scope.has[i]) outcome.bodies.push_back(static_cast<int>(i));
  }
  outcome.waypoints.clear();
  outcome.contacts.clear();
  outcome.moments.clear();
  outcome.constraints.clear();
  outcome.joints.clear();
  outcome.memory.clear();
  outcome.constraint_impulses.clear();
  outcome.trees.clear();
  outcome.report = {};
}

// A part is judged like a step; overlap at the end of all.
void StepParts::judge(const StepScope& scope, double h, PartsOutcome& outcome) {
  certifier_.judge({work_.before, at_, h, work_.forces, contact_outcomes_, contact_moments_, constraint_outcomes_,
                    no_contacts_, no_contacts_, scope.has, tree_outcomes_},
                   certificate_);
  outcome.report.certificate.addPart(certificate_);
}

// Contacts are told part by part, each with its own normal and cone; of those that did nothing the ones at the end.
void StepParts::addContacts(bool is_last, PartsOutcome& outcome) {
  makeContactOutcomes(work_.contacts, contact_outcomes_, contact_moments_);
  outcome.moments.insert(outcome.moments.end(), contact_moments_.begin(), contact_moments_.end());
  for (const ContactOutcome& part : contact_outcomes_) {
    if (is_last || !part.impulse.isZero(0.0)) outcome.contacts.push_back(part);
  }
}

void StepParts::addConstraints(PartsOutcome& outcome) {
  makeConstraintOutcomes(work_.constraints, constraint_outcomes_);
  const bool is_first = outcome.constraints.empty();
  std::size_t place = 0;
  for (std::size_t k = 0; k < constraint_outcomes_.size(); ++k) {
    const ConstraintOutcome& part = constraint_outcomes_[k];
    const StepConstraint& constraint = work_.constraints[k];
    if (std::ranges::none_of(constraint.bodies, [&](int body) { return work_.bodies[body].moves(); })) continue;
    if (is_first) {
      outcome.constraints.emplace_back(static_cast<int>(k), part);
      continue;
    }
    ConstraintOutcome& whole = outcome.constraints[place++].second;
    whole.is_active |= part.is_active;
    whole.impulse += part.impulse;
    for (std::size_t i = 0; i < part.bodies.size(); ++i) {
      whole.bodies[i].linear += part.bodies[i].linear;
      whole.bodies[i].angular += part.bodies[i].angular;
    }
    if (part.is_active) whole.arm = part.arm;
  }
}

// Of trees that moved: where they are, and their own impulses so far.
void StepParts::addTrees(PartsOutcome& outcome) {
  makeTreeOutcomes(work_.trees, tree_outcomes_);
  for (int k = 0; k < world_.treeCount(); ++k) {
    const WorldTree& place = world_.tree(k);
    if (!work_.bodies[place.first].moves()) continue;
    const TreeOutcome& part = tree_outcomes_[static_cast<std::size_t>(k)];
    state_.q.segment(place.q_begin, part.q.size()) = part.q;
    state_.v.segment(place.v_begin, part.v_after.size()) = part.v_after;
    state_.activation.segment(place.activation_begin, part.activation.size()) = part.activation;
    const auto known = std::ranges::find(outcome.trees, k, &std::pair<int, TreeOutcome>::first);
    if (known == outcome.trees.end()) {
      outcome.trees.emplace_back(k, part);
      continue;
    }
    known->second.q = part.q;
    known->second.v_after = part.v_after;
    known->second.impulse += part.impulse;
    known->second.work += part.work;
    known->second.activation = part.activation;
    known->second.actuator_impulse += part.actuator_impulse;
  }
}

// Forces act where joints are in their part; positions, rates and errors are those of the last one.
void StepParts::addJoints(double h, double share, PartsOutcome& outcome) {
  joint_reader_.calcOutcomes(work_.before, at_, h, constraint_outcomes_, joint_outcomes_);
  const bool is_first = outcome.joints.empty();
  std::size_t place = 0;
  for (std::size_t j = 0; j < joint_outcomes_.size(); ++j) {
    const StepConstraint& constraint = work_.constraints[static_cast<std::size_t>(world_.joints()[j].first)];
    if (std::ranges::none_of(constraint.bodies, [&](int body) { return work_.bodies[body].moves(); })) continue;
    if (is_first) outcome.joints.emplace_back(static_cast<int>(j), JointOutcome{});
    JointOutcome& whole = outcome.joints[place++].second;
    const JointOutcome& part = joint_outcomes_[j];
    whole.position = part.position;
    whole.rate = part.rate;
    whole.error = part.error;
    whole.force += share * part.force;
    whole.torque += share * part.torque;
    whole.effort += share * part.effort;
    whole.power += share * part.power;
  }
}

void StepParts::countContacts(bool is_first, PartsOutcome& outcome) const {
  StepReport counts;
  work_.countContacts([](int) { return true; }, counts);
  StepReport& report = outcome.report;
  report.contacts = counts.contacts;
  report.closed = counts.closed;
  report.sticking = counts.sticking;
  report.impacts += counts.impacts;
  if (is_first) report.penetration = counts.penetration;
}

// Impulses of an impact are over with it: what acted before goes on, and what hit is known to be closed.
void StepParts::remember(double h, bool is_impact) {
  before_ = memory_;
  if (!is_impact) memory_.dt = h;
  memory_.contacts.clear();
  for (const StepContact& contact : work_.contacts) {
    Vector3d impulse = contact.next_impulse;
    if (is_impact) {
      const auto known = std::ranges::lower_bound(before_.contacts, contact.key, {}, &ContactMemory::key);
      const bool is_known = known != before_.contacts.end() && known->key == contact.key && !known->impulse.isZero(0.0);
      impulse = is_known ? known->impulse : Vector3d(1e-12 * contact.next_impulse);
    }
    memory_.contacts.push_back({contact.key, impulse, contact.given});
  }
  std::ranges::sort(memory_.contacts, {}, &ContactMemory::key);
  if (!is_impact) work_.rememberConstraints(memory_.constraint_impulses);
}

// How far to go at once: to just before an impact, or, from there, over it.
double StepParts::choosePiece(double rest, double instant, const StepInputs& inputs, const StepScope& scope) {
  const double hit = work_.findFirstImpact(rest, inputs, state_, memory_, scope);
  if (hit >= rest) return rest;
  const double way = hit > 2.0 * instant ? hit - instant : hit + instant;
  return rest - way > instant ? way : rest;
}

// From `from` after the start of the step on; whether it can go on.
bool StepParts::takePiece(const StepScope& scope, double from, double h, const StepInputs& inputs, PartsOutcome& outcome) {
  const bool is_first = from == 0.0, is_last = from + h >= dt_;
  work_.run(h, h / dt_, inputs, state_, memory_, scope);
  if (!work_.isFinite()) return false;
  for (const Island& island : work_.islands.all()) {
    work_.addUp(island, outcome.report);
    if (island.report.status != SolveStatus::solved) unsolved_ += island.contacts.size() + island.constraints.size();
  }
  const int unsolved = outcome.report.unsolved_islands;
  if (unsolved > kMostUnsolved || (unsolved > 1 && unsolved_ > kMostUnsolvedRows)) return false;
  at_.bodies = work_.before.bodies;
  moveGuided(work_.before, h, at_);
  for (std::size_t i = 0; i < at_.guided.size(); ++i) state_.setGuided(static_cast<int>(i), at_.guided[i]);
  for (const int i : outcome.bodies) {
    at_.bodies[static_cast<std::size_t>(i)] = work_.bodies[i].now;
    if (i < world_.freeCount()) state_.setBody(i, work_.bodies[i].now);
    if (!is_last) outcome.waypoints.push_back({i, from + h, work_.bodies[i].now});
  }
  addTrees(outcome);
  state_.time = at_.time = start_ + from + h;
  addContacts(is_last, outcome);
  addConstraints(outcome);
  addJoints(h, h / dt_, outcome);
  countContacts(is_first, outcome);
  judge(scope, h, outcome);
  return true;
}

bool StepParts::run(const StepScope& scope, int parts, double dt, const StepInputs& inputs, const State& state,
                    const StepMemory& memory, PartsOutcome& outcome) {
  begin(scope, outcome);
  outcome.parts = 0;
  unsolved_ = 0;
  dt_ = dt;
  start_ = state.time;
  state_ = state;
  memory_ = memory;
  certifier_.beginSum();
  const double instant = kInstant * dt / parts;
  const int most_cuts = scope.is_cut ? std::max(1, kMostCuts / parts) : 0;
  for (int part = 0; part < parts; ++part) {
    const double end = part + 1 == parts ? dt : (part + 1) * (dt / parts);
    double t = part * (dt / parts);
    for (int cut = 0; t < end; ++cut) {
      const double piece = cut < most_cuts ? choosePiece(end - t, instant, inputs, scope) : end - t;
      const bool reaches_end = piece >= end - t;
      if (!takePiece(scope, t, reaches_end && part + 1 == parts ? dt - t : piece, inputs, outcome)) return false;
      const bool is_impact = piece <= 3.0 * instant;
      remember(piece, is_impact);
      ++outcome.parts;
      t = reaches_end ? end : t + piece;
    }
  }
  certifier_.judgeSum(outcome.report.certificate);
  outcome.report.unsolved_islands = std::min(outcome.report.unsolved_islands, 1);
  outcome.end.clear();
  for (const int i : outcome.bodies) outcome.end.push_back(at_.bodies[static_cast<std::size_t>(i)]);
  for (ContactMemory& contact : memory_.contacts) {
    contact.impulse *= dt / memory_.dt;
    outcome.memory.push_back(contact);
  }
  for (const auto& [index, constraint] : outcome.constraints) {
    const int first = work_.constraints[static_cast<std::size_t>(index)].first;
    const auto rows = static_cast<Eigen::Index>(constraint.impulse.size());
    outcome.constraint_impulses.emplace_back(
        first, dt / memory_.dt * Eigen::Map<const VectorXd>(memory_.constraint_impulses.data() + first, rows));
  }
  return true;
}

}  // namespace cornet
