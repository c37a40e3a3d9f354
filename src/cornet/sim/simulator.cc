#include "cornet/sim/simulator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/audit/step_certifier.h"
#include "cornet/sim/drift.h"
#include "cornet/sim/impacts.h"
#include "cornet/sim/late_contacts.h"
#include "cornet/sim/make_outcomes.h"
#include "cornet/sim/placement.h"
#include "cornet/sim/reach.h"
#include "cornet/sim/retake.h"
#include "cornet/sim/take_inputs.h"

namespace cornet {

#ifdef CORNET_PLANTED_FAULT
/// A test build spoils steps here, before they are judged.
void plantFault(std::vector<StepBody>& bodies, std::vector<StepContact>& contacts, std::vector<StepConstraint>& constraints);
#endif

/// Everything a step uses, kept from step to step.
struct Simulator::Work {
  Work(const WorldModel& the_world, const SimulatorOptions& the_options)
      : world(the_world),
        options(the_options),
        detector(the_world.makeDetector()),
        placer(the_world, the_options.margin),
        crew(the_options),
        sleep_watch(the_options.sleep_time),
        certifier(the_world) {
    detector.setMaxPoints(options.max_contact_points);
    constraints = makeStepConstraints(world);
  }

  StepView view(double dt, double time) { return {time, dt, bodies, contacts, constraints, kept_kicks, &detector, &found}; }
  Search search(double dt) { return {world, detector, options, dt, found, bodies, contacts, remembered}; }
  void begin(double dt, const StepInputs& inputs, const State& state);
  void detect(double dt);
  void driftToKick(double dt);
  void moveIslands(double dt, double time, const StepMemory& memory);
  void requireFinite(double time) const;
  void lookAhead(double dt, double time);
  void finish(State& state, StepMemory& memory, double dt);
  void makeOutcomes(double dt);
  void certify(double dt, StepReport& report);
  void addUp(const Island& island, StepReport& report) const;
  void count(StepReport& report) const;
  void showKicks();

  const WorldModel& world;
  SimulatorOptions options;
  Detector detector;
  Placer placer;
  IslandCrew crew;
  SleepWatch sleep_watch;
  StepCertifier certifier;
  KickObserver kick_observer;
  KeptKicks kept_kicks = KeptKicks::none;
  std::vector<BodyForce> forces, next_forces;
  std::vector<StepBody> bodies;
  State before, after;
  Placement placement, next_placement;
  ContactSet found;       // at the start of the step
  ContactSet next_found;  // at its end, for a step of the same length from there
  Reach reach;
  std::vector<ShapePair> pairs;
  ImpactFinder impact_finder;
  LateContacts late_contacts;
  Retake retake;
  std::vector<StepContact> contacts;
  std::span<const ContactMemory> remembered;  // in the last step
  std::vector<StepConstraint> constraints;
  StepIslands islands;
  std::vector<ContactOutcome> contact_outcomes;
  std::vector<ContactMoment> contact_moments;
  std::vector<ConstraintOutcome> constraint_outcomes;
  std::vector<JointOutcome> joint_outcomes;
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
void Simulator::Work::begin(double dt, const StepInputs& inputs, const State& state) {
  const int moving = world.bodyCount();
  before = state;
  forces.resize(static_cast<std::size_t>(moving));
  bodies.resize(static_cast<std::size_t>(world.totalCount()));
  world.calcForces(state, dt, forces);
  takeInputs(world, inputs, forces, constraints);
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
      body.radius = placer.radiusOfSurroundings(i - moving);
    }
  }
  placer.calc(state, forces, dt, placement);
  for (StepConstraint& constraint : constraints) beginConstraint(state.time, bodies, constraint);
}

// What the step before saw at its end serves, if it looked for the same.
void Simulator::Work::detect(double dt) {
  if (placement.isSameAs(next_placement)) {
    std::swap(found, next_found);
  } else {
    detector.detect(placement.poses, placement.margins, found);
  }
  next_placement.poses.clear();
  reach.reset(bodies);
  if (reach.spread(found, dt, options.margin, placement.margins)) {
    detector.detect(placement.poses, placement.margins, found);
  }
  findPairs(found, pairs);
  impact_finder.find(search(dt), pairs);
}

// Contacts where the step ends, as the next one of this length will look for them.
void Simulator::Work::lookAhead(double dt, double time) {
  after.time = time + dt;
  after.bodies.resize(before.bodies.size());
  for (std::size_t i = 0; i < after.bodies.size(); ++i) after.bodies[i] = bodies[i].now;
  next_forces.resize(after.bodies.size());
  world.calcOwnForces(after, dt, next_forces);
  placer.calc(after, next_forces, dt, next_placement);
  detector.detect(next_placement.poses, next_placement.margins, next_found);
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
    if (contact.is_impact || contact.source < 0) {
      contact.point = 0.5 * (now_a.position + contact.arm_a + now_b.position + contact.arm_b);
      continue;
    }
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
  if (!retake.revert(view(dt, time), islands.all())) return;
  driftToKick(dt);
  crew.run(world, view(dt, time), memory, islands.all());
}

void Simulator::Work::addUp(const Island& done, StepReport& report) const {
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

void Simulator::Work::requireFinite(double time) const {
  for (int i = 0; i < world.bodyCount(); ++i) {
    const StepBody& body = bodies[i];
    if (body.now.position.allFinite() && body.now.velocity.allFinite() && body.now.omega.allFinite() &&
        body.now.orientation.coeffs().allFinite()) {
      continue;
    }
    throw std::runtime_error(fmt::format("body '{}' left the finite range in the step from t = {} s",
                                         world.body(i).name(), time));
  }
}

// Back into the state, all bodies or none.
void Simulator::Work::finish(State& state, StepMemory& memory, double dt) {
  state = after;
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

void Simulator::Work::makeOutcomes(double dt) {
  makeContactOutcomes(contacts, islands.all(), contact_outcomes, contact_moments);
  makeConstraintOutcomes(constraints, constraint_outcomes);
  calcJointOutcomes(world, before, after, dt, constraint_outcomes, joint_outcomes);
}

// The step judged by those who have not made it.
void Simulator::Work::certify(double dt, StepReport& report) {
  certifier.judge({before, after, dt, forces, contact_outcomes, contact_moments, constraint_outcomes, found, next_found},
                  report.certificate);
  const bool meets = report.certificate.meets(options.bounds);
  if (report.status == SolveStatus::solved && !meets) report.status = SolveStatus::inaccurate;
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

const std::vector<ContactOutcome>& Simulator::contacts() const { return work_->contact_outcomes; }
const std::vector<ConstraintOutcome>& Simulator::constraints() const { return work_->constraint_outcomes; }
const std::vector<JointOutcome>& Simulator::joints() const { return work_->joint_outcomes; }
const WorldModel& Simulator::world() const { return work_->world; }
const SimulatorOptions& Simulator::options() const { return work_->options; }

StepReport Simulator::step(double dt, State& state, StepMemory& memory) {
  return step(dt, StepInputs{}, state, memory);
}

StepReport Simulator::step(double dt, const StepInputs& inputs, State& state, StepMemory& memory) {
  Work& work = *work_;
  requireState(work.world, dt, state);
  StepReport report;
  const Stopwatch clock;
  work.begin(dt, inputs, state);
  work.remembered = memory.contacts;
  work.detect(dt);                       // gaps at the start pose, impacts, what contacts want
  report.times.detect = clock.seconds();
  work.moveIslands(dt, state.time, memory);
  report.times.drift = work.drift_seconds;
  for (const Island& island : work.islands.all()) work.addUp(island, report);
  work.count(report);
  work.showKicks();
#ifdef CORNET_PLANTED_FAULT
  plantFault(work.bodies, work.contacts, work.constraints);
#endif
  work.requireFinite(state.time);
  const double moved = clock.seconds();
  work.lookAhead(dt, state.time);
  const double looked = clock.seconds();
  work.makeOutcomes(dt);
  work.certify(dt, report);
  report.times.detect += looked - moved;
  report.times.certify = clock.seconds() - looked;
  work.finish(state, memory, dt);
  if (work.sleep_watch.isOn()) work.sleep_watch.finish(work.view(dt, state.time), memory);
  report.state_hash = hashOf(state);
  report.times.total = clock.seconds();
  return report;
}

}  // namespace cornet
