// The constraints of docs/howto/add_a_constraint.md: classes a user writes, which the solver has
// never heard of.
#include "support/states.h"
#include "cornet/constraints/constraint_solver.h"
#include "cornet/constraints/unit_quaternion_constraint.h"

namespace {

using namespace cornet;

// howto-begin: one body
/// Keeps the centre of a body at the height z = 1 m.
class MyConstraint : public Constraint {
public:
  MyConstraint(size_t bodyIndex)
    : Constraint(bodyIndex) {}  // Single-body: only bodyAIndex

  int dimension() const override { return 1; }

  Eigen::VectorXd evaluate(const InertialState& stateA,
                           const InertialState& /* stateB */,
                           double /* time */) const override {
    return Eigen::VectorXd::Constant(1, stateA.position.z() - 1.0);
  }

  Eigen::MatrixXd jacobian(const InertialState& /* stateA */,
                           const InertialState& /* stateB */,
                           double /* time */) const override {
    Eigen::MatrixXd J(1, 7);  // 1 constraint × 7 DOF (position-level)
    J << 0, 0, 1, 0, 0, 0, 0;
    return J;
  }

  LambdaBounds lambdaBounds() const override {
    return LambdaBounds::bilateral();
  }

  std::string typeName() const override { return "MyConstraint"; }
};
// howto-end

// howto-begin: two bodies
/// Keeps the centres of two bodies at the offset they share: B above A by 1 m.
class MyJointConstraint : public Constraint {
public:
  MyJointConstraint(size_t bodyAIndex, size_t bodyBIndex)
    : Constraint(bodyAIndex, bodyBIndex) {}  // Two-body constructor

  int dimension() const override { return 3; }  // 3 constraint rows
  int bodyCount() const override { return 2; }  // Two-body constraint

  Eigen::VectorXd evaluate(const InertialState& stateA,
                           const InertialState& stateB,
                           double /* time */) const override {
    // Constraint violation using both states
    return stateB.position - stateA.position - Eigen::Vector3d(0, 0, 1);
  }

  Eigen::MatrixXd jacobian(const InertialState& /* stateA */,
                           const InertialState& /* stateB */,
                           double /* time */) const override {
    Eigen::MatrixXd J(3, 12);  // 3 constraints × 12 DOF (velocity-level)
    J << -Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Zero(),
          Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Zero();
    return J;
  }

  LambdaBounds lambdaBounds() const override {
    return LambdaBounds::bilateral();
  }

  std::string typeName() const override { return "MyJointConstraint"; }
};
// howto-end

// howto-begin: in place
/// The same joint, written in place.
class MyWrittenJoint : public InPlaceConstraint {
public:
  MyWrittenJoint(size_t bodyAIndex, size_t bodyBIndex)
    : InPlaceConstraint(bodyAIndex, bodyBIndex) {}

  int dimension() const override { return 3; }

  void evaluateInto(MemberStates states, double /* time */, VectorXd& C) const override {
    C = states[1].position - states[0].position - Eigen::Vector3d(0, 0, 1);
  }

  void jacobianInto(MemberStates /* states */, double /* time */, MatrixXd& J) const override {
    J.resize(3, 12);  // the size it has already, but for the first time
    J << -Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Zero(),
          Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Zero();
  }

  LambdaBounds lambdaBounds() const override {
    return LambdaBounds::bilateral();
  }

  std::string typeName() const override { return "MyWrittenJoint"; }
};
// howto-end

// A 2 kg body hangs 1 m below a 3 kg body that a 7-column row holds in the air: the first row carries
// the weight of both, the joint that of the lower.
TEST(CustomConstraint, CarryWeightTogetherWithoutAnyChangeToTheSolver) {
  std::vector<RigidBody> bodies = {test::heavyBody({2.0, Matrix3d::Identity()}, {0, 0, 0}),
                                   test::heavyBody({3.0, Matrix3d::Identity()}, {0, 0, 1})};
  const MyConstraint height(1);
  const MyJointConstraint joint(0, 1);
  const UnitQuaternionConstraint unit_a(0), unit_b(1);
  const Constraint* list[] = {&unit_a, &height, &unit_b, &joint};  // 7, 7, 7 and 12 columns
  const SolveResult result = ConstraintSolver().solve(list, bodies);
  ASSERT_TRUE(result.converged) << result.message;
  ASSERT_EQ(result.lambdas.size(), 6);
  EXPECT_EQ(result.lambdas[0], 0.0);
  EXPECT_NEAR(result.lambdas[1], 5.0 * 9.81, 1e-9);
  EXPECT_EQ(result.lambdas[2], 0.0);
  EXPECT_NEAR(result.lambdas[5], -2.0 * 9.81, 1e-9);  // on B, downwards
  EXPECT_NEAR(result.body_forces[0].linear_force.z(), 2.0 * 9.81, 1e-9);
  EXPECT_LT(result.accelerations[0].norm() + result.accelerations[1].norm(), 1e-9);

  const MultiBodySolveResult step = ConstraintSolver().solveWithContacts(list, bodies, 0.01);
  ASSERT_TRUE(step.converged);
  EXPECT_EQ(step.solver_type, "direct");
  EXPECT_NEAR(step.lambdas[1], 0.01 * 5.0 * 9.81, 1e-11);  // an impulse

  const MyWrittenJoint written(0, 1);
  const Constraint* same[] = {&unit_a, &height, &unit_b, &written};
  EXPECT_EQ(ConstraintSolver().solve(same, bodies).lambdas, result.lambdas);
}

}  // namespace
