#include "cornet/sim/step_work.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/sim/drift.h"
#include "cornet/sim/take_inputs.h"

namespace cornet {
namespace {

// But for rounding.
bool isWhereItWas(const InertialState& now, const InertialState& start) {
  constexpr double kRounding = 0x1p-52;  // [m], and of quaternions
  return (now.position - start.position).isZero(kRounding) &&
         (now.orientation.coeffs() - start.orientation.coeffs()).isZero(kRounding);
}

// Beyond, sums of squares are not finite.
bool isWithinRange(const InertialState& state) {
  constexpr double kFar = 1e100;  // [m], [m/s]
  const auto isNear = [](const auto& x) { return x.allFinite() && x.cwiseAbs().maxCoeff() < kFar; };
  return isNear(state.position) && isNear(state.velocity) && isNear(state.omega) && state.orientation.coeffs().allFinite();
}

// A body that touches nothing takes the whole step at once: half of the torque's impulse before the free
// rotation, half after it.
void moveFreeBody(double dt, IntegratorKind integrator, StepBody& body) {
  const InertialState start = body.start;
  if (integrator == IntegratorKind::semi_implicit_euler) {
    body.now.velocity += dt * body.acceleration();
    body.now.omega += dt * body.calcAngularAcceleration();
    body.now.position += dt * body.now.velocity;
    body.asset->inertia().turnFreely(dt, body.now.orientation, body.now.omega);
    return;
  }
  body.now.omega += 0.5 * dt * body.calcAngularAcceleration();
  body.asset->inertia().turnFreely(dt, body.now.orientation, body.now.omega);
  body.now.omega += 0.5 * dt * body.calcAngularAcceleration();
  body.now.position = start.position + dt * (start.velocity + 0.5 * dt * body.acceleration());
  body.now.velocity = start.velocity + dt * body.acceleration();
}

}  // namespace

StepWork::StepWork(const WorldModel& world, const SimulatorOptions& options)
    : sleep_watch(options.sleep_time),
      world_(world),
      options_(options),
      detector_(world.makeDetector()),
      placer_(world, options.margin),
      crew_(options),
      caches_(world.makeCaches()) {
  detector_.setMaxPoints(options.max_contact_points);
  constraints = makeStepConstraints(world);
  trees.resize(static_cast<std::size_t>(world.treeCount()));
  for (int k = 0; k < world.treeCount(); ++k) {
    trees[k].tree = world.tree(k).tree.get();
    trees[k].first = world.tree(k).first;
    trees[k].cache = trees[k].tree->makeCache();
  }
}

// Whether one of its bodies moves in this step.
bool StepWork::isIn(const StepConstraint& constraint) const {
  if (scope_ == nullptr) return true;
  const auto isApart = [&](int body) { return body < world_.bodyCount() && !scope_->has[body]; };
  return std::ranges::none_of(constraint.bodies, isApart);
}

// Bodies at the start of the step, forces on them, and how far each may reach in it.
void StepWork::begin(double dt, const StepInputs& inputs, const State& state, const StepMemory& memory) {
  const int moving = world_.bodyCount();
  world_.calcBodies(state, caches_, before);
  forces.resize(static_cast<std::size_t>(moving));
  bodies.resize(static_cast<std::size_t>(world_.totalCount()));
  if (scope_ == nullptr) {
    takeGuides(world_, inputs, dt, before);
    world_.calcForces(state, before, dt, forces);
    takeInputs(world_, inputs, forces, constraints);
  } else {  // what users' functions and inputs push with is held over all parts
    for (std::size_t i = 0; i < before.guided.size(); ++i) {
      before.guided[i].velocity = scope_->guided[i].velocity;
      before.guided[i].omega = scope_->guided[i].omega;
    }
    takeInputs(world_, inputs, forces, constraints);
    world_.calcOwnForces(before, dt, forces);
    for (std::size_t i = 0; i < forces.size(); ++i) {
      forces[i].force += scope_->held[i].force;
      forces[i].torque += scope_->held[i].torque;
    }
  }
  for (int i = 0; i < world_.totalCount(); ++i) {
    StepBody& body = bodies[i];
    if (i < moving) {
      body = {};
      body.start = body.now = before.bodies[i];
      if (scope_ != nullptr && !scope_->has[i]) continue;
      body.asset = &world_.body(i);
      body.force = forces[i];
      body.radius = body.asset->radius();
    } else {
      placeSurroundings(world_, i - moving, before, dt, body);
      body.radius = placer_.radiusOfSurroundings(i - moving);
    }
  }
  takeControls(world_, inputs, dt, state, trees);
  for (int k = 0; k < world_.treeCount(); ++k) beginTree(state, k);
  placer_.calc(before, forces, dt, placement_);
  for (StepConstraint& constraint : constraints) beginConstraint(state.time, bodies, isIn(constraint), constraint);
  start_drift_.settleStart(view());
  for (StepConstraint& constraint : constraints) {
    readRate(state.time, bodies, constraint);
    readPull(memory, constraint);
    double acceleration = 0.0;
    for (const int index : constraint.bodies) acceleration += bodies[index].radius * bodies[index].start.omega.squaredNorm();
    for (const int index : constraint.bodies) bodies[index].joint_acceleration += constraint.is_active ? acceleration : 0.0;
  }
}

// A tree at the start of the step, and how its links would accelerate without contacts: for those who look for impacts.
void StepWork::beginTree(const State& state, int k) {
  StepTree& own = trees[static_cast<std::size_t>(k)];
  const WorldTree& place = world_.tree(k);
  own.q_start = own.q = state.q.segment(place.q_begin, place.q.size());
  own.v_start = own.v = state.v.segment(place.v_begin, place.v.size());
  if (!bodies[place.first].moves()) return;
  own.tree->evaluate(own.q, TreeLevel::dynamics, *own.cache);
  VectorXd f(own.v.size()), c(own.v.size());
  f.setZero();
  for (int link = 0; link < own.tree->linkCount(); ++link) {
    Eigen::Matrix<double, 6, 1> wrench;
    wrench << bodies[place.first + link].force.force, bodies[place.first + link].force.torque;
    f += own.cache->jacobians[static_cast<std::size_t>(link)].transpose() * wrench;
  }
  own.tree->calcCoriolis(own.v, *own.cache, c);
  const VectorXd a = own.cache->M.ldlt().solve(f - c);
  for (int link = 0; link < own.tree->linkCount(); ++link) {
    StepBody& body = bodies[place.first + link];
    const Eigen::Matrix<double, 6, 1> acceleration = own.cache->jacobians[static_cast<std::size_t>(link)] * a;
    body.is_link = true;
    body.link_acceleration = acceleration.head<3>();
    body.link_alpha = acceleration.tail<3>();
  }
}

// What the step before saw at its end serves, if it looked for the same.
void StepWork::detect(double dt) {
  const bool is_shared = scope_ == nullptr && start_ != nullptr;
  if (is_shared && start_->serves(placement_)) {
    found = start_->found();
  } else if (scope_ == nullptr && placement_.isSameAs(next_placement_)) {
    std::swap(found, next_found);
  } else {
    find(found);
  }
  next_placement_.poses.clear();
  reach_.reset(bodies);
  const bool outgrew = reach_.spread(found, dt, options_.margin, placement_.margins);
  if (!is_shared || !start_->serves(placement_)) {
    if (outgrew) find(found);
    if (is_shared) start_->keep(placement_, found);
  }
  findPairs(found, pairs);
  impact_finder_.find(search(dt), pairs);
}

// Contacts at the start: of all pairs that are near, or of those of the scope.
void StepWork::find(ContactSet& contacts_found) {
  if (scope_ == nullptr) {
    detector_.detect(placement_.poses, placement_.margins, contacts_found);
  } else {
    detector_.detectAmong(placement_.poses, placement_.margins, scope_->has, contacts_found);
  }
}

void StepWork::lookAhead(double dt) {
  after.time = before.time + dt;
  moveGuided(before, dt, after);
  after.bodies.resize(before.bodies.size());
  for (std::size_t i = 0; i < after.bodies.size(); ++i) after.bodies[i] = bodies[i].now;
  next_forces_.resize(after.bodies.size());
  world_.calcOwnForces(after, dt, next_forces_);
  placer_.calc(after, next_forces_, dt, next_placement_);
  detector_.detect(next_placement_.poses, next_placement_.margins, next_found);
}

// What hits meets with the velocities that joints have left it.                              (STEP-4)
void StepWork::meetAgain(double dt, double kick_time, StepContact& contact) const {
  if (!contact.is_impact) return;
  const Vector3d u = calcRelativeVelocity(calcKickState(bodies[contact.a], kick_time), contact.arm_a,
                                          calcKickState(bodies[contact.b], kick_time), contact.arm_b);
  const double meeting = contact.normal.dot(u) + contact.pull * contact.time;
  contact.wanted = std::max(0.0, -contact.restitution * meeting + contact.pull * (dt - contact.time));
}

// Each island to its kick time: its first impact, or the middle of the step.                (STEP-6)
void StepWork::driftToKick(double dt) {
  const bool at_start = options_.integrator == IntegratorKind::semi_implicit_euler;
  for (Island& island : islands.all()) {
    if (island.is_done || island.has_trees) continue;
    if (at_start) island.theta = 0.0;
    for (const int k : island.contacts) {
      if (!contacts[k].is_impact || at_start) continue;
      const double theta = contacts[k].time / dt;
      island.theta = island.has_impact ? std::min(island.theta, theta) : theta;
      island.has_impact = true;
    }
    for (const int i : island.bodies) {
      bodies[i].now = bodies[i].start;
      drift(bodies[i], island.theta * dt);
      bodies[i].drift_velocity = bodies[i].now.velocity;
      bodies[i].drift_omega = bodies[i].now.omega;
    }
    if (!island.constraints.empty()) {
      joint_drifts_.of(island.shape, [] { return std::make_unique<JointDrift>(); }).toKick(view(), island);
      for (const int k : island.contacts) meetAgain(dt, island.theta * dt, contacts[k]);
    }
  }
  for (StepContact& contact : contacts) {
    const Island& island = islands.all()[contact.island];
    if (island.is_done || island.has_trees) continue;
    const double theta = island.theta;
    const StepBody& a = bodies[contact.a];
    const StepBody& b = bodies[contact.b];
    const InertialState now_a = calcKickState(a, theta * dt);
    const InertialState now_b = calcKickState(b, theta * dt);
    contact.kick_normal = contact.normal;
    contact.kick_arm_a = contact.arm_a;
    contact.kick_arm_b = contact.arm_b;
    if (contact.is_impact || contact.source < 0) continue;  // they act where they were found to
    if (isWhereItWas(now_a, a.start) && isWhereItWas(now_b, b.start)) continue;
    ManifoldPoint point =
        detector_.evaluateAt(found, contact.source, now_a.pose(),
                            now_b.pose());
    if (contact.is_joined) joinPoints(point.point_a, point.point_b);
    contact.kick_normal = point.normal;
    contact.kick_arm_a = point.point_a - now_a.position + contact.moved;
    contact.kick_arm_b = point.point_b - now_b.position + contact.moved;
    contact.point = 0.5 * (point.point_a + point.point_b);
  }
}

// All islands to the end of the step; those that late contacts join, again.                 (STEP-17)
void StepWork::moveIslands(double dt, const StepMemory& memory) {
  constexpr int kRounds = 4;
  times.drift = 0.0;
  for (int round = 0; round < kRounds; ++round) {
    const Stopwatch clock;
    islands.split(round == 0, view());
    if (round == 0 && sleep_watch.isOn()) sleep_watch.begin(view(), memory, islands.all());
    driftToKick(dt);
    times.drift += clock.seconds();
    crew_.run(world_, view(), memory, islands.all());
    for (StepBody& body : bodies) {
      if (!body.moves() || body.island >= 0) continue;
      body.now = body.start;
      moveFreeBody(dt, options_.integrator, body);
    }
    if (options_.integrator == IntegratorKind::semi_implicit_euler) return;
    if (round + 1 == kRounds || !late_contacts_.find(search(dt), pairs)) break;
  }
  constexpr int kRetakes = 3;
  for (int k = 0; k < kRetakes && prepareRetakes(search(dt), view(), islands.all()); ++k) {
    driftToKick(dt);
    crew_.run(world_, view(), memory, islands.all());
  }
}

// Gaps at the start pose, impacts, what contacts want.
void StepWork::look(double dt, const StepInputs& inputs, const State& state, const StepMemory& memory) {
  const Stopwatch clock;
  h_ = dt;
  times = {};
  begin(dt, inputs, state, memory);
  remembered_ = memory.contacts;
  detect(dt);
  times.detect = clock.seconds();
}

void StepWork::run(double dt, const StepInputs& inputs, const StepTry& a_try, const State& state, const StepMemory& memory) {
  scope_ = nullptr;
  start_ = a_try.start;
  part_ = share_ = a_try.share;
  look(dt, inputs, state, memory);
  moveIslands(dt, memory);
}

void StepWork::run(double dt, double part, const StepInputs& inputs, const State& state, const StepMemory& memory,
                   const StepScope& scope) {
  scope_ = &scope;
  share_ = scope.share;
  part_ = part * share_;
  look(dt, inputs, state, memory);
  moveIslands(dt, memory);
}

double StepWork::findFirstImpact(double dt, const StepInputs& inputs, const State& state, const StepMemory& memory,
                                 const StepScope& scope) {
  scope_ = &scope;
  look(dt, inputs, state, memory);
  double first = dt;
  for (const StepContact& contact : contacts) {
    const bool is_of_tree = bodies[contact.a].is_link || bodies[contact.b].is_link;  // whose steps are cut anyway
    if (contact.is_impact && !is_of_tree) first = std::min(first, contact.time);
  }
  return first;
}

void StepWork::addUp(const Island& done, StepReport& report) const {
  const IslandReport& island = done.report;
  if (island.status != SolveStatus::solved) {
    report.status = island.status;
    ++report.unsolved_islands;
  }
  report.relative = std::max(report.relative, island.relative);
  report.velocity_error = std::max(report.velocity_error, island.velocity_error);
  report.impulse_error = std::max(report.impulse_error, island.impulse_error);
  report.iterations += island.iterations;
  report.factorizations += island.factorizations;
  report.corrections.add(island.corrections);
  report.corrections.retaken += done.is_retaken;
  report.corrections.retake = std::max(report.corrections.retake, done.retake_change);
  report.times.assemble += island.assemble_seconds;
  report.times.solve += island.solve_seconds;
  report.times.displace += island.displace_seconds;
}

void StepWork::countContacts(const std::function<bool(int)>& stands, StepReport& report) const {
  for (const StepContact& contact : contacts) {
    if (!stands(contact.island)) continue;
    ++report.contacts;
    report.impacts += contact.is_impact;
    if (contact.source >= 0) report.penetration = std::max(report.penetration, -contact.gap);
    if (!contact.isActive() || !(contact.normalImpulse() > 0.0)) continue;
    ++report.closed;
    report.sticking += contact.sticks(StepContact::kInside);
  }
}

void StepWork::rememberConstraints(std::vector<double>& impulses) const {
  impulses.clear();
  for (const StepConstraint& constraint : constraints) {
    const bool goes_on = constraint.island >= 0 && !islands.all()[constraint.island].has_impact;
    for (Eigen::Index k = 0; k < constraint.impulse.size(); ++k) {
      impulses.push_back(goes_on ? constraint.calcSteadyImpulse(k) : 0.0);
    }
  }
}

bool StepWork::isFinite() const {
  return std::ranges::all_of(bodies, [](const StepBody& body) { return isWithinRange(body.now); });
}

void StepWork::requireFinite() const {
  for (int i = 0; i < world_.bodyCount(); ++i) {
    if (isWithinRange(bodies[i].now)) continue;
    throw std::runtime_error(fmt::format("body '{}' left the finite range in the step from t = {} s",
                                         world_.body(i).name(), before.time));
  }
}

void StepWork::giveUpLostIslands() {
  for (Island& island : islands.all()) {
    const auto isLost = [&](int body) { return !isWithinRange(bodies[body].now); };
    if (island.has_trees || std::ranges::none_of(island.bodies, isLost)) continue;
    island.report.status = SolveStatus::numerical_error;
    island.report.relative = 1.0;
    for (const int i : island.bodies) bodies[i].now = bodies[i].start;
    for (const int k : island.contacts) {
      StepContact& contact = contacts[k];
      contact.impulse.setZero();
      contact.next_impulse.setZero();
      contact.moment_a.setZero();
      contact.moment_b.setZero();
    }
    for (const int k : island.constraints) {
      StepConstraint& constraint = constraints[k];
      constraint.impulse.setZero();
      constraint.taut.setZero();
      for (PoseImpulse& impulse : constraint.drift_impulses) impulse.reset(constraint.law.constraint());
    }
  }
}

void StepWork::showKicks(const KickObserver& observer, const std::function<bool(std::size_t)>& isShown) const {
  if (kept_kicks == KeptKicks::none) return;
  const std::span<const Island> all = islands.all();
  for (std::size_t k = 0; k < all.size(); ++k) {
    KickRecord* record = all[k].report.record.get();
    if (record == nullptr || !isShown(k)) continue;
    record->island = static_cast<int>(k);
    observer(*record);
  }
}

}  // namespace cornet
