#include "cornet/sim/retake.h"

#include <algorithm>
#include <map>

#include <Eigen/Geometry>

#include "cornet/math/tangent_basis.h"
#include "cornet/sim/contact_row.h"
#include "cornet/sim/drift.h"
#include "cornet/sim/energy_change.h"

namespace cornet {
namespace {

constexpr double kGain = 1e-12;     // of the kinetic energy: gains below are rounding
constexpr double kProximal = 1e-3;  // of the diagonal of W, as for (STEP-10)
constexpr int kRefinements = 5;
constexpr double kSlow = 1e-4;      // [m/s] what is slower rests
constexpr double kInCone = 1e-6;    // of its radius: impulses beyond are outside
constexpr double kNoTurn = 1e-10;   // [rad] bodies that turn less in a step roll nowhere

Pose poseOf(const InertialState& state) { return Pose(state.orientation, state.position); }

InertialState calcRetakenStart(const StepBody& body) {
  InertialState state = body.start;
  if (!body.moves()) return state;
  state.velocity = body.retaken_velocity;
  state.omega = body.retaken_omega;
  return state;
}

bool isFast(const StepBody& body) {
  return body.now.velocity.norm() + body.asset->radius() * body.now.omega.norm() > kSlow;
}

// Whether it neither slips before nor after but by the errors of the scheme: friction drives no slip.
bool holdsAll(const StepContact& contact) {
  return contact.sticks(StepContact::kInside) ||
         (contact.mu > 0.0 && contact.tangentImpulse().dot(contact.u_turned + contact.u_after) > 0.0);
}

}  // namespace

Retake::Retake() : held_rows_(kProximal, kRefinements) {}

// At the start.
void Retake::addRow(const StepView& step, int index, const Vector3d& direction) {
  const StepContact& contact = step.contacts[index];
  const auto motion = [](const StepBody& body) { return std::pair(body.start.velocity, body.start.omega); };
  const double belt = direction.dot(calcBelt(step.bodies[contact.a], step.bodies[contact.b], contact.normal));
  addHeldRow(step, contact, {contact.arm_a, contact.arm_b}, direction, -belt, motion, rows_);
  meaning_.emplace_back(index, direction);
}

// (STEP-24)
void Retake::project(StepView& step, Island& island) {
  M_.clear();
  v_.resize(static_cast<Eigen::Index>(6 * island.bodies.size()));
  for (const int i : island.bodies) {
    const StepBody& body = step.bodies[i];
    M_.appendBlock(6);
    M_.block(body.block).diagonal().head<3>().setConstant(body.asset->mass().mass);
    M_.block(body.block).bottomRightCorner<3, 3>() = body.asset->inertia().calcMatrix(body.start.orientation);
    v_.segment<6>(6 * body.block) << body.start.velocity, body.start.omega;
  }
  rows_.clear();
  meaning_.clear();
  for (const int index : island.contacts) {
    const StepContact& contact = step.contacts[index];
    if (!contact.carries()) continue;
    const Matrix3d axes = makeContactAxes(contact.normal);
    const int count = holdsAll(contact) ? 3 : 1;
    for (int t = 0; t < count; ++t) addRow(step, index, axes.col(t));
  }
  held_rows_.hold(M_, rows_, 0.0, v_, &multipliers_);
  island.start_impulses.clear();
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    island.start_impulses.emplace_back(meaning_[k].first, multipliers_[k] * meaning_[k].second);
  }
  for (const int i : island.bodies) {
    StepBody& body = step.bodies[i];
    const Vector6d change = v_.segment<6>(6 * body.block) -
                            (Vector6d() << body.start.velocity, body.start.omega).finished();
    island.retake_change = std::max(island.retake_change, change.head<3>().norm() + body.radius * change.tail<3>().norm());
    body.retaken_velocity = v_.segment<3>(6 * body.block);
    body.retaken_omega = v_.segment<3>(6 * body.block + 3);
  }
  for (const int index : island.contacts) {
    StepContact& contact = step.contacts[index];
    const StepBody& a = step.bodies[contact.a];
    const StepBody& b = step.bodies[contact.b];
    contact.u_before = calcRelativeVelocity(calcRetakenStart(a), contact.arm_a, calcRetakenStart(b), contact.arm_b) +
                       calcBelt(a, b, contact.normal);
  }
}

// (STEP-25)
void Retake::movePoints(const Search& search, StepView& step, const Island& island) {
  for (const int index : island.contacts) {
    StepContact& contact = step.contacts[index];
    if (!contact.carries() || contact.source < 0) continue;
    const StepBody& a = step.bodies[contact.a];
    const StepBody& b = step.bodies[contact.b];
    const InertialState end_a = calcEndState(a, step.h);
    const InertialState end_b = calcEndState(b, step.h);
    const ManifoldPoint end = search.detector.evaluateAt(search.found, contact.source, poseOf(end_a), poseOf(end_b));
    const Vector3d& n = contact.kick_normal;
    const Vector3d rate = b.displacement + b.turning.cross(contact.kick_arm_b) - a.displacement -
                          a.turning.cross(contact.kick_arm_a);
    const double missed = (end.gap - contact.gap) / step.h - n.dot(rate);
    const Vector3d across = n.cross(b.turning - a.turning);
    if (!(step.h * across.norm() > kNoTurn)) continue;
    const Vector3d move = missed / across.squaredNorm() * across;
    // Points move by less than they wander over the bodies anyway, or the rows say nothing about the gap.
    const Vector3d wander = b.moves() ? Vector3d(end.point_b - end_b.position - contact.arm_b)
                                      : Vector3d(end.point_a - end_a.position - contact.arm_a);
    if (move.norm() < wander.norm()) contact.moved += move;
  }
}

// (STEP-29)
bool Retake::revert(StepView step, std::span<Island> islands) const {
  bool any = false;
  std::map<int, Vector3d> total;
  for (Island& island : islands) {
    if (!island.is_retaken) continue;
    total.clear();
    for (const auto& [index, impulse] : island.start_impulses) {
      total.try_emplace(index, step.contacts[index].impulse).first->second += impulse;
    }
    const bool fits = std::ranges::all_of(total, [&](const auto& entry) {
      const StepContact& contact = step.contacts[entry.first];
      const double normal = entry.second.dot(contact.kick_normal);
      const double tangent = (entry.second - normal * contact.kick_normal).norm();
      return normal >= 0.0 && tangent <= contact.mu * normal * (1.0 + kInCone);
    });
    if (fits) continue;
    for (const int index : island.contacts) {
      StepContact& contact = step.contacts[index];
      const StepBody& a = step.bodies[contact.a];
      const StepBody& b = step.bodies[contact.b];
      contact.u_before = calcRelativeVelocity(a.start, contact.arm_a, b.start, contact.arm_b) + calcBelt(a, b, contact.normal);
      if (contact.carries()) contact.wanted -= std::max(0.0, contact.normal.dot(contact.u_before));
    }
    for (const int i : island.bodies) {
      step.bodies[i].retaken_velocity = step.bodies[i].start.velocity;
      step.bodies[i].retaken_omega = step.bodies[i].start.omega;
    }
    island.is_done = false;
    island.start_impulses.clear();
    island.retake_change = 0.0;
    any = true;
  }
  return any;
}

bool Retake::prepare(const Search& search, StepView step, std::span<Island> islands) {
  bool any = false;
  for (Island& island : islands) {
    if (island.asleep || island.has_trees || island.has_impact || !island.constraints.empty() || island.bodies.empty()) continue;
    if (!std::ranges::any_of(island.bodies, [&](int i) { return isFast(step.bodies[i]); })) continue;
    if (anyTurns(step, island)) continue;
    const EnergyChange change = calcEnergyChange(step, island);
    if (!(change.gain > kGain * change.kinetic)) continue;
    project(step, island);
    movePoints(search, step, island);
    island.is_done = false;
    island.is_retaken = true;
    island.lifts_wait = true;
    any = true;
  }
  return any;
}

}  // namespace cornet
