#include "cornet/constraints/unit_quaternion_constraint.h"

namespace cornet {

Eigen::VectorXd UnitQuaternionConstraint::evaluate(const InertialState& stateA,
                                                   const InertialState&, double) const {
  return Eigen::VectorXd::Constant(1, stateA.orientation.squaredNorm() - 1.0);
}

Eigen::MatrixXd UnitQuaternionConstraint::jacobian(const InertialState& stateA,
                                                   const InertialState&, double) const {
  const Quaterniond& q = stateA.orientation;
  Eigen::MatrixXd J(1, 7);
  J << 0.0, 0.0, 0.0, 2.0 * q.w(), 2.0 * q.x(), 2.0 * q.y(), 2.0 * q.z();
  return J;
}

}  // namespace cornet
