#include "cornet/sim/island_step.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include "cornet/base/stopwatch.h"
#include "cornet/sim/drift.h"
#include "cornet/sim/energy_change.h"

namespace cornet {
namespace {

constexpr double kCapAccuracy = 1e-6;       // of the scale s
constexpr int kCapSteps = 30;
constexpr double kInsideAtRest = 1e-11;     // of the cone: impulses further inside are held at rest
constexpr int kPartsFirst = 4;              // what hits twice in a step, and cannot rebound from both at once, may do so one after the other
constexpr double kStickSpeed = 1e-13;       // [m/s] what sticks and moves faster is corrected

// Whether the point of a contact has jumped on its way to the kick, as that of a rim does from one side to the other: then
// how its rows turned says nothing about the rest of the step.
bool hasJumped(const StepView& step, const StepContact& contact, const Vector3d& u, double t) {
  constexpr double kFaster = 4.0;  // than what moves can explain
  constexpr double kFar = 0.5;     // of the body's radius
  const auto isFar = [&](const StepBody& body, const Vector3d& before, const Vector3d& now) {
    const double speed = body.now.omega.norm() * now.norm() + u.norm();
    return body.moves() && (now - before).norm() > std::max(kFaster * t * speed, kFar * body.asset->radius());
  };
  return isFar(step.bodies[contact.a], contact.arm_a, contact.kick_arm_a) ||
         isFar(step.bodies[contact.b], contact.arm_b, contact.kick_arm_b);
}

// Whether friction cannot stop the contact in this step: it slips by more than twice what the impulse that
// stops its approach could take away.
bool slidesThroughout(const StepView& step, const StepContact& contact, const Vector3d& u) {
  const Vector3d& n = contact.kick_normal;
  const Vector3d slip = u - n.dot(u) * n;
  const double speed = slip.norm();
  if (!(speed > 0.0)) return false;
  const StepBody& a = step.bodies[contact.a];
  const StepBody& b = step.bodies[contact.b];
  const double approach = std::max(0.0, -(n.dot(u) + step.h * contact.pull));
  const double W_t = a.calcInverseMass(contact.kick_arm_a, slip / speed) +
                     b.calcInverseMass(contact.kick_arm_b, slip / speed);
  return speed > 2.0 * contact.mu * approach * W_t / contact.inverse_mass;
}

}  // namespace

IslandStep::IslandStep(const SimulatorOptions& options)
    : options_(options),
      places_(options),
      solver_(options) {}

// (STEP-7)
void IslandStep::turnRows(StepView& step, const Island& island) const {
  const double theta = island.theta;
  for (const int index : island.contacts) {
    StepContact& contact = step.contacts[index];
    const StepBody& a = step.bodies[contact.a];
    const StepBody& b = step.bodies[contact.b];
    contact.inverse_mass = a.calcInverseMass(contact.kick_arm_a, contact.kick_normal) +
                           b.calcInverseMass(contact.kick_arm_b, contact.kick_normal);
    contact.u_turned = transport(contact.u_before, contact.normal, contact.kick_normal);
    contact.turning.setZero();
    if (contact.is_impact || theta < kShortDrift) continue;
    const Vector3d now = calcRelativeVelocity(calcKickState(a, theta * step.h), contact.kick_arm_a,
                                              calcKickState(b, theta * step.h), contact.kick_arm_b) +
                         calcBelt(a, b, contact.kick_normal);
    if (hasJumped(step, contact, now, theta * step.h)) continue;
    contact.turning = (1.0 - theta) / theta * (now - contact.u_turned);
    if (slidesThroughout(step, contact, now)) {
      // Friction acts against the slip of the kick pose; only what sticks must stick at the end.
      contact.turning = contact.turning.dot(contact.kick_normal) * contact.kick_normal;
    }
  }
}

void IslandStep::takeWarmStart(StepView& step, const Island& island, const StepMemory& memory) {
  const ConstraintRows& rows = problem_.problem().rows;
  solution_.lambda.setZero(rows.rowCount());
  const double factor = memory.dt > 0.0 ? step.h / memory.dt : 0.0;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    StepContact& contact = step.contacts[island.contacts[k]];
    const auto found = std::ranges::lower_bound(memory.contacts, contact.key, {}, &ContactMemory::key);
    const bool known = found != memory.contacts.end() && found->key == contact.key;
    if (known) contact.steady_impulse = factor * found->impulse;
    const double depth = std::max(0.0, -contact.gap);
    contact.given = known ? std::min(depth, found->given) : depth;
    // What this step found before late contacts came is better still.
    const bool solved = !contact.next_impulse.isZero(0.0);
    const Vector3d& impulse = solved ? contact.next_impulse : contact.steady_impulse;
    const auto block = static_cast<int>(k);
    const Vector3d lambda = problem_.axes(block).transpose() * impulse;
    solution_.lambda.segment(rows.offset(block), rows.size(block)) = lambda.head(rows.size(block));
  }
  for (const int index : island.constraints) {
    const StepConstraint& constraint = step.constraints[index];
    for (std::size_t k = 0; k < constraint.row_of.size(); ++k) {
      const std::size_t place = static_cast<std::size_t>(constraint.first) + k;
      if (constraint.row_of[k] < 0 || place >= memory.constraint_impulses.size()) continue;
      solution_.lambda[constraint.row_of[k]] = factor * memory.constraint_impulses[place];
    }
  }
}

// World impulses and velocities of the contacts, and impulses of the constraints, from the solution's rows.
void IslandStep::takeImpulses(StepView& step, const Island& island) const {
  const ConstraintRows& rows = problem_.rows();
  const double slip = StepContact::kSlip + 10.0 * solution_.certificate.absolute_velocity;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    StepContact& contact = step.contacts[island.contacts[k]];
    const auto block = static_cast<int>(k);
    const Matrix3d& axes = problem_.axes(block);
    Vector3d lambda = Vector3d::Zero();
    Vector3d u = Vector3d::Zero();
    if (rows.size(block) == 3) {
      lambda = solution_.lambda.segment<3>(rows.offset(block));
      u = solution_.u.segment<3>(rows.offset(block));
    } else {
      lambda[0] = solution_.lambda[rows.offset(block)];
      u[0] = solution_.u[rows.offset(block)];
    }
    u[0] += contact.wanted_after;
    contact.impulse = contact.next_impulse = contact.rest_impulse = axes * lambda;
    contact.rest_slip = contact.u_turned;
    contact.way_before.setZero();
    contact.u_after = axes * u;
    contact.slips = u.tail<2>().norm() > slip;
    contact.residual = k < solution_.certificate.blocks.size() ? solution_.certificate.blocks[k].velocity : 0.0;
  }
  for (const int index : island.constraints) {
    StepConstraint& constraint = step.constraints[index];
    for (std::size_t k = 0; k < constraint.row_of.size(); ++k) {
      const int row = constraint.row_of[k];
      constraint.impulse[static_cast<Eigen::Index>(k)] = row < 0 ? 0.0 : solution_.lambda[row];
      constraint.u_after[static_cast<Eigen::Index>(k)] = row < 0 ? 0.0 : solution_.u[row];
    }
  }
}

// What joints that turn with their bodies did to them, in the name of the one that pulls hardest.   (STEP-22)
void IslandStep::takeTautImpulses(StepView& step, const Island& island) const {
  for (const int index : island.constraints) {
    step.constraints[index].taut.setZero();
  }
  for (const int index : island.bodies) {
    const StepBody& body = step.bodies[index];
    if (!body.is_taut) continue;
    const Vector3d before = problem_.velocity().segment<3>(6 * body.block + 3);
    const Vector3d after = solution_.v.segment<3>(6 * body.block + 3);
    StepConstraint& constraint = step.constraints[body.taut_joint];
    const auto member = std::ranges::find(constraint.bodies, index) - constraint.bodies.begin();
    constraint.taut.segment<3>(3 * member) -= body.stiffness * (after - before) + body.damping * before;
  }
}

// Whether every contact that carries sticks, before and after: nothing slides or bounces.
bool IslandStep::isAtRest(const StepView& step, const Island& island) const {
  const auto mayGive = [&](int index) { return step.constraints[index].kind != LawKind::equality; };
  if (std::ranges::any_of(island.constraints, mayGive)) return false;
  return std::ranges::none_of(island.contacts, [&](int index) {
    const StepContact& contact = step.contacts[index];
    return contact.is_impact || (contact.normalImpulse() > 0.0 && !contact.sticks(kInsideAtRest));
  });
}

// (STEP-14), for contacts that carry.
void IslandStep::keepAtRest(StepView& step, const Island& island) {
  held_.clear();
  bool still = true;
  for (const int index : island.contacts) {
    const StepContact& contact = step.contacts[index];
    held_.push_back(contact.isActive() && contact.normalImpulse() > 0.0);
    if (!held_.back()) continue;
    still &= (contact.u_after - contact.wanted_after * contact.kick_normal).isZero(kStickSpeed);
  }
  held_.resize(static_cast<std::size_t>(problem_.rows().blockCount()), true);  // joints
  if (still) return;
  before_rest_ = solution_;
  RestKeeper& rest_keeper = rest_keepers_[static_cast<std::size_t>(island.bodies.front()) % rest_keepers_.size()];
  rest_keeper.correct(problem_.problem(), held_, solution_);
  if (!solution_.certificate.solved(options_.tolerance)) {
    solution_ = before_rest_;  // a law is broken elsewhere: what was solved stays
    return;
  }
  takeImpulses(step, island);
  next_ = solution_.lambda;
  v_next_ = solution_.v + step.h * problem_.acceleration();
  rest_keeper.predict(v_next_, held_, problem_.problem(), next_);
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const ConstraintRows& rows = problem_.rows();
    const auto block = static_cast<int>(k);
    step.contacts[island.contacts[k]].next_impulse =
        problem_.axes(block).leftCols(rows.size(block)) * next_.segment(rows.offset(block), rows.size(block));
  }
}

void IslandStep::beginParts(StepView& step, const Island& island, IslandReport& report) {
  const Stopwatch clock;
  const Solution& before = parts_.begin(step, island, solution_.lambda, problem_, solver_);
  report.iterations += before.iterations;
  report.factorizations += before.factorizations;
  report.solve_seconds += clock.seconds();
}

// κ of a motion that joints allow: the smallest that has as much of it as they leave. Whether there is any.  (STEP-35)
bool IslandStep::fitTurning(StepView& step, const Island& island) {
  constexpr double kRank = 1e-3;  // of a row: contacts that joints leave less motion than that have none
  if (is_fitted_) return false;
  is_fitted_ = true;
  turning_rows_.clear();
  bool any = false;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const StepContact& contact = step.contacts[island.contacts[k]];
    any |= !contact.turning.isZero(0.0);
    const ContactPlace place = *findPlace(step, contact, PlacePose::kick);
    const Matrix3d& axes = problem_.axes(static_cast<int>(k));
    for (int d = 0; d < 3; ++d) {
      addContactRow(step, contact, place, PlacePose::end, axes.col(d), axes.col(d).dot(contact.turning), turning_rows_);
    }
  }
  for (const int index : island.constraints) {
    const StepConstraint& constraint = step.constraints[index];
    if (constraint.kind == LawKind::box) continue;
    const bool is_limit = constraint.kind == LawKind::unilateral;
    for (Eigen::Index k = 0; k < constraint.C.size(); ++k) {
      if (constraint.row_of[k] < 0) continue;
      addConstraintRow(step, constraint, constraint.J, PlacePose::end, k, is_limit ? constraint.turning[k] : 0.0, turning_rows_);
      if (is_limit) turning_rows_.back().give = HeldRow::kContactGive;
      any |= is_limit && constraint.turning[k] != 0.0;
    }
  }
  if (!any || turning_rows_.size() > HeldRows::kMostRows) return false;
  turn_.setZero(problem_.velocity().size());
  turning_factors_.forget();
  turning_factors_.holdJointsFirst(problem_.problem().M, turning_rows_, kRank, turn_);
  if (!turn_.allFinite()) return false;
  problem_.setTurning(step, island, turn_);
  return true;
}

// Whether there was κ.                                                                     (STEP-35)
bool IslandStep::forgetTurning(StepView& step, const Island& island) {
  const auto turns = [&](int index) { return !step.contacts[index].turning.isZero(0.0); };
  const auto limitTurns = [&](int index) {
    const StepConstraint& constraint = step.constraints[index];
    return constraint.kind == LawKind::unilateral && !constraint.turning.isZero(0.0);
  };
  const bool any = std::ranges::any_of(island.contacts, turns) || std::ranges::any_of(island.constraints, limitTurns);
  turn_.setZero(problem_.velocity().size());
  if (any) problem_.setTurning(step, island, turn_);
  return any;
}

// Whether the kick asked for more than its gaps do, which then is left out.                  (STEP-35)
bool IslandStep::loosen(StepView& step, const Island& island, double& scale, IslandReport& report) {
  bool loosened = fitTurning(step, island);
  if (!loosened) {
    if (step.part >= step.share && options_.max_parts >= kPartsFirst) return false;
    const auto rebounds = [&](int index) { return step.contacts[index].is_impact && step.contacts[index].wanted > 0.0; };
    const bool asks = scale > 0.0 && std::ranges::any_of(island.contacts, rebounds);
    loosened = forgetTurning(step, island) || asks;
    scale = 0.0;
    if (asks) report.corrections.capped = 1;
    if (asks) report.corrections.cap = 1.0;
  }
  if (loosened) solution_.lambda.setZero(problem_.rows().rowCount());
  return loosened;
}

// The kick with the b of impacts scaled, at once (STEP-8) or in parts (STEP-23).
void IslandStep::solve(StepView& step, const Island& island, double scale, IslandReport& report) {
  do {
    if (in_parts_) {
      parts_.strike(step, island, scale, problem_, solver_, solution_);
      report.status = solution_.status;
      takeImpulses(step, island);
      parts_.finish(step, island, scale, problem_);
    } else {
      problem_.setWanted(step, island, scale);
      if (step.kept != KeptKicks::none) start_ = solution_.lambda;
      report.status = solver_.solve(problem_.problem(), solution_);
      takeImpulses(step, island);
    }
  } while (report.status != SolveStatus::solved && loosen(step, island, scale, report));
  if (report.status != SolveStatus::solved && solver_.isJammed(problem_.problem())) report.status = SolveStatus::infeasible;
}

// Solves and displaces.
void IslandStep::kick(StepView& step, const Island& island, double scale, IslandReport& report) {
  const Stopwatch clock;
  solve(step, island, scale, report);
  const bool coulomb = options_.friction_model == StepFriction::coulomb;
  if (coulomb && report.status == SolveStatus::solved && isAtRest(step, island)) {
    keepAtRest(step, island);
  }
  report.relative = solution_.certificate.relativeAboveFloor();
  report.velocity_error = solution_.certificate.absolute_velocity;
  report.impulse_error = solution_.certificate.absolute_impulse;
  report.iterations += solution_.iterations;
  report.factorizations += solution_.factorizations;
  report.solve_seconds += clock.seconds();
  const Stopwatch moving;
  v_after_ = solution_.v;
  if (!island.constraints.empty()) joint_drift_.fromKick(step, island, v_after_);
  if (in_parts_) {
    places_.holdInParts(step, island, problem_, parts_, v_after_);
  } else {
    places_.hold(step, island, problem_, v_after_);
  }
  report.displace_seconds += moving.seconds();
}

// A copy for the observer.
void IslandStep::keepRecord(const StepView& step, IslandReport& report) const {
  const bool missed = report.status != SolveStatus::solved;
  if (step.kept == KeptKicks::none || (step.kept == KeptKicks::missed && !missed)) return;
  report.record = std::make_unique<KickRecord>();
  if (in_parts_) {
    *report.record = parts_.worst();
    return;
  }
  report.record->time = step.time;
  report.record->problem = problem_.problem();
  report.record->start = start_;
  report.record->solution = solution_;
}

// What a constraint puts in: a motor pushes bodies at the rate they have, what moves by itself or with its surroundings
// drags bodies along. Others between bodies do no work, or take some.
double IslandStep::calcWorkOfConstraint(const StepView& step, const StepConstraint& constraint) const {
  const bool drives = constraint.kind == LawKind::box;
  double work = drives ? 0.0 : constraint.impulse.dot(constraint.target);
  for (std::size_t i = 0; i < constraint.bodies.size(); ++i) {
    const StepBody& body = step.bodies[constraint.bodies[i]];
    const Vector6d wrench = constraint.J.middleCols<6>(static_cast<Eigen::Index>(6 * i)).transpose() * constraint.impulse;
    if (body.moves()) {
      if (drives) work += wrench.dot(places_.w().segment<6>(6 * body.block));
    } else if (!drives) {
      work -= wrench.head<3>().dot(body.displacement) + wrench.tail<3>().dot(body.turning);
    }
  }
  return work;
}

// The same of a contact.
double IslandStep::calcWorkOfContact(const StepView& step, const StepContact& contact) const {
  const StepBody& a = step.bodies[contact.a];
  const StepBody& b = step.bodies[contact.b];
  double work = -contact.impulse.dot(calcBelt(a, b, contact.kick_normal));
  if (!a.moves()) work += contact.impulse.dot(a.displacement + a.turning.cross(contact.kick_arm_a));
  if (!b.moves()) work -= contact.impulse.dot(b.displacement + b.turning.cross(contact.kick_arm_b));
  return work;
}

double IslandStep::calcWorkOfSurroundings(const StepView& step, const Island& island) const {
  double work = 0.0;
  for (const int index : island.contacts) work += calcWorkOfContact(step, step.contacts[index]);
  for (const int index : island.constraints) work += calcWorkOfConstraint(step, step.constraints[index]);
  return work;
}

// Change of mechanical energy over the step, less what surroundings put in.
double IslandStep::calcEnergyGain(const StepView& step, const Island& island, double kinetic) const {
  double force_work = 0.0;
  for (std::size_t k = 0; k < island.bodies.size(); ++k) {
    const StepBody& body = step.bodies[island.bodies[k]];
    const auto place = static_cast<Eigen::Index>(6 * k);
    force_work += body.force.force.dot(places_.w().segment<3>(place)) +
                  body.force.torque.dot(places_.w().segment<3>(place + 3));
  }
  return problem_.calcKinetic(solution_.v) - kinetic - step.h * force_work -
         calcWorkOfSurroundings(step, island);
}

// The largest scale whose step gains nothing, by Illinois' rule.                           (STEP-13)
void IslandStep::capEnergy(StepView& step, const Island& island, IslandReport& report) {
  const auto rebounds = [&](int index) {
    return step.contacts[index].is_impact && step.contacts[index].wanted > 0.0;
  };
  if (!in_parts_ && std::ranges::none_of(island.contacts, rebounds)) return;
  const auto isSolved = [&] { return report.status == SolveStatus::solved; };  // or its gain is no measure
  const double kinetic = problem_.calcKinetic(problem_.velocity());
  double high = 1.0;
  double gain_high = calcEnergyGain(step, island, kinetic);
  if (!(gain_high > kEnergyRounding * kinetic)) return;
  report.corrections.capped = 1;
  double low = 0.0;
  kick(step, island, 0.0, report);
  double gain_low = calcEnergyGain(step, island, kinetic);
  if (gain_low > kEnergyRounding * kinetic) {  // another solution than from nothing
    solution_.lambda.setZero();
    kick(step, island, 0.0, report);
    gain_low = calcEnergyGain(step, island, kinetic);
  }
  double best = 0.0;
  double last = 0.0;
  best_lambda_ = solution_.lambda;
  for (int k = 0; k < kCapSteps && isSolved() && gain_low <= 0.0 && high - low >= kCapAccuracy; ++k) {
    const double scale = gain_high > gain_low ? (low * gain_high - high * gain_low) / (gain_high - gain_low)
                                              : 0.5 * (low + high);
    kick(step, island, scale, report);
    last = scale;
    const double gain = calcEnergyGain(step, island, kinetic);
    if (gain > 0.0) {
      high = scale;
      gain_high = gain;
      gain_low *= 0.5;
    } else {
      low = best = scale;
      best_lambda_ = solution_.lambda;
      gain_low = gain;
      gain_high *= 0.5;
    }
  }
  if (last != best) {  // jammed bodies may have several solutions: from the one that was found
    solution_.lambda = best_lambda_;
    kick(step, island, best, report);
    if (best > 0.0 && calcEnergyGain(step, island, kinetic) > kEnergyRounding * kinetic) {
      best = 0.0;
      solution_.lambda.setZero();
      kick(step, island, best, report);
    }
  }
  report.corrections.cap = 1.0 - best;
}

// What the bodies lose in the step, overlaps as they are: each what all lose together that impulses connect it with.
void IslandStep::calcLosses(const StepView& step, const Island& island) {
  const auto count = static_cast<int>(island.bodies.size());
  losses_.assign(island.bodies.size(), 0.0);
  groups_.reset(count);
  const auto add = [&](std::span<const int> bodies, double gain) {
    int first = -1;
    for (const int index : bodies) {
      if (!step.bodies[index].moves()) continue;
      if (first >= 0) groups_.unite(first, step.bodies[index].block);
      if (first < 0) first = step.bodies[index].block;
    }
    if (first >= 0) losses_[static_cast<std::size_t>(first)] -= gain;
  };
  for (const int index : island.bodies) {
    const StepBody& body = step.bodies[index];
    const auto place = static_cast<Eigen::Index>(6 * body.block);
    const auto kinetic = [&](const VectorXd& v) {
      const Vector6d own = v.segment<6>(place);
      return 0.5 * own.dot(problem_.problem().M.block(body.block).lazyProduct(own));
    };
    const Vector6d w = places_.w().segment<6>(place);
    const double pushed = step.h * (body.force.force.dot(w.head<3>()) + body.force.torque.dot(w.tail<3>()));
    add({&index, 1}, kinetic(solution_.v) - kinetic(problem_.velocity()) - pushed);
  }
  for (const int index : island.contacts) {
    const StepContact& contact = step.contacts[index];
    if (!contact.impulse.isZero(0.0)) add(std::array{contact.a, contact.b}, -calcWorkOfContact(step, contact));
  }
  for (const int index : island.constraints) {
    const StepConstraint& constraint = step.constraints[index];
    if (!constraint.impulse.isZero(0.0)) add(constraint.bodies, -calcWorkOfConstraint(step, constraint));
  }
  for (int k = 0; k < count; ++k) {
    if (groups_.find(k) != k) losses_[static_cast<std::size_t>(groups_.find(k))] += losses_[static_cast<std::size_t>(k)];
  }
  for (int k = 0; k < count; ++k) losses_[static_cast<std::size_t>(k)] = std::max(0.0, losses_[static_cast<std::size_t>(groups_.find(k))]);
}

// Lifts, then the end pose and what is open there.
void IslandStep::place(StepView& step, const Island& island, IslandReport& report) {
  if (places_.areMissed(step, island, problem_, v_after_, report.velocity_error)) {
    report.corrections.lifted = 1;
    calcLosses(step, island);
    report.corrections.lift = places_.lift(step, island, problem_, losses_);
  }
  for (const int index : island.contacts) {
    StepContact& contact = step.contacts[index];
    const double lift = step.h * contact.kick_normal.dot(problem_.calcDisplacementRate(step, contact, places_.w()));
    contact.given = std::max(0.0, contact.given - std::max(0.0, lift));
  }
  places_.finishDrifts(step, island, v_after_);
  if (island.constraints.empty() && !island.has_impact) return;
  report.corrections.projection = places_.close(step, island, problem_);
  report.corrections.projected = report.corrections.projection > 0.0;
}

IslandReport IslandStep::run(const WorldModel& world, StepView step, const Island& island,
                             const StepMemory& memory) {
  IslandReport report;
  const Stopwatch clock;
  turnRows(step, island);
  for (const int index : island.constraints) {
    turnConstraint(step.time, step.h, island.theta, step.bodies, step.constraints[index]);
  }
  if (!island.constraints.empty()) taut_joints_.set(step, island, island.theta);
  problem_.reset(world, step, island);
  problem_.assembleKick(step, island);
  is_fitted_ = false;
  takeWarmStart(step, island, memory);
  report.assemble_seconds = clock.seconds();
  solver_.setBrief(!isTriedAgain(countRefusals(island, memory)));
  in_parts_ = KickParts::areNeeded(step, island);
  if (in_parts_) beginParts(step, island, report);
  kick(step, island, 1.0, report);
  if (options_.energy_cap) capEnergy(step, island, report);
  keepRecord(step, report);
  report.work_in = calcWorkOfSurroundings(step, island);
  const Stopwatch moving;
  place(step, island, report);
  if (!island.constraints.empty()) {
    takeTautImpulses(step, island);
    joint_drift_.settleEnd(step, island);
  }
  report.displace_seconds += moving.seconds();
  return report;
}

}  // namespace cornet
