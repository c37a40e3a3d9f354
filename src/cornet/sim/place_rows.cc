#include "cornet/sim/place_rows.h"

#include <Eigen/Geometry>

#include "cornet/sim/drift.h"

namespace cornet {
namespace {

constexpr double kOnIt = 1e-14;       // C of this size, relative to the positions, is rounding; gaps times the softness

// What surroundings do in what is asked for.
double calcOwn(const StepBody& body, PlacePose pose, const Vector6d& g) {
  if (pose == PlacePose::end) return 0.0;
  return g.head<3>().dot(body.displacement) + g.tail<3>().dot(body.turning);
}

void addPart(const StepBody& body, PlacePose pose, const Vector6d& g, HeldRow& row) {
  if (body.moves()) {
    row.add(body.block, g);
  } else {
    row.target -= calcOwn(body, pose, g);
  }
}

}  // namespace

std::optional<ContactPlace> findPlace(const StepView& step, const StepContact& contact, PlacePose pose) {
  if (pose == PlacePose::kick) return ContactPlace{contact.kick_normal, contact.kick_arm_a, contact.kick_arm_b, contact.gap};
  if (contact.source < 0) return std::nullopt;
  const InertialState a = calcEndState(step.bodies[contact.a], step.h);
  const InertialState b = calcEndState(step.bodies[contact.b], step.h);
  const std::optional<ManifoldPoint> point = step.detector->followFeature(*step.found, contact.source, a.pose(), b.pose());
  if (!point) return std::nullopt;
  const double rounding = kOnIt * (1.0 + a.position.norm() + b.position.norm());
  return ContactPlace{point->normal, point->point_a - a.position, point->point_b - b.position, point->gap, rounding};
}

void addContactRow(const StepView& step, const StepContact& contact, const ContactPlace& place, PlacePose pose,
                   const Vector3d& direction, double target, HeldRowList& rows) {
  const StepBody& a = step.bodies[contact.a];
  const StepBody& b = step.bodies[contact.b];
  HeldRow& row = rows.add().reset();
  row.give = HeldRow::kContactGive;
  row.target = pose == PlacePose::kick ? target - direction.dot(calcBelt(a, b, place.normal)) : target;
  Vector6d g;
  g << direction, place.arm_a.cross(direction);
  addPart(a, pose, -g, row);
  g.tail<3>() = place.arm_b.cross(direction);
  addPart(b, pose, g, row);
}

void addConstraintRow(const StepView& step, const StepConstraint& constraint, const MatrixXd& J, PlacePose pose,
                      Eigen::Index k, double target, HeldRowList& rows) {
  HeldRow& row = rows.add().reset(target);
  for (std::size_t i = 0; i < constraint.bodies.size(); ++i) {
    addPart(step.bodies[constraint.bodies[i]], pose, J.row(k).segment<6>(static_cast<Eigen::Index>(6 * i)).transpose(), row);
  }
}

void addActingRows(const StepView& step, const StepConstraint& constraint, HeldRowList& rows) {
  for (Eigen::Index k = 0; k < constraint.J.rows(); ++k) {
    if (constraint.inverse_mass[k] > 0.0) addConstraintRow(step, constraint, constraint.J, PlacePose::end, k, 0.0, rows);
  }
}

ConstraintPlace findEnd(const StepView& step, StepConstraint& constraint) {
  PlacedConstraint& law = constraint.law;
  law.place(step.time + step.h, [&](int body) { return calcEndState(step.bodies[body], step.h); });
  double size = 1.0;
  for (const InertialState& state : law.states()) size += state.position.norm();
  const VectorXd& C = law.evaluate();
  return {C, law.calcJacobian(), kOnIt * size};
}

}  // namespace cornet
