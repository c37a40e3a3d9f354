#include "cornet/sim/retake.h"

#include <algorithm>

#include <Eigen/Geometry>

#include "cornet/sim/drift.h"
#include "cornet/sim/energy_change.h"

namespace cornet {
namespace {

constexpr double kRestSpeed = 1e-4;  // [m/s] what is slower rests
constexpr double kNoTurn = 1e-10;    // [rad] bodies that turn less in a step roll nowhere

bool isFast(const StepBody& body) {
  return body.now.velocity.norm() + body.asset->radius() * body.now.omega.norm() > kRestSpeed;
}

// Whether it neither slips before nor after but by the errors of the scheme: friction drives no slip.
bool holdsAll(const StepContact& contact) {
  return contact.sticks(StepContact::kInside) ||
         (contact.mu > 0.0 && contact.tangentImpulse().dot(contact.u_turned + contact.u_after) > 0.0);
}

// (STEP-24)
void forgetVelocities(StepView& step, Island& island) {
  for (const int index : island.contacts) {
    StepContact& contact = step.contacts[index];
    if (!contact.carries()) continue;
    const Vector3d kept = holdsAll(contact) ? Vector3d(Vector3d::Zero())
                                            : Vector3d(contact.u_before - contact.normal.dot(contact.u_before) * contact.normal);
    island.retake_change = std::max(island.retake_change, (contact.u_before - kept).norm());
    contact.u_before = kept;
  }
}

// (STEP-25)
void movePoints(const Search& search, StepView& step, const Island& island) {
  for (const int index : island.contacts) {
    StepContact& contact = step.contacts[index];
    if (!contact.carries() || contact.source < 0) continue;
    const StepBody& a = step.bodies[contact.a];
    const StepBody& b = step.bodies[contact.b];
    const InertialState end_a = calcEndState(a, step.h);
    const InertialState end_b = calcEndState(b, step.h);
    const ManifoldPoint end = search.detector.evaluateAt(search.found, contact.source, end_a.pose(), end_b.pose());
    const Vector3d& n = contact.kick_normal;
    const Vector3d rate = b.displacement + b.turning.cross(contact.kick_arm_b) - a.displacement -
                          a.turning.cross(contact.kick_arm_a);
    const double missed = (end.gap - contact.gap) / step.h - n.dot(rate);
    const Vector3d across = n.cross(b.turning - a.turning);
    if (!(step.h * across.norm() > kNoTurn)) continue;
    const Vector3d move = missed / across.squaredNorm() * across;
    // Points move by less than their arms change in the step anyway, in world axes, or the rows say nothing about the gap.
    const Vector3d wander = b.moves() ? Vector3d(end.point_b - end_b.position - contact.arm_b)
                                      : Vector3d(end.point_a - end_a.position - contact.arm_a);
    if (move.norm() < wander.norm()) contact.moved += move;
  }
}

}  // namespace

bool prepareRetakes(const Search& search, StepView step, std::span<Island> islands) {
  bool any = false;
  for (Island& island : islands) {
    if (island.asleep || island.has_trees || island.has_impact || !island.constraints.empty() || island.bodies.empty()) continue;
    if (!std::ranges::any_of(island.bodies, [&](int i) { return isFast(step.bodies[i]); })) continue;
    if (anyTurns(step, island)) continue;
    const EnergyChange change = calcEnergyChange(step, island);
    if (!(change.gain > kEnergyRounding * change.kinetic)) continue;
    forgetVelocities(step, island);
    movePoints(search, step, island);
    island.is_done = false;
    island.is_retaken = true;
    any = true;
  }
  return any;
}

}  // namespace cornet
