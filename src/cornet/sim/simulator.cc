#include "cornet/sim/simulator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/sim/drift.h"
#include "cornet/sim/impacts.h"
#include "cornet/sim/late_contacts.h"
#include "cornet/sim/reach.h"
#include "cornet/sim/retake.h"

namespace cornet {

/// Everything a step uses, kept from step to step.
struct Simulator::Work {
  Work(const WorldModel& the_world, const SimulatorOptions& the_options)
      : world(the_world),
        options(the_options),
        detector(the_world.makeDetector()),
        crew(the_options),
        sleep_watch(the_options.sleep_time) {
    detector.setMaxPoints(options.max_contact_points);
    constraints = makeStepConstraints(world);
    for (int k = 0; k < world.totalCount() - world.bodyCount(); ++k) {
      surroundings_radius.push_back(calcRadius(world.environment(k)));
    }
  }

  StepView view(double dt, double time) { return {time, dt, bodies, contacts, constraints, kept_kicks, &detector, &found}; }
  Search search(double dt) { return {world, detector, options, dt, found, bodies, contacts, remembered}; }
  void begin(double dt, const State& state);
  void widenForTurningPlanes(double dt);
  void detect(double dt);
  void driftToKick(double dt);
  void moveIslands(double dt, double time, const StepMemory& memory);
  void finish(double dt, State& state, StepMemory& memory);
  void addUp(const IslandReport& island, StepReport& report) const;
  void count(StepReport& report) const;
  void balance(double energy_before, const State& state, StepReport& report) const;
  void showKicks();

  const WorldModel& world;
  SimulatorOptions options;
  Detector detector;
  IslandCrew crew;
  SleepWatch sleep_watch;
  KickObserver kick_observer;
  KeptKicks kept_kicks = KeptKicks::none;
  std::vector<BodyForce> forces;
  std::vector<StepBody> bodies;
  std::vector<Pose> poses;
  std::vector<double> margins;
  std::vector<double> surroundings_radius;
  ContactSet found;
  Reach reach;
  std::vector<ShapePair> pairs;
  ImpactFinder impact_finder;
  LateContacts late_contacts;
  Retake retake;
  std::vector<StepContact> contacts;
  std::span<const ContactMemory> remembered;  // in the last step
  std::vector<StepConstraint> constraints;
  StepIslands islands;
  double drift_seconds = 0.0;
};

namespace {

void requireState(const WorldModel& world, double dt, const State& state) {
  if (!(dt > 0.0 && std::isfinite(dt))) {
    throw std::invalid_argument(fmt::format("time step dt = {} s: expected a finite number > 0", dt));
  }
  if (static_cast<int>(state.bodies.size()) != world.bodyCount()) {
    throw std::invalid_argument(fmt::format("the state has {} bodies, the world {}", state.bodies.size(),
                                            world.bodyCount()));
  }
}

// The motion of surroundings over the step: where they are, and their mean velocity.
void placeSurroundings(const AssetEnvironment& asset, double t, double dt, StepBody& body) {
  body = {};
  body.start = asset.calcState(t);
  const InertialState end = asset.calcState(t + dt);
  body.displacement = (end.position - body.start.position) / dt;
  body.turning = logMap(end.orientation * body.start.orientation.conjugate()) / dt;
  const Vector3d surface = body.start.orientation * asset.surfaceVelocity();
  body.start.velocity += surface;
  body.displacement += surface;
  body.surface = surface;
  body.end_surface = end.orientation * asset.surfaceVelocity();
  body.end_velocity = end.velocity + body.end_surface;
  body.end_omega = end.omega;
  body.now = body.start;
}

// But for rounding.
bool isWhereItWas(const InertialState& now, const InertialState& start) {
  constexpr double kRounding = 0x1p-52;  // [m], and of quaternions
  return (now.position - start.position).isZero(kRounding) &&
         (now.orientation.coeffs() - start.orientation.coeffs()).isZero(kRounding);
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

// Bodies at the start of the step, forces on them, and how far each may reach in it.
void Simulator::Work::begin(double dt, const State& state) {
  const int moving = world.bodyCount();
  forces.resize(static_cast<std::size_t>(moving));
  bodies.resize(static_cast<std::size_t>(world.totalCount()));
  poses.resize(bodies.size());
  margins.resize(bodies.size());
  world.calcForces(state, dt, forces);
  for (int i = 0; i < world.totalCount(); ++i) {
    StepBody& body = bodies[i];
    if (i < moving) {
      body = {};
      body.asset = &world.body(i);
      body.start = body.now = state.bodies[i];
      body.force = forces[i];
      body.radius = body.asset->radius();
    } else {
      placeSurroundings(world.environment(i - moving), state.time, dt, body);
      body.radius = surroundings_radius[i - moving];
    }
    poses[i] = Pose(body.start.orientation, body.start.position);
    const double turning = std::max((body.start.omega + dt * body.calcAngularAcceleration()).norm(), body.turning.norm());
    const double speed = std::max((body.start.velocity + dt * body.acceleration()).norm(), body.displacement.norm()) +
                         body.radius * turning;
    margins[i] = 0.5 * options.margin + 2.0 * dt * speed;
  }
  widenForTurningPlanes(dt);
  for (StepConstraint& constraint : constraints) beginConstraint(state.time, bodies, constraint);
}

// Surroundings without end have no radius: bodies look out for those that turn.
void Simulator::Work::widenForTurningPlanes(double dt) {
  for (int i = world.bodyCount(); i < world.totalCount(); ++i) {
    const StepBody& plane = bodies[i];
    if (plane.radius > 0.0 || plane.turning.isZero(0.0)) continue;
    for (int k = 0; k < world.bodyCount(); ++k) {
      const double distance = (bodies[k].start.position - plane.start.position).norm() + bodies[k].radius;
      margins[k] += 2.0 * dt * plane.turning.norm() * distance;
    }
  }
}

void Simulator::Work::detect(double dt) {
  detector.detect(poses, margins, found);
  reach.reset(bodies);
  if (reach.spread(found, dt, options.margin, margins)) detector.detect(poses, margins, found);
  findPairs(found, pairs);
  impact_finder.find(search(dt), pairs);
}

// Each island to its kick time: its first impact, or the middle of the step.                (STEP-6)
void Simulator::Work::driftToKick(double dt) {
  const bool at_start = options.integrator == IntegratorKind::semi_implicit_euler;
  for (Island& island : islands.all()) {
    if (island.is_done) continue;
    if (at_start) island.theta = 0.0;
    for (const int k : island.contacts) {
      if (!contacts[k].is_impact || at_start) continue;
      const double theta = contacts[k].time / dt;
      island.theta = island.has_impact ? std::min(island.theta, theta) : theta;
      island.has_impact = true;
    }
    for (const int i : island.bodies) {
      bodies[i].now = bodies[i].start;
      if (island.is_retaken) {
        bodies[i].now.velocity = bodies[i].retaken_velocity;
        bodies[i].now.omega = bodies[i].retaken_omega;
      }
      drift(bodies[i], island.theta * dt);
    }
  }
  for (StepContact& contact : contacts) {
    const Island& island = islands.all()[contact.island];
    if (island.is_done) continue;
    const double theta = island.theta;
    const StepBody& a = bodies[contact.a];
    const StepBody& b = bodies[contact.b];
    const InertialState now_a = calcKickState(a, theta * dt);
    const InertialState now_b = calcKickState(b, theta * dt);
    contact.kick_normal = contact.normal;
    contact.kick_arm_a = contact.arm_a;
    contact.kick_arm_b = contact.arm_b;
    if (contact.is_impact || contact.source < 0) continue;
    if (isWhereItWas(now_a, a.start) && isWhereItWas(now_b, b.start)) continue;
    ManifoldPoint point =
        detector.evaluateAt(found, contact.source, Pose(now_a.orientation, now_a.position),
                            Pose(now_b.orientation, now_b.position));
    if (contact.is_joined) joinPoints(point.point_a, point.point_b);
    contact.kick_normal = point.normal;
    contact.kick_arm_a = point.point_a - now_a.position + contact.moved;
    contact.kick_arm_b = point.point_b - now_b.position + contact.moved;
    contact.point = 0.5 * (point.point_a + point.point_b);
  }
}

// All islands to the end of the step; those that late contacts join, again.                 (STEP-17)
void Simulator::Work::moveIslands(double dt, double time, const StepMemory& memory) {
  constexpr int kRounds = 4;
  drift_seconds = 0.0;
  for (int round = 0; round < kRounds; ++round) {
    const Stopwatch clock;
    islands.split(round == 0, view(dt, time));
    if (round == 0 && sleep_watch.isOn()) sleep_watch.begin(view(dt, time), memory, islands.all());
    driftToKick(dt);
    drift_seconds += clock.seconds();
    crew.run(world, view(dt, time), memory, islands.all());
    for (StepBody& body : bodies) {
      if (!body.moves() || body.island >= 0) continue;
      body.now = body.start;
      moveFreeBody(dt, options.integrator, body);
    }
    if (options.integrator == IntegratorKind::semi_implicit_euler) return;
    if (round + 1 == kRounds || !late_contacts.find(search(dt), pairs)) break;
  }
  constexpr int kRetakes = 3;
  for (int k = 0; k < kRetakes && retake.prepare(search(dt), view(dt, time), islands.all()); ++k) {
    driftToKick(dt);
    crew.run(world, view(dt, time), memory, islands.all());
  }
}

void Simulator::Work::addUp(const IslandReport& island, StepReport& report) const {
  if (island.status != SolveStatus::solved) {
    report.status = island.status;
    ++report.unsolved_islands;
  }
  report.relative = std::max(report.relative, island.relative);
  report.velocity_error = std::max(report.velocity_error, island.velocity_error);
  report.impulse_error = std::max(report.impulse_error, island.impulse_error);
  report.iterations += island.iterations;
  report.factorizations += island.factorizations;
  report.capped_islands += island.capped;
  report.corrected_islands += island.corrected;
  report.energy.work_in += island.work_in;
  report.times.assemble += island.assemble_seconds;
  report.times.solve += island.solve_seconds;
  report.times.displace += island.displace_seconds;
}

void Simulator::Work::count(StepReport& report) const {
  report.islands = static_cast<int>(islands.all().size());
  for (const Island& island : islands.all()) report.sleeping_islands += island.asleep;
  report.contacts = static_cast<int>(contacts.size());
  for (const StepContact& contact : contacts) {
    report.impacts += contact.is_impact;
    if (contact.source >= 0) report.penetration = std::max(report.penetration, -contact.gap);
    if (!contact.isActive() || !(contact.normalImpulse() > 0.0)) continue;
    ++report.closed;
    report.sticking += contact.sticks(StepContact::kInside);
  }
}

// Back into the state, all bodies or none.
void Simulator::Work::finish(double dt, State& state, StepMemory& memory) {
  for (int i = 0; i < world.bodyCount(); ++i) {
    const StepBody& body = bodies[i];
    if (body.now.position.allFinite() && body.now.velocity.allFinite() && body.now.omega.allFinite() &&
        body.now.orientation.coeffs().allFinite()) {
      continue;
    }
    throw std::runtime_error(fmt::format("body '{}' left the finite range in the step from t = {} s",
                                         world.body(i).name(), state.time));
  }
  for (int i = 0; i < world.bodyCount(); ++i) state.bodies[i] = bodies[i].now;
  state.time += dt;
  memory.dt = dt;
  memory.contacts.clear();
  for (const StepContact& contact : contacts) {
    memory.contacts.push_back({contact.key, contact.next_impulse, contact.given});
  }
  std::ranges::sort(memory.contacts, {}, &ContactMemory::key);
  memory.constraint_impulses.clear();
  for (const StepConstraint& constraint : constraints) {
    memory.constraint_impulses.insert(memory.constraint_impulses.end(), constraint.impulse.begin(),
                                      constraint.impulse.end());
  }
}

// Loads put in force times way, surroundings what their impulses do; the rest of the change is dissipated.
void Simulator::Work::balance(double energy_before, const State& state, StepReport& report) const {
  report.energy.kinetic = world.calcKinetic(state);
  report.energy.potential = world.calcPotential(state);
  for (int i = 0; i < world.bodyCount(); ++i) {
    const StepBody& body = bodies[i];
    const Vector3d force = body.force.force - body.asset->mass().mass * world.gravity +
                           body.asset->linearDrag() * body.start.velocity;
    const Vector3d torque = body.force.torque + body.asset->angularDrag() * body.start.omega;
    if (!force.isZero(0.0)) {
      report.energy.work_in += force.dot(body.now.position - body.start.position);
    }
    if (!torque.isZero(0.0)) {
      const Vector3d turn = logMap(body.now.orientation * body.start.orientation.conjugate());
      report.energy.work_in += torque.dot(turn);
    }
  }
  const double energy = report.energy.kinetic + report.energy.potential;
  report.energy.dissipated = report.energy.work_in - (energy - energy_before);
}

void Simulator::Work::showKicks() {
  if (kept_kicks == KeptKicks::none) return;
  const std::span<const Island> all = islands.all();
  for (std::size_t k = 0; k < all.size(); ++k) {
    KickRecord* record = all[k].report.record.get();
    if (record == nullptr) continue;
    record->island = static_cast<int>(k);
    kick_observer(*record);
  }
}

Simulator::Simulator(const WorldModel& world, const SimulatorOptions& options) {
  validate(options);
  requireMaterials(options, world.materials);
  work_ = std::make_unique<Work>(world, options);
}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

void Simulator::setKickObserver(KickObserver observer, KeptKicks kept) {
  work_->kept_kicks = observer ? kept : KeptKicks::none;
  work_->kick_observer = std::move(observer);
}

const std::vector<StepContact>& Simulator::contacts() const { return work_->contacts; }
const std::vector<StepConstraint>& Simulator::constraints() const { return work_->constraints; }
const WorldModel& Simulator::world() const { return work_->world; }
const SimulatorOptions& Simulator::options() const { return work_->options; }

StepReport Simulator::step(double dt, State& state, StepMemory& memory) {
  Work& work = *work_;
  requireState(work.world, dt, state);
  StepReport report;
  const Stopwatch clock;
  const double energy_before = work.world.calcKinetic(state) + work.world.calcPotential(state);
  work.begin(dt, state);
  work.remembered = memory.contacts;
  work.detect(dt);                       // gaps at the start pose, impacts, what contacts want
  report.times.detect = clock.seconds();
  work.moveIslands(dt, state.time, memory);
  report.times.drift = work.drift_seconds;
  for (const Island& island : work.islands.all()) work.addUp(island.report, report);
  work.count(report);
  work.showKicks();
  work.finish(dt, state, memory);
  if (work.sleep_watch.isOn()) work.sleep_watch.finish(work.view(dt, state.time), memory);
  work.balance(energy_before, state, report);
  report.state_hash = hashOf(state);
  report.times.total = clock.seconds();
  return report;
}

}  // namespace cornet
