#pragma once

#include "cornet/constraints/constraint.h"

/// Contact at one point, and its friction: normal n from A into B, gap < 0 penetrates.
///
///   C = n·(p_B - p_A),   u_n = n·(v_B + ω_B × r_B - v_A - ω_A × r_A)                            (CON-6)
///   row of a direction d:   [-d, -(r_A × d), d, r_B × d]                                        (CON-7)
namespace cornet {

/// Witness points of a contact at the poses given, as the bodies see them.
struct ContactGeometry {
  Vector3d p_AC_A = Vector3d::Zero();  // on A, in A's axes
  Vector3d p_BC_B = Vector3d::Zero();  // on B, in B's axes
  Vector3d normal = Vector3d::UnitZ(); // unit, world axes
};

/// From world points on the two bodies. Throws std::invalid_argument unless the normal is a unit vector
/// (to 1e-6; it is then normalised).
ContactGeometry makeContactGeometry(const InertialState& stateA, const InertialState& stateB,
                                    const Vector3d& point_on_A, const Vector3d& point_on_B,
                                    const Vector3d& normal);

/// The normal row: unilateral. Restitution e gives u_n⁺ ≥ -e u_n⁻ when the gap closes within the step,
/// faster than the threshold.
class ContactConstraint final : public Constraint {
 public:
  ContactConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex, const ContactGeometry& geometry,
                    double restitution = 0.0, double restitution_threshold = 1e-2);

  int dimension() const override { return 1; }
  Eigen::VectorXd evaluate(const InertialState& stateA, const InertialState& stateB,
                           double time) const override;
  Eigen::MatrixXd jacobian(const InertialState& stateA, const InertialState& stateB,
                           double time) const override;
  LambdaBounds lambdaBounds() const override { return LambdaBounds::unilateral(); }
  Eigen::VectorXd reboundRate(const InertialState& stateA, const InertialState& stateB,
                              double time) const override;
  /// Penetration is not pushed out through velocities: that would add energy.
  double alpha() const override { return 0.0; }
  double beta() const override { return 0.0; }
  std::string typeName() const override { return "ContactConstraint"; }

 private:
  ContactGeometry geometry_;
  double restitution_;
  double threshold_;  // [m/s]
};

/// The two tangent rows of a contact; its law is the Coulomb cone over the normal of another
/// constraint, by default the one before it in the list.
class FrictionConstraint final : public Constraint {
 public:
  /// Throws std::invalid_argument unless mu ≥ 0; ∞ is allowed.
  FrictionConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex,
                     const ContactGeometry& geometry, double mu,
                     int normal = ConstraintLaw::kPreceding);

  int dimension() const override { return 2; }
  /// Sliding has no position to return to: zero.
  Eigen::VectorXd evaluate(const InertialState& stateA, const InertialState& stateB,
                           double time) const override;
  Eigen::MatrixXd jacobian(const InertialState& stateA, const InertialState& stateB,
                           double time) const override;
  /// ±μ times the normal force last set. The solver uses the cone of `law()` instead.
  LambdaBounds lambdaBounds() const override;
  ConstraintLaw law() const override { return ConstraintLaw::cone(mu_, normal_); }
  double alpha() const override { return 0.0; }
  double beta() const override { return 0.0; }
  std::string typeName() const override { return "FrictionConstraint"; }

  double frictionCoefficient() const { return mu_; }
  void setNormalForce(double force) { normal_force_ = force; }

 private:
  ContactGeometry geometry_;
  double mu_;
  int normal_;
  double normal_force_ = 0.0;  // [N]
};

}  // namespace cornet
