#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "cornet/base/short_list.h"
#include "cornet/body/inertial_state.h"
#include "cornet/constraints/lambda_bounds.h"
#include "cornet/problem/constraint_rows.h"

/// A constraint of one body, between two, or of any number: rows C(q, t) whose rate is J v.
///
///   bilateral    C = 0:  C̈ + β Ċ + α C = 0 is enforced                                        (CON-1)
///   unilateral   C ≥ 0:  C + dt (u - w) ≥ 0, closed: u ≥ w - dt α C;  an impact: u ≥ w + rebound; λ ≥ 0
///                                                                                           (CON-2)
///   box          u = w as far as lower ≤ λ ≤ upper allows, u = J v                              (CON-3)
///                or the impulse of a force law, as far as the bounds allow                      (DRV-1)
///   cone         Coulomb friction: rows (n, t1, t2), the normal as unilateral                   (CON-4)
///
/// w is the target rate, zero unless `targetRate()` says otherwise; Ċ = u - w. The row's velocity u is that of B
/// relative to A when the Jacobian is written [-A, +B].
///
/// A new constraint overrides the five pure functions and is used as it is: neither the assembly nor
/// any solver knows its type. docs/howto/add_a_constraint.md builds two of them. One of more than two bodies derives from
/// `ManyBodyConstraint`, one that takes no memory in a step from `InPlaceConstraint`, as those of the library do. Whoever uses
/// constraints asks them by the general functions, whose names end in At, or, in a step, in Into.
namespace cornet {

/// The law of a constraint's rows. For a cone the normal row is that of another constraint of the list
/// (`normal`: its index, or kPreceding for the one just before), or the first of its own three rows.
struct ConstraintLaw {
  static constexpr int kPreceding = -1;
  static constexpr int kOwnFirstRow = -2;

  LawKind kind = LawKind::equality;
  LambdaBounds bounds = LambdaBounds::bilateral();
  double mu = 0.0;
  int normal = kPreceding;

  static ConstraintLaw fromBounds(const LambdaBounds& bounds);
  static ConstraintLaw cone(double mu, int normal);
};

/// Where a joint sits and how far along its free direction it is. Position and rate are 0 where there is no such direction,
/// or more than one.
struct JointReading {
  Vector3d point = Vector3d::Zero();  // on B, or on the only body, in the world [m]
  double position = 0.0;              // [rad] or [m]
  double rate = 0.0;                  // [rad/s] or [m/s]
};

/// A force along a box row that depends on where the row's bodies are and how they move, within the bounds of its law:
///
///   F = -k x - d (u - w)                                                                      (DRV-1)
///
/// x is the stretch, how far the row is from where it pulls to. Steps take F implicitly, so that any k and d are stable.
struct ForceLaw {
  double stiffness = 0.0;  // k ≥ 0 [N/m] or [N m/rad]
  double damping = 0.0;    // d ≥ 0 [N s/m] or [N m s/rad]
  double stretch = 0.0;    // x [m] or [rad]
  double rate = 0.0;       // w [m/s] or [rad/s]
};

/// States of the bodies of a constraint, in its order.
using MemberStates = std::span<const InertialState>;

class Constraint {
 public:
  /// Constrains one body, or body B relative to body A. Indices into the solver's list of bodies.
  explicit Constraint(std::size_t bodyAIndex);
  Constraint(std::size_t bodyAIndex, std::size_t bodyBIndex);
  virtual ~Constraint() = default;

  /// Number of rows.
  virtual int dimension() const = 0;
  /// C(q, t). A constraint of one body ignores `stateB`.
  virtual Eigen::VectorXd evaluate(const InertialState& stateA, const InertialState& stateB,
                                   double time) const = 0;
  /// One body: ∂C/∂(x, q) in 7 columns, or the map from (v, ω) to Ċ in 6. Two bodies: 14 or 12.
  virtual Eigen::MatrixXd jacobian(const InertialState& stateA, const InertialState& stateB,
                                   double time) const = 0;
  virtual LambdaBounds lambdaBounds() const = 0;
  /// Name for messages.
  virtual std::string typeName() const = 0;

  /// Whether it acts at all in this state.
  virtual bool isActive(const InertialState& stateA, const InertialState& stateB,
                        double time) const;
  /// Baumgarte gains of (CON-1): α [1/s²], β [1/s].
  virtual double alpha() const { return 10.0; }
  virtual double beta() const { return 10.0; }
  virtual int bodyCount() const { return bodies_.size(); }

  /// By default what the bounds say.
  virtual ConstraintLaw law() const;
  /// J̇ v - ẇ, the part of C̈ that does not depend on accelerations; by default a central difference.
  virtual Eigen::VectorXd biasRate(const InertialState& stateA, const InertialState& stateB,
                                   double time) const;
  /// w, the wanted J v: the speed of a motor; -∂C/∂t when C moves by itself.
  virtual Eigen::VectorXd targetRate(const InertialState& stateA, const InertialState& stateB,
                                     double time) const;
  /// How fast a unilateral row is to open after an impact, given the velocities before it.
  virtual Eigen::VectorXd reboundRate(const InertialState& stateA, const InertialState& stateB,
                                      double time) const;

  /// The force law of a constraint with one box row that has one: a spring, a damper, a servo. It takes the place of the
  /// target rate. k and d must not both be zero.
  virtual std::optional<ForceLaw> forceLaw(const InertialState& stateA, const InertialState& stateB,
                                           double time) const;

  /// Whether C vanishes, or nearly so, where the constraint is not met: a hinge with opposite axes.
  virtual bool isTurnedOver(const InertialState& stateA, const InertialState& stateB) const;
  /// For outcomes of joints; by default the centre of B and no free direction.
  virtual JointReading reading(const InertialState& stateA, const InertialState& stateB) const;

  /// The same for any number of bodies, one state for each; J has 7 or 6 columns for each. Those of constraints of one or two
  /// bodies are the functions above.
  virtual Eigen::VectorXd evaluateAt(MemberStates states, double time) const;
  virtual Eigen::MatrixXd jacobianAt(MemberStates states, double time) const;
  /// C(q, t) at the end of a step of length dt that came from `before`, where poses alone do not tell all of it: a coupling of
  /// gears that skipped teeth is closed again. By default C at the end.
  virtual Eigen::VectorXd evaluateOver(MemberStates before, MemberStates after, double dt, double time) const;
  virtual bool isActiveAt(MemberStates states, double time) const;
  virtual Eigen::VectorXd biasRateAt(MemberStates states, double time) const;
  virtual Eigen::VectorXd targetRateAt(MemberStates states, double time) const;
  virtual Eigen::VectorXd reboundRateAt(MemberStates states, double time) const;
  virtual std::optional<ForceLaw> forceLawAt(MemberStates states, double time) const;
  virtual bool isTurnedOverAt(MemberStates states) const;
  virtual JointReading readingAt(MemberStates states) const;

  /// The same into storage that is kept. By default what those above return is copied.
  virtual void evaluateInto(MemberStates states, double time, VectorXd& C) const;
  virtual void jacobianInto(MemberStates states, double time, MatrixXd& J) const;
  virtual void evaluateOverInto(MemberStates before, MemberStates after, double dt, double time, VectorXd& C) const;
  virtual void targetRateInto(MemberStates states, double time, VectorXd& w) const;
  virtual void reboundRateInto(MemberStates states, double time, VectorXd& rate) const;

  std::size_t bodyAIndex() const { return bodies_[0]; }
  /// For a constraint of one body the same as bodyAIndex().
  std::size_t bodyBIndex() const { return bodyIndex(1); }
  /// Body k of bodyCount().
  std::size_t bodyIndex(int k) const { return bodies_[k < bodies_.size() ? k : 0]; }
  /// How many bodies it was made with.
  int listedCount() const { return bodies_.size(); }

 protected:
  /// Any number of bodies, at least one.
  explicit Constraint(std::span<const std::size_t> bodies);
  Constraint(const Constraint&) = default;
  Constraint& operator=(const Constraint&) = default;
  Constraint(Constraint&&) = default;
  Constraint& operator=(Constraint&&) = default;

 private:
  ShortList<std::size_t, 2> bodies_;
};

/// A constraint of any number of bodies, all of which may move: a coupling of joints. It overrides the two pure functions here,
/// and others that end in At as it needs them.
class ManyBodyConstraint : public Constraint {
 public:
  Eigen::VectorXd evaluateAt(MemberStates states, double time) const override = 0;
  /// 6 or 7 columns for each body.
  Eigen::MatrixXd jacobianAt(MemberStates states, double time) const override = 0;
  Eigen::VectorXd biasRateAt(MemberStates states, double time) const override;

  int bodyCount() const final { return listedCount(); }
  /// The same where there are two bodies. Throw std::logic_error where there are more.
  Eigen::VectorXd evaluate(const InertialState& stateA, const InertialState& stateB, double time) const final;
  Eigen::MatrixXd jacobian(const InertialState& stateA, const InertialState& stateB, double time) const final;

 protected:
  /// Indices into the solver's list of bodies, each once. Throws std::invalid_argument when the list is empty.
  explicit ManyBodyConstraint(std::span<const std::size_t> bodies);
};

/// A constraint that writes its values where it is told, and so takes no memory from step to step. It overrides the two pure functions
/// here, and others that end in Into as it needs them; those that return values go by them.
class InPlaceConstraint : public ManyBodyConstraint {
 public:
  /// Give the storage its size: as many entries, or rows, as the dimension.
  void evaluateInto(MemberStates states, double time, VectorXd& C) const override = 0;
  /// 6 or 7 columns for each body.
  void jacobianInto(MemberStates states, double time, MatrixXd& J) const override = 0;
  void evaluateOverInto(MemberStates before, MemberStates after, double dt, double time, VectorXd& C) const override;
  void targetRateInto(MemberStates states, double time, VectorXd& w) const override;
  void reboundRateInto(MemberStates states, double time, VectorXd& rate) const override;

  Eigen::VectorXd evaluateAt(MemberStates states, double time) const final;
  Eigen::MatrixXd jacobianAt(MemberStates states, double time) const final;
  Eigen::VectorXd evaluateOver(MemberStates before, MemberStates after, double dt, double time) const final;
  Eigen::VectorXd targetRateAt(MemberStates states, double time) const final;
  Eigen::VectorXd reboundRateAt(MemberStates states, double time) const final;
  Eigen::VectorXd targetRate(const InertialState& stateA, const InertialState& stateB, double time) const final;
  Eigen::VectorXd reboundRate(const InertialState& stateA, const InertialState& stateB, double time) const final;

 protected:
  using ManyBodyConstraint::ManyBodyConstraint;
  explicit InPlaceConstraint(std::size_t bodyIndex) : InPlaceConstraint(std::span(&bodyIndex, 1)) {}
  InPlaceConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex);
};

/// Throws std::invalid_argument beginning with `label` unless the constraint has one row, and k and d are finite, not
/// negative and not both zero.
void requireForceLaw(const std::string& label, const ForceLaw& force, int dimension);

/// Throws std::invalid_argument beginning with `label` unless bodyCount() is a number of bodies that the constraint can have, and
/// they are different ones.
void requireMembers(const std::string& label, const Constraint& constraint);

/// The Jacobian in velocity columns, 6 for each body; position-level ones are multiplied by
/// N(q) (BODY-1). Throws std::invalid_argument beginning with `label` when it has another shape or an
/// entry that is not finite.
Eigen::MatrixXd calcVelocityJacobian(const Constraint& constraint, MemberStates states, double time,
                                     const std::string& label);
Eigen::MatrixXd calcVelocityJacobian(const Constraint& constraint, const InertialState& stateA,
                                     const InertialState& stateB, double time,
                                     const std::string& label);
void calcVelocityJacobian(const Constraint& constraint, MemberStates states, double time, const std::string& label,
                          MatrixXd& velocity_jacobian);

/// J v for the velocities in the states.
Eigen::VectorXd calcRate(const Eigen::MatrixXd& velocity_jacobian, MemberStates states);
void calcRate(const Eigen::MatrixXd& velocity_jacobian, MemberStates states, VectorXd& rate);
Eigen::VectorXd calcRate(const Eigen::MatrixXd& velocity_jacobian, const InertialState& stateA,
                         const InertialState& stateB);

/// The largest linear or angular velocity among them.
double calcLargestSpeed(MemberStates states);

}  // namespace cornet
