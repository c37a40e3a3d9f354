#include "cornet/sim/simulator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/math/union_find.h"
#include "cornet/sim/drift.h"

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
  }

  void begin(double dt, const State& state);
  void detect(double dt);
  void splitIslands();
  void driftToKick(double dt);
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
  std::vector<IslandReport> island_reports;
  KickObserver kick_observer;
  KeptKicks kept_kicks = KeptKicks::none;
  std::vector<BodyForce> forces;
  std::vector<StepBody> bodies;
  std::vector<Pose> poses;
  std::vector<double> margins;
  ContactSet found;
  ImpactFinder impact_finder;
  std::vector<StepContact> contacts;
  UnionFind sets{0};
  std::vector<Island> islands;
  int island_count = 0;
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
  body.end_velocity = end.velocity + end.orientation * asset.surfaceVelocity();
  body.end_omega = end.omega;
  body.now = body.start;
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
    } else {
      placeSurroundings(world.environment(i - moving), state.time, dt, body);
    }
    poses[i] = Pose(body.start.orientation, body.start.position);
    const double radius = body.moves() ? body.asset->radius() : 0.0;
    const double speed = (body.start.velocity + dt * body.acceleration()).norm() +
                         radius * (body.start.omega + dt * body.calcAngularAcceleration()).norm();
    margins[i] = 0.5 * options.margin + 2.0 * dt * speed;
  }
}

void Simulator::Work::detect(double dt) {
  detector.detect(poses, margins, found);
  impact_finder.find(world, detector, options, dt, found, bodies, contacts);
}

// Bodies that share a contact share an island; surroundings join nothing.                  (STEP-6)
void Simulator::Work::splitIslands() {
  const int moving = world.bodyCount();
  sets.reset(moving);
  for (const StepContact& contact : contacts) {
    if (contact.a < moving && contact.b < moving) sets.unite(contact.a, contact.b);
  }
  island_count = 0;
  const auto islandOf = [&](int body) {
    StepBody& first = bodies[sets.find(body)];
    if (first.island < 0) {
      first.island = island_count++;
      if (static_cast<int>(islands.size()) < island_count) islands.emplace_back();
      islands[first.island].bodies.clear();
      islands[first.island].contacts.clear();
      islands[first.island].theta = 0.5;
      islands[first.island].has_impact = false;
      islands[first.island].asleep = false;
    }
    return first.island;
  };
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    StepContact& contact = contacts[k];
    contact.island = islandOf(contact.a < moving ? contact.a : contact.b);
    islands[contact.island].contacts.push_back(static_cast<int>(k));
  }
  for (int i = 0; i < moving; ++i) {
    const int island = bodies[sets.find(i)].island;
    if (island < 0) continue;
    bodies[i].island = island;
    islands[island].bodies.push_back(i);
  }
}

// Each island to its kick time: its first impact, or the middle of the step.                (STEP-6)
void Simulator::Work::driftToKick(double dt) {
  const bool at_start = options.integrator == IntegratorKind::semi_implicit_euler;
  for (int k = 0; at_start && k < island_count; ++k) islands[k].theta = 0.0;
  for (const StepContact& contact : contacts) {
    Island& island = islands[contact.island];
    if (!contact.is_impact || at_start) continue;
    island.theta = island.has_impact ? std::min(island.theta, contact.time / dt) : contact.time / dt;
    island.has_impact = true;
  }
  for (StepBody& body : bodies) {
    if (!body.moves() || body.island < 0 || islands[body.island].asleep) continue;
    drift(body, islands[body.island].theta * dt);
  }
  for (StepContact& contact : contacts) {
    if (islands[contact.island].asleep) continue;
    const double theta = islands[contact.island].theta;
    const StepBody& a = bodies[contact.a];
    const StepBody& b = bodies[contact.b];
    const InertialState now_a = calcKickState(a, theta * dt);
    const InertialState now_b = calcKickState(b, theta * dt);
    contact.kick_normal = contact.normal;
    contact.kick_arm_a = contact.arm_a;
    contact.kick_arm_b = contact.arm_b;
    const bool still = now_a.position == a.start.position && now_b.position == b.start.position &&
                       now_a.orientation.coeffs() == a.start.orientation.coeffs() &&
                       now_b.orientation.coeffs() == b.start.orientation.coeffs();
    if (contact.is_impact || contact.source < 0 || still) continue;
    const ManifoldPoint point =
        detector.evaluateAt(found, contact.source, Pose(now_a.orientation, now_a.position),
                            Pose(now_b.orientation, now_b.position));
    contact.kick_normal = point.normal;
    contact.kick_arm_a = point.point_a - now_a.position;
    contact.kick_arm_b = point.point_b - now_b.position;
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
  report.islands = island_count;
  for (int k = 0; k < island_count; ++k) report.sleeping_islands += islands[k].asleep;
  report.contacts = static_cast<int>(contacts.size());
  for (const StepContact& contact : contacts) {
    report.impacts += contact.is_impact;
    report.penetration = std::max(report.penetration, -contact.gap);
    if (!contact.isActive() || !(contact.normalImpulse() > 0.0)) continue;
    ++report.closed;
    report.sticking += contact.sticks(1e-9);
  }
}

// Back into the state, all bodies or none.
void Simulator::Work::finish(double dt, State& state, StepMemory& memory) {
  for (int i = 0; i < world.bodyCount(); ++i) {
    StepBody& body = bodies[i];
    if (body.island < 0) moveFreeBody(dt, options.integrator, body);
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
  memory.impulses.clear();
  for (const StepContact& contact : contacts) memory.impulses.push_back({contact.key, contact.next_impulse});
  std::ranges::sort(memory.impulses, {}, &WarmImpulse::key);
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
  for (int k = 0; k < island_count && kept_kicks != KeptKicks::none; ++k) {
    KickRecord* record = island_reports[k].record.get();
    if (record == nullptr) continue;
    record->island = k;
    kick_observer(*record);
  }
}

Simulator::Simulator(const WorldModel& world, const SimulatorOptions& options) {
  validate(options);
  requireMaterials(options, world.materials);
  if (!world.constraints().empty()) {
    throw std::invalid_argument(fmt::format(
        "the world has {} constraints, which the simulator does not step yet", world.constraints().size()));
  }
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
const WorldModel& Simulator::world() const { return work_->world; }
const SimulatorOptions& Simulator::options() const { return work_->options; }

StepReport Simulator::step(double dt, State& state, StepMemory& memory) {
  Work& work = *work_;
  requireState(work.world, dt, state);
  StepReport report;
  const Stopwatch clock;
  const double energy_before = work.world.calcKinetic(state) + work.world.calcPotential(state);
  work.begin(dt, state);
  work.detect(dt);                       // gaps at the start pose, impacts, what contacts want
  report.times.detect = clock.seconds();
  work.splitIslands();
  const StepView view{state.time, dt, work.bodies, work.contacts, work.kept_kicks};
  const std::span islands(work.islands.data(), static_cast<std::size_t>(work.island_count));
  if (work.sleep_watch.isOn()) work.sleep_watch.begin(view, memory, islands);
  work.driftToKick(dt);                  // each island to its own kick time
  report.times.drift = clock.seconds() - report.times.detect;
  work.crew.run(work.world, view, islands, memory, work.island_reports);
  for (const IslandReport& island : work.island_reports) work.addUp(island, report);
  work.count(report);
  work.showKicks();
  work.finish(dt, state, memory);
  if (work.sleep_watch.isOn()) work.sleep_watch.finish(view, memory);
  work.balance(energy_before, state, report);
  report.state_hash = hashOf(state);
  report.times.total = clock.seconds();
  return report;
}

}  // namespace cornet
