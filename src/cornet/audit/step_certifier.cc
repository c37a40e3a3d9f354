#include "cornet/audit/step_certifier.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "cornet/audit/new_overlap.h"
#include "cornet/audit/unexplained_motion.h"
#include "cornet/math/rotation.h"
#include "cornet/world/constraint_error.h"

namespace cornet {
namespace {

// [m/s] what impulses do at such speeds is rounding: solutions are solved to 1e-13 m/s at best. Of the energies at stake it excuses
// no more than this, however large impulses are.
constexpr double kFloor = 1e-12;
constexpr double kMostExcused = 1e-4;

// Of its size in a step: what is slower has no energy to speak of.
constexpr double kCrawl = 1e-10;

// [m/s] what a body misses of its momentum at such speeds is rounding: a joint passes on no more than that of what others do.
constexpr double kStill = 1e-13;

// Of a body's momenta: impulses below pass on less than a thousandth of the energy bound.
constexpr double kNothing = 1e-9;

// Of a body's momenta: impulses below change its motion by less than the bound of energies.
constexpr double kMatters = 1e-6;

// Sum of the absolute entries: momenta are compared by it, which costs no root.
double lengthOf(const Vector3d& x) { return x.cwiseAbs().sum(); }

double square(double x) { return x * x; }

// Whether a gain is what rounding does with impulses of so many N s.
bool isRounding(double gain, double passed, double reference) {
  return gain <= std::min(kFloor * passed, kMostExcused * reference);
}

// What a spring holds.
double calcStored(const JointDrive& spring, MemberStates states) {
  const std::optional<ForceLaw> law = spring.forceLawWith({}, states[0], states[1]);
  return 0.5 * law->stiffness * law->stretch * law->stretch;
}

// Whether bodies begin the step with velocities that the joint ends.
bool isAgainst(ConstraintView& before) {
  constexpr double kAgainst = 1e-8;  // [m/s], and of the speeds
  double speed = 1.0;
  for (const InertialState& state : before.states()) speed += state.velocity.norm();
  return (before.calcRate() - before.calcTargetRate()).norm() > kAgainst * speed;
}

constexpr double kPassage = 1.0;  // [sizes] what a way through another body counts

}  // namespace

StepCertifier::StepCertifier(const WorldModel& world)
    : world_(world), count_(world.bodyCount()), surroundings_(world), passages_(world), far_impulses_(world) {
  bodies_.resize(static_cast<std::size_t>(count_));
  begin_.resize(bodies_.size());
  end_.resize(bodies_.size());
  for (int i = 0; i < count_; ++i) {
    const AssetInertial& asset = world.body(i);
    const Vector3d& moments = asset.inertia().moments();
    bodies_[i].mass = asset.mass().mass;
    bodies_[i].size = asset.size();
    bodies_[i].unequal = moments.maxCoeff() / moments.minCoeff() - 1.0;
    bodies_[i].linear_drag = asset.linearDrag();
    calcMotion(i, asset.initial(), end_[i]);
  }
  for (std::size_t j = 0; j < world.joints().size(); ++j) {
    joint_of_.insert(joint_of_.end(), static_cast<std::size_t>(world.joints()[j].count), static_cast<int>(j));
  }
  for (const auto& constraint : world.constraints()) {
    before_.emplace_back(world, static_cast<int>(drives_.size()));
    after_.emplace_back(world, static_cast<int>(drives_.size()));
    drives_.push_back(dynamic_cast<const JointDrive*>(constraint.get()));
  }
  caches_ = world.makeCaches();
}

void StepCertifier::calcMotion(int i, const InertialState& state, BodyMotion& motion) const {
  const double m = bodies_[i].mass;
  const Vector3d L = world_.body(i).inertia().calcMomentum(state.orientation, state.omega);
  motion.orientation = state.orientation;
  motion.velocity = state.velocity;
  motion.omega = state.omega;
  motion.momentum = L;
  motion.velocity_length = lengthOf(state.velocity);
  motion.momentum_length = lengthOf(L);
  motion.kinetic = 0.5 * m * state.velocity.squaredNorm() + 0.5 * state.omega.dot(L);
}

// Momenta, energies and the work of forces, body by body.
void StepCertifier::beginBodies(const StepEvidence& step, EnergyReport& energy) {
  double load_work = 0.0, energy_before = 0.0;
  std::swap(begin_, end_);
  for (int i = 0; i < count_; ++i) {
    if (!step.concerns(i)) {
      bodies_[i].energy = bodies_[i].reference = bodies_[i].passed = 0.0;
      bodies_[i].kinetic_before = bodies_[i].kinetic_after = 0.0;
      bodies_[i].may_lose = false;
      continue;
    }
    const InertialState& before = step.before.bodies[i];
    const InertialState& after = step.after.bodies[i];
    const BodyForce& force = step.forces[i];
    BodyBalance& body = bodies_[i];
    const double m = body.mass;
    BodyMotion& begin = begin_[i];
    BodyMotion& end = end_[i];
    if (!begin.isThatOf(before)) calcMotion(i, before, begin);
    calcMotion(i, after, end);
    body.passed = 0.0;
    body.may_lose = body.linear_drag != 0.0;
    body.linear = m * (after.velocity - before.velocity) - step.dt * force.force;
    body.angular = end.momentum - begin.momentum - step.dt * force.torque;
    const double force_length = lengthOf(force.force);
    body.linear_size = m * (end.velocity_length + begin.velocity_length) + step.dt * force_length;
    body.angular_size = end.momentum_length + begin.momentum_length + step.dt * lengthOf(force.torque);
    body.kinetic_before = begin.kinetic;
    body.kinetic_after = end.kinetic;
    const Vector3d way = after.position - before.position;
    double work = force.force.dot(way);
    double drag = 0.0;
    body.has_links = world_.treeOf(i) >= 0;
    if (is_compliant_) {
      body.kick_velocity = after.velocity;
      body.kick_omega = body.has_links ? after.omega : world_.body(i).inertia().calcOmega(before.orientation, end.momentum);
    }
    if (!force.torque.isZero(0.0)) {
      const Vector3d turn = is_compliant_ ? Vector3d(step.dt * body.kick_omega)
                                          : Vector3d(logMap(after.orientation * before.orientation.conjugate()));
      work += force.torque.dot(turn);
      drag -= world_.body(i).angularDrag() * before.omega.dot(turn);
    }
    if (body.linear_drag != 0.0) drag -= body.linear_drag * before.velocity.dot(way);
    body.energy = body.kinetic_after - body.kinetic_before - work;
    body.reference = force_length * body.size + m * square(kCrawl * body.size / step.dt);
    load_work += work - drag - m * world_.gravity.dot(way);
    energy_before += begin.kinetic - m * world_.gravity.dot(before.position);
    energy.kinetic += end.kinetic;
    energy.potential -= m * world_.gravity.dot(after.position);
  }
  energy.work_in = load_work;
  energy.dissipated = energy_before - energy.kinetic - energy.potential;  // and all work, once it is known
}

// `length` is that of `linear`. What acts through the centre has no moment but by rounding: arms count as the body's size.
inline void StepCertifier::addImpulse(int body, const Vector3d& linear, const Vector3d& angular, double length) {
  if (!moves(body)) return;
  BodyBalance& balance = bodies_[body];
  balance.linear -= linear;
  balance.angular -= angular;
  balance.linear_size += length;
  balance.passed += length;
  balance.angular_size += balance.size * length;
}

// Whether an impulse of this length can pass energy on that counts: bodies that touch with next to nothing answer for themselves.
bool StepCertifier::counts(int body, double length) const {
  if (!moves(body)) return true;
  const BodyBalance& balance = bodies_[body];
  return length > kNothing * (balance.linear_size + balance.angular_size / balance.size);
}

// Whether it changes what the body does.
bool StepCertifier::matters(int body, double length) const {
  if (!moves(body)) return false;
  const BodyBalance& balance = bodies_[body];
  return length > kMatters * (balance.linear_size + balance.angular_size / balance.size);
}

void StepCertifier::join(int a, int b) {
  if (!moves(a) || !moves(b)) return;
  if (!joined_) groups_.reset(count_);
  joined_ = true;
  groups_.unite(a, b);
}

// Work that is done on the group of a body.
void StepCertifier::addWork(int body, double work) {
  if (work == 0.0 || !moves(body)) return;
  bodies_[body].energy -= work;
  bodies_[body].reference += std::abs(work);
  work_ += work;
}

// Of a point of a body in the kick of a compliant step; of surroundings their mean motion.
Vector3d StepCertifier::calcKickVelocity(int body, const Vector3d& arm) const {
  if (moves(body)) return bodies_[body].kick_velocity + bodies_[body].kick_omega.cross(arm);
  const PrescribedMotion& motion = surroundings_.of(body);
  return motion.linear + motion.angular.cross(arm);
}

// What compliance gives the group of a body, or takes from it; none of it is work from outside.
void StepCertifier::giveBack(int body, double energy) {
  bodies_[body].energy -= energy;
  bodies_[body].reference += std::abs(energy);
}

// The spring of a contact: no more than it held.                                                 (AUDIT-6)
void StepCertifier::releaseContact(const ContactOutcome& contact) {
  if (!(contact.stiffness > 0.0)) return;
  const double opening = contact.normal.dot(calcKickVelocity(contact.b, contact.arm_b) - calcKickVelocity(contact.a, contact.arm_a));
  const double work = contact.normalImpulse() * opening;
  const double begin = std::max(0.0, -contact.gap), end = std::max(0.0, -contact.gap - dt_ * opening);
  const double held = 0.5 * contact.stiffness * (begin * begin - end * end);
  giveBack(moves(contact.b) ? contact.b : contact.a, opening > 0.0 ? std::min(work, std::max(0.0, held)) : work);
}

// Contacts of two bodies follow each other: their impulses are added up before the bodies get them.
void StepCertifier::addContacts(std::span<const ContactOutcome> contacts) {
  open_pairs_.clear();
  for (std::size_t begin = 0, end = 0; begin < contacts.size(); begin = end) {
    const int a = contacts[begin].a;
    const int b = contacts[begin].b;
    const bool stands = !moves(a) && !surroundings_.isDriven(a);
    Vector3d linear = Vector3d::Zero(), moment_a = Vector3d::Zero(), moment_b = Vector3d::Zero();
    double length = 0.0, belts = 0.0;  // work of belts on what lies on them
    double shown = 0.0;                // of the length: what acted where gaps show that the bodies touched
    for (; end < contacts.size() && contacts[end].a == a && contacts[end].b == b; ++end) {
      const ContactOutcome& contact = contacts[end];
      const double own_length = lengthOf(contact.impulse);
      linear += contact.impulse;
      length += own_length;
      if (!far_impulses_.isOpen(contact)) shown += own_length;
      moment_b += contact.arm_b.cross(contact.impulse);
      if (!stands) moment_a += contact.arm_a.cross(contact.impulse);
      if (!surroundings_.allStand()) belts += surroundings_.calcBeltWork(a, contact) - surroundings_.calcBeltWork(b, contact);
      if (is_compliant_ && (moves(a) || moves(b))) releaseContact(contact);
    }
    if (length == 0.0) continue;
    if (shown <= kMatters * length && (moves(a) || moves(b))) open_pairs_.push_back({a, b, length});
    for (const int body : {a, b}) {
      if (moves(body)) bodies_[body].may_lose = true;
    }
    if (counts(a, length) || counts(b, length)) join(a, b);
    addImpulse(a, -linear, -moment_a, length);
    addImpulse(b, linear, moment_b, length);
    if (surroundings_.allStand()) continue;
    addWork(b, -surroundings_.calcWorkOn(a, -linear, -moment_a));
    addWork(a, -surroundings_.calcWorkOn(b, linear, moment_b));
    addWork(moves(b) ? b : a, belts);
  }
}

void StepCertifier::addMoment(const ContactMoment& moment) {
  addImpulse(moment.a, Vector3d::Zero(), moment.on_a, 0.0);
  addImpulse(moment.b, Vector3d::Zero(), moment.on_b, 0.0);
  addWork(moment.b, -surroundings_.calcWorkOn(moment.a, Vector3d::Zero(), moment.on_a));
  addWork(moment.a, -surroundings_.calcWorkOn(moment.b, Vector3d::Zero(), moment.on_b));
}

// Closure, impulses and work of one constraint.
void StepCertifier::addConstraint(const StepEvidence& step, int index, StepCertificate& certificate) {
  const ConstraintOutcome& outcome = step.constraints[index];
  if (!outcome.is_active) return;
  ConstraintView& after = after_[static_cast<std::size_t>(index)];
  const Constraint& constraint = after.constraint();
  const int count = constraint.bodyCount();
  const auto memberOf = [&](int k) { return static_cast<int>(constraint.bodyIndex(k)); };
  int moving = memberOf(0);
  for (int k = 1; k < count && !moves(moving); ++k) moving = memberOf(k);
  if (!moves(moving) || !step.concerns(moving)) return;
  ConstraintView& before = before_[static_cast<std::size_t>(index)];
  before.place(step.before);
  after.place(step.after);
  after.calcJacobian();  // by which errors become lengths
  const ConstraintError error = calcConstraintError(world_, after, after.evaluateOver(before.states(), step.dt));
  certificate[StepMeasure::closure].add({error.relative, moving, -1, joint_of_[index]});
  if (outcome.impulse.isZero(0.0)) return;

  // Of torques without a force the length is that of a force at the body's size.
  const auto lengthAt = [&](int body, const BodyImpulse& impulse) {
    return moves(body) ? std::max(lengthOf(impulse.linear), lengthOf(impulse.angular) / bodies_[body].size) : 0.0;
  };
  for (int k = 0; k < count; ++k) {
    const BodyImpulse& impulse = outcome.bodies[static_cast<std::size_t>(k)];
    addImpulse(memberOf(k), impulse.linear, impulse.angular, lengthAt(memberOf(k), impulse));
    if (memberOf(k) != moving) join(moving, memberOf(k));
  }
  if (is_compliant_) return addCompliantWork(step, index, moving);
  const LawKind kind = constraint.law().kind;
  if (kind == LawKind::box) {
    addDriveWork(step, index, moving);
  } else {  // what moves by itself
    addWork(moving, outcome.impulse.dot(0.5 * (before.calcTargetRate() + after.calcTargetRate())));
  }
  if (kind == LawKind::unilateral) bodies_[moving].may_lose = true;
  if (kind == LawKind::equality && isAgainst(before)) bodies_[moving].may_lose = true;
  for (int k = 0; k < count; ++k) {
    const BodyImpulse& impulse = outcome.bodies[static_cast<std::size_t>(k)];
    addWork(moving, -surroundings_.calcWorkOn(memberOf(k), impulse.linear, impulse.angular));
  }
}

// Drives at the rate they have; springs give what they held.
void StepCertifier::addDriveWork(const StepEvidence& step, int index, int moving) {
  const ConstraintOutcome& outcome = step.constraints[index];
  ConstraintView& before = before_[static_cast<std::size_t>(index)];
  ConstraintView& after = after_[static_cast<std::size_t>(index)];
  const JointDrive* drive = drives_[static_cast<std::size_t>(index)];
  if (drive != nullptr && drive->isSpring()) {
    const double held = calcStored(*drive, before.states()), left = calcStored(*drive, after.states());
    bodies_[moving].reference += std::max(held, left);  // is at stake too
    return addWork(moving, held - left);
  }
  bodies_[moving].may_lose = true;
  const VectorXd& rate_begin = before.calcRate();
  const VectorXd& rate_end = after.calcRate();
  double work = outcome.impulse.dot(0.5 * (rate_begin + rate_end));
  if (drive != nullptr) {
    // An effort acts at some time of the step: at the rates of its ends, all along the way, or in the middle, between two ways of
    // even rates, where the mean of the rates is 2 way/h less that of the ends.
    const double travel = drive->calcTravel(before.states(), after.states(), step.dt * (0.5 * (rate_begin[0] + rate_end[0])));
    const double along = outcome.impulse[0] * travel / step.dt;
    work = std::max({work, along, 2.0 * along - work});
  }
  addWork(moving, work);
}

// Impulses of a constraint at the velocities of the kick: of drives work from outside, of joints what their compliance gives back,
// and what surroundings do.                                                                      (AUDIT-6)
void StepCertifier::addCompliantWork(const StepEvidence& step, int index, int moving) {
  const Constraint& constraint = after_[static_cast<std::size_t>(index)].constraint();
  const ConstraintOutcome& outcome = step.constraints[index];
  double on_bodies = 0.0, on_surroundings = 0.0;
  for (int k = 0; k < constraint.bodyCount(); ++k) {
    const auto body = static_cast<int>(constraint.bodyIndex(k));
    const BodyImpulse& impulse = outcome.bodies[static_cast<std::size_t>(k)];
    if (moves(body)) {
      on_bodies += impulse.linear.dot(bodies_[body].kick_velocity) + impulse.angular.dot(bodies_[body].kick_omega);
    } else {
      on_surroundings += surroundings_.calcWorkOn(body, impulse.linear, impulse.angular);
    }
  }
  giveBack(moving, on_bodies);
  work_ += constraint.law().kind == LawKind::box ? on_bodies : -on_surroundings;
}

// Closure, work and links of one tree.
void StepCertifier::addTree(const StepEvidence& step, int k, StepCertificate& certificate) {
  const WorldTree& own = world_.tree(k);
  const TreeOutcome& outcome = step.trees[static_cast<std::size_t>(k)];
  if (!step.concerns(own.first)) return;
  for (int link = 1; link < own.tree->linkCount(); ++link) join(own.first, own.first + link);
  addWork(own.first, outcome.work);
  bodies_[own.first].may_lose = true;
  TreeCache& cache = *caches_[static_cast<std::size_t>(k)];
  own.tree->evaluate(outcome.q, TreeLevel::poses, cache);
  rows_.clear();
  own.tree->collectRows(cache, rows_);
  double size = std::numeric_limits<double>::infinity();
  for (int link = 0; link < own.tree->linkCount(); ++link) size = std::min(size, bodies_[own.first + link].size);
  for (const TreeRow& row : rows_) {
    if (row.kind == TreeRow::Kind::friction) continue;
    const double off = row.kind == TreeRow::Kind::equality ? std::abs(row.C) : std::max(0.0, -row.C);
    certificate[StepMeasure::closure].add({row.turns ? off : off / size, own.first});
  }
}

// The momentum of all links, of a tree that nothing holds.
void StepCertifier::judgeTreeMomentum(int k, WorstOf& worst) const {
  const WorldTree& own = world_.tree(k);
  if (!own.tree->floats()) return;
  Vector3d missing = Vector3d::Zero();
  double size = 0.0;
  for (int link = own.first; link < own.first + own.tree->linkCount(); ++link) {
    missing += bodies_[link].linear;
    size += bodies_[link].linear_size;
  }
  if (!(lengthOf(missing) <= worst.value * size)) worst.add({lengthOf(missing) / size, own.first});
}

void StepCertifier::judgeMotion(const StepEvidence& step, WorstOf& worst) {
  for (int i = 0; i < count_; ++i) {
    if (!step.concerns(i)) continue;
    const BodyBalance& body = bodies_[i];
    const InertialState& before = step.before.bodies[i];
    const InertialState& after = step.after.bodies[i];
    const PrincipalInertia* const inertia = world_.treeOf(i) < 0 ? &world_.body(i).inertia() : nullptr;
    const double way = calcUnexplainedWay(before, after, step.dt, step.forces[i].force, body.mass);
    if (way != 0.0) worst.add({way / body.size, i});
    const double turn = calcUnexplainedTurn(before, after, step.dt, inertia, body.unequal);
    worst.add({turn, i});
    if (!is_summing_) continue;
    sums_[i].way += way / body.size;
    sums_[i].turn += turn;
  }
  if (!is_summing_) {  // what goes through something in several parts does it in the whole step
    for (const Passages::Passage& passage : passages_.find(step)) worst.add({kPassage, passage.body, passage.other});
  }
  if (is_compliant_) return;
  for (const auto& [a, b, length] : open_pairs_) {
    if (!matters(a, length) && !matters(b, length)) continue;
    const bool is_a = moves(a) && (!moves(b) || bodies_[a].size <= bodies_[b].size);
    const int body = is_a ? a : b;
    const double apart = far_impulses_.calcDistance(a, b, step) / bodies_[body].size;
    worst.add({apart, body, is_a ? b : a});
    if (is_summing_) sums_[body].way += apart;
  }
}

// Shares are formed where they exceed the worst so far.
inline void StepCertifier::judgeMomentum(const BodyBalance& body, int i, WorstOf& worst) const {
  const double linear = lengthOf(body.linear);
  const double angular = lengthOf(body.angular);
  const double rounding = kStill * body.mass;
  if (linear <= rounding && angular <= rounding * body.size) return;
  if (!(linear <= worst.value * body.linear_size)) worst.add({linear / body.linear_size, i});
  if (!(angular <= worst.value * body.angular_size)) worst.add({angular / body.angular_size, i});
}

// Energies of groups are collected at their first bodies.
void StepCertifier::gatherGroups() {
  for (int i = 0; i < count_; ++i) {
    const int first = groups_.find(i);
    if (first == i) continue;
    bodies_[first].energy += bodies_[i].energy;
    bodies_[first].reference += bodies_[i].reference;
    bodies_[first].passed += bodies_[i].passed;
    bodies_[first].has_links |= bodies_[i].has_links;
    bodies_[first].kinetic_before += bodies_[i].kinetic_before;
    bodies_[first].kinetic_after += bodies_[i].kinetic_after;
    bodies_[first].may_lose |= bodies_[i].may_lose;
  }
}

void StepCertifier::beginSum() {
  is_summing_ = true;
  sums_.assign(static_cast<std::size_t>(count_), {});
  sum_groups_.reset(count_);
}

void StepCertifier::addToSum(const StepEvidence& step) {
  for (int i = 0; i < count_; ++i) {
    if (!step.concerns(i)) continue;
    const BodyBalance& body = bodies_[i];
    PartsSum& sum = sums_[i];
    sum.energy += body.energy;
    sum.passed += body.passed;
    sum.may_lose |= body.may_lose;
    sum.reference = std::max(sum.reference, std::max(body.kinetic_before, body.kinetic_after) + body.reference);
    if (groupOf(i) != i) sum_groups_.unite(i, groupOf(i));
  }
}

void StepCertifier::judgeSum(StepCertificate& certificate) {
  is_summing_ = false;
  for (int i = 0; i < count_; ++i) {
    const int first = sum_groups_.find(i);
    if (first == i) continue;
    sums_[first].energy += sums_[i].energy;
    sums_[first].reference += sums_[i].reference;
    sums_[first].passed += sums_[i].passed;
    sums_[first].may_lose |= sums_[i].may_lose;
  }
  certificate[StepMeasure::energy] = certificate[StepMeasure::motion] = {};
  certificate.energy.gained = 0.0;
  for (int i = 0; i < count_; ++i) {
    const PartsSum& sum = sums_[i];
    certificate[StepMeasure::motion].add({sum.way, i});
    certificate[StepMeasure::motion].add({sum.turn, i});
    const double gain = sum.may_lose ? sum.energy : std::abs(sum.energy);
    if (sum_groups_.find(i) != i || isRounding(gain, sum.passed, sum.reference)) continue;
    certificate.energy.gained += std::max(0.0, sum.energy);
    certificate[StepMeasure::energy].add({gain / sum.reference, i});
  }
}

// Momentum of every body, energy of every group.
void StepCertifier::judgeBalances(const StepEvidence& step, StepCertificate& certificate) {
  if (is_summing_) addToSum(step);
  if (joined_) gatherGroups();
  for (int i = 0; i < count_; ++i) {
    if (!step.concerns(i)) continue;
    const BodyBalance& body = bodies_[i];
    if (world_.treeOf(i) < 0) judgeMomentum(body, i, certificate[StepMeasure::momentum]);
    if (groupOf(i) != i) continue;
    const double reference = std::max(body.kinetic_before, body.kinetic_after) + body.reference;
    const double gain = body.may_lose || is_compliant_ ? body.energy : std::abs(body.energy);
    if (isRounding(gain, body.passed, reference)) continue;
    certificate.energy.gained += std::max(0.0, body.energy);
    if (is_compliant_ && body.has_links) continue;  // Coriolis' forces are explicit: their energy is right to first order
    certificate[StepMeasure::energy].add({gain / reference, i});
  }
}

void StepCertifier::judge(const StepEvidence& step, StepCertificate& certificate) {
  certificate = {};
  work_ = 0.0;
  is_compliant_ = step.is_compliant;
  dt_ = step.dt;
  joined_ = false;
  beginBodies(step, certificate.energy);
  surroundings_.place(step.before, step.dt);
  addContacts(step.contacts);
  for (const ContactMoment& moment : step.moments) addMoment(moment);
  for (int k = 0; k < static_cast<int>(step.constraints.size()); ++k) addConstraint(step, k, certificate);
  for (int k = 0; k < world_.treeCount(); ++k) addTree(step, k, certificate);
  judgeMotion(step, certificate[StepMeasure::motion]);
  for (int k = 0; k < world_.treeCount(); ++k) {
    if (step.concerns(world_.tree(k).first)) judgeTreeMomentum(k, certificate[StepMeasure::momentum]);
  }
  judgeBalances(step, certificate);
  judgeNewOverlap(world_, step.found_before, step.found_after, certificate[StepMeasure::overlap]);
  certificate.energy.work_in += work_;
  certificate.energy.dissipated += certificate.energy.work_in;
}

}  // namespace cornet
