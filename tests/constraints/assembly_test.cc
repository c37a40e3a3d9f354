#include <functional>
#include <limits>

#include "support/states.h"
#include "cornet/constraints/assembly.h"
#include "cornet/constraints/constraint_solver.h"
#include "cornet/constraints/contact_constraint.h"
#include "cornet/constraints/distance_constraint.h"
#include "cornet/constraints/joints/joint_drives.h"
#include "cornet/constraints/joints/joints.h"
#include "cornet/constraints/unit_quaternion_constraint.h"
#include "support/dense.h"

namespace cornet {
namespace {

using test::ground;
using test::heavyBody;
using test::kCube;
using test::randomState;

// A constraint whose every answer a test can choose.
class Scripted : public Constraint {
 public:
  using Constraint::Constraint;
  int dimension() const override { return rows; }
  Eigen::VectorXd evaluate(const InertialState&, const InertialState&, double) const override {
    return Eigen::VectorXd::Constant(rows, C);
  }
  Eigen::MatrixXd jacobian(const InertialState&, const InertialState&, double) const override {
    return J;
  }
  LambdaBounds lambdaBounds() const override { return bounds; }
  std::string typeName() const override { return "Scripted"; }
  ConstraintLaw law() const override { return given_law ? *given_law : Constraint::law(); }
  double alpha() const override { return gain; }
  int bodyCount() const override { return count > 0 ? count : Constraint::bodyCount(); }

  int count = 0;
  int rows = 1;
  double C = 0.0;
  double gain = 10.0;
  Eigen::MatrixXd J = Eigen::MatrixXd::Ones(1, 6);
  LambdaBounds bounds = LambdaBounds::bilateral();
  std::optional<ConstraintLaw> given_law;
};

std::string refusalOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Assembly, DropsUnitQuaternionRows) {
  const RigidBody bodies[] = {heavyBody(kCube, {0, 0, 0})};
  const UnitQuaternionConstraint unit(0);
  const DistanceConstraint rod(0, Vector3d::Zero(), Vector3d(0, 0, 2), 2.0);
  const Constraint* both[] = {&unit, &rod};
  const ContactProblem problem = ConstraintSolver().assemble(both, bodies, 0.01);
  EXPECT_EQ(problem.rows.rowCount(), 1);
  EXPECT_EQ(problem.rows.origin[0], (Origin{Origin::Kind::constraint, 1}));
  const Constraint* alone[] = {&unit};
  EXPECT_EQ(ConstraintSolver().assemble(alone, bodies, 0.01).rows.rowCount(), 0);
  EXPECT_TRUE(ConstraintSolver().solveWithContacts(alone, bodies, 0.01).converged);
}

TEST(Assembly, BilateralBiasIsThatOfTheFormula) {
  std::mt19937 random(3);
  RigidBody bodies[2];
  for (RigidBody& body : bodies) body.state = randomState(random);
  const DistanceConstraint rod(0, 1, {0.1, 0.2, 0.3}, {0.3, 0.1, 0.0}, 0.4);
  const Constraint* list[] = {&rod};
  const double dt = 0.01;
  const ContactProblem problem = ConstraintSolver().assemble(list, bodies, dt);
  const InertialState& a = bodies[0].state;
  const InertialState& b = bodies[1].state;
  const double rate = calcRate(rod.jacobian(a, b, 0.0), a, b)[0];
  const double expected = -rate + dt * (rod.biasRate(a, b, 0.0)[0] +
                                        10.0 * rod.evaluate(a, b, 0.0)[0] + 10.0 * rate);
  EXPECT_NEAR(problem.bias[0], expected, 1e-14);
}

TEST(Assembly, UnilateralBiasClosesAnOpenGapAndRelaxesAPenetration) {
  const RigidBody bodies[] = {ground(), heavyBody(kCube, {0, 0, 0})};
  Scripted row(1);
  row.bounds = LambdaBounds::unilateral();
  const Constraint* list[] = {&row};
  row.C = 0.02;
  EXPECT_DOUBLE_EQ(ConstraintSolver().assemble(list, bodies, 0.01).bias[0], 2.0);
  row.C = -0.02;
  EXPECT_DOUBLE_EQ(ConstraintSolver().assemble(list, bodies, 0.01).bias[0], -0.01 * 10.0 * 0.02);
}

TEST(Assembly, BoxBoundsAreForcesTimesTheStep) {
  const RigidBody bodies[] = {heavyBody(kCube, {0, 0, 0})};
  Scripted row(0);
  row.bounds = LambdaBounds::boxConstrained(-3.0, 5.0);
  const Constraint* list[] = {&row};
  const ContactProblem problem = ConstraintSolver().assemble(list, bodies, 0.01);
  EXPECT_DOUBLE_EQ(problem.rows.lower[0], -0.03);
  EXPECT_DOUBLE_EQ(problem.rows.upper[0], 0.05);
}

TEST(Assembly, KinematicBodiesHaveNoColumnsButAVelocity) {
  RigidBody belt = ground();
  belt.state.velocity = Vector3d(0.5, 0.0, 0.0);
  const RigidBody bodies[] = {belt, heavyBody(kCube, {0, 0, 0.5})};
  const ContactGeometry geometry = makeContactGeometry(
      belt.state, bodies[1].state, Vector3d::Zero(), Vector3d::Zero(), Vector3d::UnitZ());
  const ContactConstraint normal(0, 1, geometry);
  const FrictionConstraint friction(0, 1, geometry, 0.5);
  const Constraint* list[] = {&normal, &friction};
  const ContactProblem problem = ConstraintSolver().assemble(list, bodies, 0.01);
  EXPECT_EQ(problem.J.cols(), 6);
  EXPECT_EQ(problem.rows.kind[0], LawKind::cone);
  const Vector3d surface = problem.bias.head<3>();  // -velocity of the belt in contact axes
  EXPECT_NEAR(surface.norm(), 0.5, 1e-15);
  EXPECT_NEAR(surface[0], 0.0, 1e-15);
}

TEST(Assembly, RowsBetweenFixedBodiesAreDropped) {
  const RigidBody bodies[] = {ground(), ground(), heavyBody(kCube, {0, 0, 0})};
  const BallJoint joint(0, 1, {}, {}, Vector3d::Zero());
  const Constraint* list[] = {&joint};
  const MultiBodySolveResult result = ConstraintSolver().solveWithContacts(list, bodies, 0.01);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.lambdas, VectorXd(VectorXd::Zero(3)));
}

TEST(Assembly, FrictionWithoutACoefficientLeavesAUnilateralRow) {
  const RigidBody bodies[] = {ground(), heavyBody(kCube, {0, 0, 0.5})};
  const ContactGeometry geometry{Vector3d::Zero(), {0, 0, -0.5}, Vector3d::UnitZ()};
  const ContactConstraint normal(0, 1, geometry);
  const FrictionConstraint friction(0, 1, geometry, 0.0);
  const Constraint* list[] = {&normal, &friction};
  const ContactProblem problem = ConstraintSolver().assemble(list, bodies, 0.01);
  ASSERT_EQ(problem.rows.blockCount(), 1);
  EXPECT_EQ(problem.rows.kind[0], LawKind::unilateral);
  const MultiBodySolveResult result = ConstraintSolver().solveWithContacts(list, bodies, 0.01);
  EXPECT_EQ(result.solver_type, "ASM");
  EXPECT_EQ(result.lambdas.size(), 3);
  EXPECT_EQ(result.lambdas[1], 0.0);
}

// A user's own cone of three rows needs no other constraint.
TEST(Assembly, AConeMayBringItsOwnNormal) {
  const RigidBody bodies[] = {heavyBody(kCube, {0, 0, 0})};
  Scripted cone(0);
  cone.rows = 3;
  cone.J = Eigen::MatrixXd::Zero(3, 6);
  cone.J(0, 2) = cone.J(1, 0) = cone.J(2, 1) = 1.0;
  cone.given_law = ConstraintLaw::cone(0.5, ConstraintLaw::kOwnFirstRow);
  const Constraint* list[] = {&cone};
  const MultiBodySolveResult result = ConstraintSolver().solveWithContacts(list, bodies, 0.01);
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.lambdas[0], 0.0981, 1e-15);
}

TEST(Assembly, ContactValuesGiveTheRowsOfContactConstraints) {
  std::mt19937 random(8);
  RigidBody bodies[2];
  for (RigidBody& body : bodies) body.state = randomState(random);
  const Vector3d on_a(0.1, 0.2, 0.3);
  const Vector3d normal = Vector3d(1.0, 2.0, 2.0).normalized();
  const Vector3d on_b = on_a + 0.05 * normal;
  const ContactGeometry geometry =
      makeContactGeometry(bodies[0].state, bodies[1].state, on_a, on_b, normal);
  const ContactConstraint contact(0, 1, geometry);
  const FrictionConstraint friction(0, 1, geometry, 0.3);
  const Constraint* list[] = {&contact, &friction};
  const ContactProblem expected = ConstraintSolver().assemble(list, bodies, 0.01);

  std::vector<BodyInProblem> table = {{bodies[0].state, 0}, {bodies[1].state, 1}};
  ContactProblem problem;
  problem.M = expected.M;
  problem.v_free = expected.v_free;
  ContactPoint point;
  point.body_a = 0;
  point.body_b = 1;
  point.p_AC_W = on_a - bodies[0].state.position;
  point.p_BC_W = on_b - bodies[1].state.position;
  point.normal = normal;
  point.bias[0] = 0.05 / 0.01;
  point.mu = 0.3;
  point.key = 17;
  Assembler assembler;
  assembler.reset(table, 0.01, 0.0, AssemblyLevel::velocity, problem);
  assembler.add(std::span<const ContactPoint>(&point, 1));
  assembler.finish();
  problem.validate();
  EXPECT_LT((test::toDense(problem.J) - test::toDense(expected.J)).norm(), 1e-14);
  EXPECT_LT((problem.bias - expected.bias).norm(), 1e-12);
  EXPECT_EQ(problem.rows.mu[0], 0.3);
  EXPECT_EQ(problem.rows.key[0], 17u);
}

// A mechanism of one angle: a body on an arm of length 2 about z. Its Jacobian maps θ̇ to the twist.
TEST(Assembly, BodiesOfATreeUseItsJacobian) {
  BodyInProblem arm;
  arm.state.position = Vector3d(2.0, 0.0, 0.0);
  arm.tree = 0;
  BodyJacobian jacobian(6, 1);
  jacobian << 0.0, 2.0, 0.0, 0.0, 0.0, 1.0;
  arm.jacobian = &jacobian;
  const std::vector<BodyInProblem> bodies = {arm, {}};
  ContactProblem problem;
  const int sizes[] = {1};
  problem.M = BlockDiagonalMatrix(sizes);
  problem.M.block(0)(0, 0) = 4.0;
  problem.v_free = VectorXd::Constant(1, -3.0);
  ContactPoint point;  // the ground is A, the body B comes down on it along -y
  point.body_a = 1;
  point.body_b = 0;
  point.normal = Vector3d::UnitY();
  Assembler assembler;
  assembler.reset(bodies, 0.01, 0.0, AssemblyLevel::velocity, problem);
  assembler.add(std::span<const ContactPoint>(&point, 1));
  assembler.finish();
  EXPECT_EQ(problem.J.rows(), 1);
  EXPECT_NEAR(problem.J.block(0, 0)(0, 0), 2.0, 1e-15);
}

TEST(Assembly, AngularRowsCountWithTheRadiusOfTheirBody) {
  const RigidBody bodies[] = {ground(), heavyBody(kCube, {0, 0, 0})};
  const FixedJoint joint(0, 1, {}, bodies[1].state, Vector3d::Zero());
  const Constraint* list[] = {&joint};
  const ContactProblem problem = ConstraintSolver().assemble(list, bodies, 0.01);
  ASSERT_EQ(problem.rows.rowCount(), 6);
  EXPECT_EQ(problem.rows.lever[0], 1.0);
  EXPECT_NEAR(problem.rows.lever[5], std::sqrt(1.0 / 6.0), 1e-15);
}

TEST(Assembly, NamesTheConstraintAndTheValueItRefuses) {
  const RigidBody bodies[] = {ground(), heavyBody(kCube, {0, 0, 0})};
  const ConstraintSolver solver;
  const auto refusal = [&](const Scripted& constraint) {
    const UnitQuaternionConstraint first(1);
    const Constraint* list[] = {&first, &constraint};
    return refusalOf([&] { solver.solveWithContacts(list, bodies, 0.01); });
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_EQ(refusal(Scripted(1)), "accepted");
  EXPECT_TRUE(contains(refusal(Scripted(2)), "constraint 1 (Scripted): body 2 does not exist"));
  EXPECT_TRUE(contains(refusal(Scripted(1, 1)), "both of its bodies are body 1"));
  Scripted row(1);
  row.J = Eigen::MatrixXd::Ones(1, 12);
  EXPECT_TRUE(contains(refusal(row), "the Jacobian is 1 x 12: expected 1 rows"));
  row.J = Eigen::MatrixXd::Ones(2, 6);
  EXPECT_TRUE(contains(refusal(row), "the Jacobian is 2 x 6"));
  row.J = Eigen::MatrixXd::Constant(1, 6, std::nan(""));
  EXPECT_TRUE(contains(refusal(row), "constraint 1 (Scripted): the Jacobian has an entry"));
  row = Scripted(1);
  row.C = std::nan("");
  EXPECT_TRUE(contains(refusal(row), "evaluate()[0] is nan"));
  row = Scripted(1);
  row.gain = std::nan("");
  EXPECT_TRUE(contains(refusal(row), "alpha = nan"));
  row = Scripted(1);
  row.bounds = {2.0, 1.0};
  EXPECT_TRUE(contains(refusal(row), "bounds [2, 1]: expected lower ≤ upper"));
  row.bounds = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  EXPECT_TRUE(contains(refusal(row), "bounds [inf, inf]"));
  row = Scripted(1);
  row.count = 3;
  EXPECT_TRUE(contains(refusal(row), "bodyCount() is 3: expected 1 or 2"));
  row = Scripted(1);
  row.rows = 0;
  EXPECT_TRUE(contains(refusal(row), "dimension 0"));
  row = Scripted(1);
  row.rows = 3;
  row.J = Eigen::MatrixXd::Identity(3, 6);
  row.given_law = ConstraintLaw::cone(-0.5, ConstraintLaw::kOwnFirstRow);
  EXPECT_TRUE(contains(refusal(row), "mu = -0.5"));
  row.given_law = ConstraintLaw::cone(0.5, ConstraintLaw::kPreceding);
  EXPECT_TRUE(contains(refusal(row), "has 2 rows, this one 3"));
}

TEST(Assembly, RefusesFrictionWithoutItsNormal) {
  const RigidBody bodies[] = {ground(), heavyBody(kCube, {0, 0, 0}), heavyBody(kCube, {0, 0, 2})};
  const ContactGeometry geometry;
  const ContactConstraint normal(0, 1, geometry), other(0, 2, geometry);
  const FrictionConstraint friction(0, 1, geometry, 0.5), again(0, 1, geometry, 0.5, 0);
  const BallJoint joint(0, 1, {}, {}, Vector3d::Zero());
  const auto refusal = [&](std::vector<const Constraint*> list) {
    return refusalOf([&] { ConstraintSolver().solveWithContacts(list, bodies, 0.01); });
  };
  EXPECT_EQ(refusal({&normal, &friction, &other}), "accepted");
  EXPECT_NE(refusal({&friction}).find("does not exist"), std::string::npos);
  EXPECT_NE(refusal({&joint, &friction}).find("is no normal for it"), std::string::npos);
  EXPECT_NE(refusal({&other, &friction}).find("is no normal for it"), std::string::npos);
  EXPECT_NE(refusal({&normal, &friction, &again}).find("has friction already"), std::string::npos);
  EXPECT_NE(refusal({nullptr}).find("constraint 0 is a null pointer"), std::string::npos);
}

TEST(Assembly, RefusesImpossibleBodiesAndSteps) {
  RigidBody bodies[] = {heavyBody(kCube, {0, 0, 0})};
  const UnitQuaternionConstraint unit(0);
  const Constraint* list[] = {&unit};
  const auto refusal = [&](double dt) {
    return refusalOf([&] { ConstraintSolver().solveWithContacts(list, bodies, dt); });
  };
  EXPECT_NE(refusal(0.0).find("dt = 0"), std::string::npos);
  EXPECT_NE(refusal(std::nan("")).find("dt = nan"), std::string::npos);
  bodies[0].mass.mass = -1.0;
  EXPECT_NE(refusal(0.01).find("body 0: mass = -1"), std::string::npos);
  bodies[0].mass = {1.0, Vector3d(1, 1, 3).asDiagonal()};
  EXPECT_NE(refusal(0.01).find("body 0: principal moments"), std::string::npos);
  bodies[0] = heavyBody(kCube, {std::nan(""), 0, 0});
  EXPECT_NE(refusal(0.01).find("body 0: position"), std::string::npos);
  bodies[0] = heavyBody(kCube, {0, 0, 0});
  bodies[0].external.force.x() = std::nan("");
  EXPECT_NE(refusal(0.01).find("body 0"), std::string::npos);
}

}  // namespace
}  // namespace cornet
