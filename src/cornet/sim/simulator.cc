#include "cornet/sim/simulator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/audit/step_certifier.h"
#include "cornet/base/stopwatch.h"
#include "cornet/sim/icf/icf_step.h"
#include "cornet/sim/make_outcomes.h"
#include "cornet/sim/step_parts.h"

namespace cornet {

#ifdef CORNET_PLANTED_FAULT
/// A test build spoils steps here, before they are judged.
void plantFault(std::vector<StepBody>& bodies, std::vector<StepContact>& contacts, std::vector<StepConstraint>& constraints);
#endif

namespace {

constexpr int kPartsFactor = 4;  // what was not enough is taken in so many times as many parts

}  // namespace

/// Everything a step uses, kept from step to step.
struct Simulator::Work {
  Work(const WorldModel& the_world, const SimulatorOptions& the_options)
      : world(the_world), options(the_options), whole(the_world, the_options), certifier(the_world), joint_reader(the_world) {}

  void judge(double dt, StepReport& report);
  void findImpacts(double dt);
  void makeOutcomes();
  void dropOutcomes(const PartsOutcome& parts);
  void addOutcomes(const PartsOutcome& parts);
  bool stands(int island) const { return outcome_of.empty() || outcome_of[static_cast<std::size_t>(island)] < 0; }
  void sumUp(StepReport& report) const;
  bool findGroups(const StepReport& report, const StepMemory& memory);
  /// Parts to take an island in next: what hits in it is cut at its impacts first.
  int nextParts(std::size_t island) const {
    const bool may_cut = !is_cut[island] && whole.islands.all()[island].has_impact;
    return may_cut ? parts_of[island] : kPartsFactor * parts_of[island];
  }
  int calcMostParts(const Island& island, const StepMemory& memory) const;
  void rememberRefused(const StepReport& report, StepMemory& memory) const;
  void makeScope(int group, double dt);
  void placeParts();
  double calcExcess(const StepReport& report) const;
  void improve(double dt, const StepInputs& inputs, const State& state, const StepMemory& memory, StepReport& report);
  bool refine(double dt, const StepInputs& inputs, const State& state, const StepMemory& memory, StepReport& report);
  void takeParts(const PartsOutcome& parts);
  template <class Which>
  void returnTrees(Which isMeant);
  void showKicks() const;
  void finish(double dt, State& state, StepMemory& memory);
  void rememberParts(const PartsOutcome& parts, StepMemory& memory) const;

  const WorldModel& world;
  SimulatorOptions options;
  StepWork whole;
  StepCertifier certifier;
  JointReader joint_reader;
  KickObserver kick_observer;
  std::vector<ContactOutcome> contact_outcomes;
  std::vector<ContactMoment> contact_moments;
  std::vector<ConstraintOutcome> constraint_outcomes;
  std::vector<TreeOutcome> tree_outcomes;
  std::vector<JointOutcome> joint_outcomes;
  std::vector<Waypoint> waypoints;
  std::vector<ImpactTime> impacts;
  StepInputs controlled;  // inputs that a controller fills
  double judge_seconds = 0.0, look_seconds = 0.0;

  // Islands that are taken again in parts, alone or, where they get in each other's way, several together.
  std::unique_ptr<StepParts> stepper;
  UnionFind groups{0};             // of islands
  std::vector<char> is_wrong;      // islands that the last judgement does not accept,
  std::vector<char> is_offending;  //   and of these the ones that may be taken in more parts
  std::vector<int> parts_of;       // islands: parts they were taken in, 1 for all
  std::vector<char> is_cut;        // islands: at impacts, or in parts
  std::vector<PartsOutcome> in_parts, best_parts;
  std::vector<InertialState> at_once;  // where bodies end in a step at once,
  std::vector<TreeOutcome> trees_at_once;  // and trees
  bool promises = false;           // what was too much falls so fast that more parts than are allowed otherwise end it
  std::vector<int> outcome_of;     // islands: place in in_parts, -1: none
  std::vector<char> is_whole;      // bodies that were stepped at once; empty: all
  StepScope scope;

  std::unique_ptr<IcfStep> compliant;  // in place of all others, with integrator = icf
};

namespace {

constexpr double kJammed = 1e-6;        // of the certificate: laws that are missed by more are those of jams, which shorter steps may avoid
constexpr int kJudgingRounds = 100;     // of judging and taking islands again: each takes the worst of every measure

void requireState(const WorldModel& world, double dt, const State& state) {
  if (!(dt > 0.0 && std::isfinite(dt))) {
    throw std::invalid_argument(fmt::format("time step dt = {} s: expected a finite number > 0", dt));
  }
  if (state.free_count != world.freeCount()) {
    throw std::invalid_argument(fmt::format("the state has {} free bodies, the world {}", state.free_count, world.freeCount()));
  }
  Eigen::Index positions = 7 * world.freeCount(), velocities = 6 * world.freeCount();
  for (int k = 0; k < world.treeCount(); ++k) {
    positions += world.tree(k).q.size();
    velocities += world.tree(k).v.size();
  }
  if (state.q.size() != positions || state.v.size() != velocities) {
    throw std::invalid_argument(fmt::format("the state has {} positions and {} velocities, the world {} and {}", state.q.size(),
                                            state.v.size(), positions, velocities));
  }
  const Eigen::Index activations = world.treeCount() == 0 ? 0 : world.tree(world.treeCount() - 1).activation_begin +
                                                                    world.tree(world.treeCount() - 1).activation.size();
  if (state.activation.size() != activations) {
    throw std::invalid_argument(fmt::format("the state has {} activations, the world {}", state.activation.size(), activations));
  }
  if (state.guided.size() == 7 * world.guidedCount()) return;
  throw std::invalid_argument(fmt::format("the state has {} numbers of guided surroundings, the world {}", state.guided.size(), 7 * world.guidedCount()));
}

void requireRates(const StepInputs& inputs, const State& state) {
  const Eigen::Index count = inputs.user_rate.size();
  if (count != 0 && count != state.user.size()) {
    throw std::invalid_argument(fmt::format("inputs have {} rates of users' states, the state has {} of these", count, state.user.size()));
  }
  for (Eigen::Index k = 0; k < count; ++k) {
    if (std::isfinite(inputs.user_rate[k])) continue;
    throw std::invalid_argument(fmt::format("input for user's state {}: rate = {}: expected a finite number", k, inputs.user_rate[k]));
  }
}

}  // namespace

// What hit as it flew, and what was thrown at something by it: that closes by the end.
void Simulator::Work::findImpacts(double dt) {
  impacts.clear();
  impacts.reserve(whole.contacts.capacity() + whole.constraints.size());  // so that warm steps take no memory
  for (const StepContact& contact : whole.contacts) {
    if (contact.island < 0) continue;
    const Island& island = whole.islands.all()[contact.island];
    if (!island.has_impact || island.has_trees) continue;
    if (contact.is_impact) {
      impacts.push_back({contact.island, contact.time, -contact.normal.dot(contact.u_before)});
    } else if (contact.openGap() > 0.0 && contact.carries()) {
      impacts.push_back({contact.island, dt, contact.gap / ((1.0 - island.theta) * dt)});
    }
  }
  for (const StepConstraint& constraint : whole.constraints) {
    const bool is_limit = constraint.kind == LawKind::unilateral && constraint.is_active && constraint.island >= 0;
    if (!is_limit || whole.islands.all()[constraint.island].has_trees) continue;
    for (Eigen::Index k = 0; k < constraint.C.size(); ++k) {
      const double speed = constraint.target[k] - constraint.rate_before[k];
      if (!(constraint.C[k] > 0.0 && speed * dt > constraint.C[k] && constraint.carries(k))) continue;
      impacts.push_back({constraint.island, constraint.C[k] / speed, speed, true, constraint.C[k]});
    }
  }
}

void Simulator::Work::makeOutcomes() {
  makeContactOutcomes(whole.contacts, contact_outcomes, contact_moments);
  makeConstraintOutcomes(whole.constraints, constraint_outcomes);
  makeTreeOutcomes(whole.trees, tree_outcomes);
  waypoints.clear();
  is_whole.assign(in_parts.empty() ? 0 : static_cast<std::size_t>(world.bodyCount()), true);
  for (const PartsOutcome& parts : in_parts) {
    for (const int body : parts.bodies) is_whole[body] = false;
    waypoints.insert(waypoints.end(), parts.waypoints.begin(), parts.waypoints.end());
    dropOutcomes(parts);
  }
}

// What islands did in parts stands for what they did at once.
void Simulator::Work::dropOutcomes(const PartsOutcome& parts) {
  const auto isOf = [&](int body) { return std::ranges::binary_search(parts.bodies, body); };
  std::erase_if(contact_outcomes, [&](const ContactOutcome& contact) { return isOf(contact.a) || isOf(contact.b); });
  std::erase_if(contact_moments, [&](const ContactMoment& moment) { return isOf(moment.a) || isOf(moment.b); });
}

void Simulator::Work::addOutcomes(const PartsOutcome& parts) {
  contact_outcomes.insert(contact_outcomes.end(), parts.contacts.begin(), parts.contacts.end());
  contact_moments.insert(contact_moments.end(), parts.moments.begin(), parts.moments.end());
  for (const auto& [index, constraint] : parts.constraints) constraint_outcomes[static_cast<std::size_t>(index)] = constraint;
}

// Effort, certificates and contacts of what stands.
void Simulator::Work::sumUp(StepReport& report) const {
  const std::span<const Island> islands = whole.islands.all();
  report.islands = static_cast<int>(islands.size());
  for (std::size_t k = 0; k < islands.size(); ++k) {
    report.sleeping_islands += islands[k].asleep;
    if (stands(static_cast<int>(k))) whole.addUp(islands[k], report);
  }
  whole.countContacts([&](int island) { return stands(island); }, report);
  for (const PartsOutcome& parts : in_parts) {
    report.takeOver(parts.report);
    ++report.corrections.refined;
    report.corrections.parts = std::max(report.corrections.parts, parts.parts);
  }
}

// The step judged by those who have not made it.
void Simulator::Work::judge(double dt, StepReport& report) {
  report = {};
  sumUp(report);
#ifdef CORNET_PLANTED_FAULT
  plantFault(whole.bodies, whole.contacts, whole.constraints);
#endif
  whole.requireFinite();
  makeOutcomes();
  const Stopwatch clock;
  whole.lookAhead(dt);
  const double looked = clock.seconds();
  certifier.judge({whole.before, whole.after, dt, whole.forces, contact_outcomes, contact_moments, constraint_outcomes,
                   whole.found, whole.next_found, is_whole, tree_outcomes, false, waypoints},
                  report.certificate);
  for (const PartsOutcome& parts : in_parts) {
    report.certificate.addOthers(parts.report.certificate);
    addOutcomes(parts);
  }
  joint_reader.calcOutcomes(whole.before, whole.after, dt, constraint_outcomes, joint_outcomes);
  for (const PartsOutcome& parts : in_parts) {
    for (const auto& [index, joint] : parts.joints) joint_outcomes[static_cast<std::size_t>(index)] = joint;
    for (const auto& [index, tree] : parts.trees) tree_outcomes[static_cast<std::size_t>(index)] = tree;
  }
  const bool meets = report.certificate.meets(options.bounds);
  if (report.status == SolveStatus::solved && !meets) report.status = SolveStatus::inaccurate;
  look_seconds += looked;
  judge_seconds += clock.seconds() - looked;
}

// Where no number of parts was enough in the steps before, fewer are tried: contradictions stay what they are.
int Simulator::Work::calcMostParts(const Island& island, const StepMemory& memory) const {
  std::uint64_t refused = countRefusals(island, memory);
  int parts = promises ? kPartsFactor * options.max_parts : options.max_parts;
  if (refused > 1 && isTriedAgain(refused)) return std::min(parts, kPartsFactor);
  for (; refused > 0 && parts > 0; --refused) parts /= kPartsFactor;  // none: not even cut
  return parts;
}

void Simulator::Work::rememberRefused(const StepReport& report, StepMemory& memory) const {
  if (report.status == SolveStatus::solved || parts_of.empty()) {
    memory.refused.clear();
    return;
  }
  memory.refused.resize(static_cast<std::size_t>(world.bodyCount()), 0);
  const std::span<const Island> islands = whole.islands.all();
  for (std::size_t k = 0; k < islands.size(); ++k) {
    for (const int body : islands[k].bodies) {
      std::uint64_t& count = memory.refused[static_cast<std::size_t>(body)];
      count = is_wrong[k] ? count + 1 : 0;
    }
  }
}

// Islands of what is worst beyond its bound, and those that are not solved; whether any can be taken in more parts.
bool Simulator::Work::findGroups(const StepReport& report, const StepMemory& memory) {
  const std::span<const Island> islands = whole.islands.all();
  if (parts_of.empty()) {
    parts_of.assign(islands.size(), 1);
    is_cut.assign(islands.size(), false);
    outcome_of.assign(islands.size(), -1);
    groups.reset(static_cast<int>(islands.size()));
  }
  is_wrong.assign(islands.size(), false);
  const auto islandOf = [&](int body) { return body >= 0 && body < world.bodyCount() ? whole.bodies[body].island : -1; };
  for (const StepMeasure measure : kStepMeasures) {
    if (!report.certificate.exceeds(options.bounds, measure)) continue;
    const WorstOf& worst = report.certificate[measure];
    const int one = islandOf(worst.body), other = islandOf(worst.other);
    if (one >= 0) is_wrong[one] = true;
    if (other >= 0) is_wrong[other] = true;
    if (one >= 0 && other >= 0) groups.unite(one, other);
  }
  for (std::size_t k = 0; k < islands.size(); ++k) {
    const StepReport* parts = outcome_of[k] < 0 ? nullptr : &in_parts[static_cast<std::size_t>(outcome_of[k])].report;
    const SolveStatus status = parts ? parts->status : islands[k].report.status;
    const double relative = parts ? parts->relative : islands[k].report.relative;
    if (status != SolveStatus::solved && (parts_of[k] == 1 || relative > kJammed)) is_wrong[k] = true;
  }
  bool any = false;
  is_offending.assign(islands.size(), false);
  for (std::size_t k = 0; k < islands.size(); ++k) {
    is_offending[k] = is_wrong[k] && !islands[k].asleep && nextParts(k) <= calcMostParts(islands[k], memory);
    any |= is_offending[k];
  }
  return any;
}

// Bodies of a group of islands.
void Simulator::Work::makeScope(int group, double dt) {
  scope.has.assign(static_cast<std::size_t>(world.bodyCount()), false);
  scope.held.resize(scope.has.size());
  scope.guided = whole.before.guided;
  world.calcOwnForces(whole.before, dt, scope.held);
  for (std::size_t i = 0; i < scope.held.size(); ++i) {
    scope.held[i].force = whole.forces[i].force - scope.held[i].force;
    scope.held[i].torque = whole.forces[i].torque - scope.held[i].torque;
  }
  const std::span<const Island> islands = whole.islands.all();
  for (std::size_t k = 0; k < islands.size(); ++k) {
    if (groups.find(static_cast<int>(k)) != group) continue;
    for (const int body : islands[k].bodies) scope.has[body] = true;
  }
}

// The bodies end where the parts have taken them.
void Simulator::Work::takeParts(const PartsOutcome& parts) {
  for (std::size_t k = 0; k < parts.bodies.size(); ++k) whole.bodies[parts.bodies[k]].now = parts.end[k];
  for (const auto& [k, tree] : parts.trees) {
    whole.trees[static_cast<std::size_t>(k)].q = tree.q;
    whole.trees[static_cast<std::size_t>(k)].v = tree.v_after;
    whole.trees[static_cast<std::size_t>(k)].activation = tree.activation;
  }
}

// Trees, by their first links, end where the step at once has taken them.
template <class Which>
void Simulator::Work::returnTrees(Which isMeant) {
  for (std::size_t k = 0; k < whole.trees.size(); ++k) {
    if (!isMeant(whole.trees[k].first)) continue;
    whole.trees[k].q = trees_at_once[k].q;
    whole.trees[k].v = trees_at_once[k].v_after;
    whole.trees[k].activation = trees_at_once[k].activation;
  }
}

// Takes islands that the certificate does not accept again, in more parts; whether there were any.   (STEP-31)
bool Simulator::Work::refine(double dt, const StepInputs& inputs, const State& state, const StepMemory& memory,
                             StepReport& report) {
  if (report.status == SolveStatus::solved || !findGroups(report, memory)) return false;
  if (!stepper) stepper = std::make_unique<StepParts>(world, options);
  const auto count = static_cast<int>(is_offending.size());
  for (int group = 0; group < count; ++group) {
    if (groups.find(group) != group) continue;
    int parts = 0;
    for (int k = 0; k < count; ++k) {
      if (groups.find(k) == group && is_offending[k]) parts = std::max(parts, nextParts(static_cast<std::size_t>(k)));
    }
    for (int k = 0; parts > 0 && k < count; ++k) {
      if (groups.find(k) == group) parts = std::max(parts, parts_of[k]);
    }
    if (parts == 0) continue;
    bool has_joints = false;
    for (int k = 0; k < count; ++k) {
      if (groups.find(k) == group) has_joints |= !whole.islands.all()[static_cast<std::size_t>(k)].constraints.empty();
    }
    makeScope(group, dt);
    scope.is_cut = parts == 1 || !has_joints;  // joints, which act in drifts, do better in parts of one length
    std::erase_if(in_parts, [&](const PartsOutcome& earlier) { return scope.has[earlier.bodies.front()]; });
    in_parts.emplace_back();
    if (stepper->run(scope, parts, dt, inputs, state, memory, in_parts.back())) {
      takeParts(in_parts.back());
    } else {
      in_parts.pop_back();
      for (int i = 0; i < world.bodyCount(); ++i) {
        if (scope.has[i]) whole.bodies[i].now = at_once[static_cast<std::size_t>(i)];
      }
      returnTrees([&](int first) { return scope.has[first] != 0; });
    }
    for (int k = 0; k < count; ++k) {
      if (groups.find(k) != group) continue;
      parts_of[k] = parts;
      is_cut[k] = true;
    }
  }
  placeParts();
  return true;
}

// Which islands the parts are of.
void Simulator::Work::placeParts() {
  std::ranges::fill(outcome_of, -1);
  for (std::size_t k = 0; k < outcome_of.size(); ++k) {
    const auto isOf = [&](const PartsOutcome& parts) {
      return std::ranges::binary_search(parts.bodies, whole.islands.all()[k].bodies.front());
    };
    const auto found = std::ranges::find_if(in_parts, isOf);
    if (found != in_parts.end()) outcome_of[k] = static_cast<int>(found - in_parts.begin());
  }
}

// How far a step is beyond its bounds, of the law or of the whole; more than 1: it is.
double Simulator::Work::calcExcess(const StepReport& report) const {
  const double law = report.unsolved_islands > 0 ? std::max(2.0, report.relative / options.tolerance) : 0.0;
  return std::max(law, report.certificate.calcWorstShare(options.bounds));
}

// Judges the step and, as long as it is not accepted, takes what is wrong with it again. Of several that are not accepted the
// best one stands.
void Simulator::Work::improve(double dt, const StepInputs& inputs, const State& state, const StepMemory& memory,
                              StepReport& report) {
  if (!whole.isFinite()) whole.giveUpLostIslands();
  judge(dt, report);
  const bool may_improve = options.max_parts >= kPartsFactor && options.integrator != IntegratorKind::semi_implicit_euler;
  if (report.status == SolveStatus::solved || !may_improve) return;
  at_once.clear();
  for (int i = 0; i < world.bodyCount(); ++i) at_once.push_back(whole.bodies[i].now);
  trees_at_once = tree_outcomes;
  double best = calcExcess(report);
  double last = best;
  promises = false;
  best_parts.clear();
  for (int round = 0; round < kJudgingRounds && refine(dt, inputs, state, memory, report); ++round) {
    judge(dt, report);
    const double excess = calcExcess(report);
    promises = report.unsolved_islands == 0 && excess < last && excess * excess < last;
    last = excess;
    if (report.status != SolveStatus::solved && !(excess < best)) continue;
    best = excess;
    best_parts = in_parts;
  }
  if (report.status == SolveStatus::solved || !(calcExcess(report) > best)) return;
  in_parts = best_parts;
  for (int i = 0; i < world.bodyCount(); ++i) whole.bodies[i].now = at_once[static_cast<std::size_t>(i)];
  returnTrees([](int) { return true; });
  for (const PartsOutcome& parts : in_parts) takeParts(parts);
  placeParts();
  judge(dt, report);
}

void Simulator::Work::rememberParts(const PartsOutcome& parts, StepMemory& memory) const {
  memory.contacts.insert(memory.contacts.end(), parts.memory.begin(), parts.memory.end());
  for (const auto& [first, impulse] : parts.constraint_impulses) {
    std::ranges::copy(impulse, memory.constraint_impulses.begin() + first);
  }
}

// Kicks of the step at once: all that are kept, or those of islands that were not solved in parts either.
void Simulator::Work::showKicks() const {
  whole.showKicks(kick_observer, [&](std::size_t island) {
    if (whole.kept_kicks == KeptKicks::all || outcome_of.empty() || outcome_of[island] < 0) return true;
    return in_parts[static_cast<std::size_t>(outcome_of[island])].report.status != SolveStatus::solved;
  });
}

// Back into the state, all bodies or none.
void Simulator::Work::finish(double dt, State& state, StepMemory& memory) {
  state.time = whole.after.time;
  for (int i = 0; i < world.guidedCount(); ++i) state.setGuided(i, whole.after.guided[static_cast<std::size_t>(i)]);
  for (int i = 0; i < world.freeCount(); ++i) state.setBody(i, whole.after.bodies[static_cast<std::size_t>(i)]);
  for (int k = 0; k < world.treeCount(); ++k) {
    const StepTree& tree = whole.trees[static_cast<std::size_t>(k)];
    state.q.segment(world.tree(k).q_begin, tree.q.size()) = tree.q;
    state.v.segment(world.tree(k).v_begin, tree.v.size()) = tree.v;
    state.activation.segment(world.tree(k).activation_begin, tree.activation.size()) = tree.activation;
  }
  memory.dt = dt;
  memory.contacts.clear();
  for (const StepContact& contact : whole.contacts) {
    if (stands(contact.island)) memory.contacts.push_back({contact.key, contact.next_impulse, contact.given});
  }
  whole.rememberConstraints(memory.constraint_impulses);
  for (const PartsOutcome& parts : in_parts) rememberParts(parts, memory);
  std::ranges::sort(memory.contacts, {}, &ContactMemory::key);
}

Simulator::Simulator(const WorldModel& world, const SimulatorOptions& options) {
  validate(options);
  requireMaterials(options, world.materials);
  if (world.treeCount() > 0 && options.integrator == IntegratorKind::semi_implicit_euler) {
    throw std::invalid_argument("integrator = semi_implicit_euler: articulated trees are stepped by drift_kick_drift only");
  }
  work_ = std::make_unique<Work>(world, options);
  if (options.integrator == IntegratorKind::icf) work_->compliant = std::make_unique<IcfStep>(world, options);
}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

void Simulator::setKickObserver(KickObserver observer, KeptKicks kept) {
  work_->whole.kept_kicks = observer ? kept : KeptKicks::none;
  work_->kick_observer = std::move(observer);
}

const std::vector<ContactOutcome>& Simulator::contacts() const {
  return work_->compliant ? work_->compliant->contacts : work_->contact_outcomes;
}
const std::vector<ConstraintOutcome>& Simulator::constraints() const {
  return work_->compliant ? work_->compliant->constraints : work_->constraint_outcomes;
}
const std::vector<JointOutcome>& Simulator::joints() const {
  return work_->compliant ? work_->compliant->joints : work_->joint_outcomes;
}
const std::vector<TreeOutcome>& Simulator::trees() const {
  return work_->compliant ? work_->compliant->trees : work_->tree_outcomes;
}
const std::vector<ImpactTime>& Simulator::impacts() const { return work_->impacts; }
const BodyStates& Simulator::bodies() const { return work_->compliant ? work_->compliant->after : work_->whole.after; }
const std::vector<Waypoint>& Simulator::waypoints() const { return work_->waypoints; }
const WorldModel& Simulator::world() const { return work_->world; }
const SimulatorOptions& Simulator::options() const { return work_->options; }

StepReport Simulator::step(double dt, State& state, StepMemory& memory) {
  return step(dt, {}, state, memory);
}

StepReport Simulator::stepControlled(double dt, const Controller& controller, const StepTry& a_try, State& state, StepMemory& memory) {
  if (!controller) throw std::invalid_argument("a step by a controller: there is none");
  requireState(work_->world, dt, state);
  work_->controlled.clear(state.user.size());
  controller(state.time, state, work_->controlled);
  if (work_->compliant) {
    requireRates(work_->controlled, state);
    return work_->compliant->run(dt, work_->controlled, controller, state, memory);
  }
  return step(dt, work_->controlled, a_try, state, memory);
}

StepReport Simulator::step(double dt, const StepInputs& inputs, State& state, StepMemory& memory) {
  return step(dt, inputs, StepTry{}, state, memory);
}

StepReport Simulator::step(double dt, const StepInputs& inputs, const StepTry& a_try, State& state, StepMemory& memory) {
  Work& work = *work_;
  requireState(work.world, dt, state);
  requireRates(inputs, state);
  if (work.compliant) return work.compliant->run(dt, inputs, {}, state, memory);
  StepReport report;
  const Stopwatch clock;
  work.in_parts.clear();
  work.parts_of.clear();
  work.outcome_of.clear();
  work.judge_seconds = work.look_seconds = 0.0;
  work.whole.run(dt, inputs, a_try, state, memory);
  work.findImpacts(dt);
  work.scope.share = a_try.share;
  const StepTimes times = work.whole.times;
  work.improve(dt, inputs, state, memory, report);
  work.showKicks();
  work.finish(dt, state, memory);
  work.rememberRefused(report, memory);
  if (inputs.user_rate.size() > 0) state.user += dt * inputs.user_rate;
  if (work.whole.sleep_watch.isOn()) work.whole.sleep_watch.finish(work.whole.view(), memory);
  report.times.detect = times.detect + work.look_seconds;
  report.times.drift = times.drift;
  report.times.certify = work.judge_seconds;
  report.state_hash = hashOf(state);
  report.times.total = clock.seconds();
  return report;
}

}  // namespace cornet
