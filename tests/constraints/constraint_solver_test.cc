#include <cmath>
#include <memory>
#include <numbers>
#include <thread>

#include "support/constraint_list.h"
#include "support/gravity.h"
#include "support/states.h"
#include "cornet/base/warning.h"
#include "cornet/constraints/constraint_solver.h"
#include "cornet/constraints/contact_constraint.h"
#include "cornet/constraints/distance_constraint.h"
#include "cornet/constraints/joints/joint_drives.h"
#include "cornet/constraints/joints/joints.h"

namespace cornet {
namespace {

using test::ground;
using test::heavyBody;
using test::kCube;
using test::kG;
using List = test::ConstraintList;

// ---- bilateral forces

// A pendulum bob on a rod passes the lowest point: tension m g + m v²/L.
TEST(ConstraintSolver, PendulumTensionHoldsWeightAndCentripetalForce) {
  RigidBody bob = heavyBody({2.0, Matrix3d::Identity()}, {0, 0, -1.5});
  bob.state.velocity = Vector3d(3.0, 0.0, 0.0);
  const RigidBody bodies[] = {bob};
  List list;
  list.add<DistanceConstraint>(0, Vector3d::Zero(), Vector3d::Zero(), 1.5);
  const SolveResult result = ConstraintSolver().solve(list.pointers, bodies);
  ASSERT_TRUE(result.converged);
  EXPECT_NEAR(result.body_forces[0].linear_force.z(), 2.0 * (kG + 9.0 / 1.5), 1e-7);
  EXPECT_NEAR(result.accelerations[0][2], 9.0 / 1.5, 1e-7);  // towards the centre
}

// C̈ = -α C - β Ċ, whatever the state.
TEST(ConstraintSolver, BaumgarteTermsSetTheSecondDerivative) {
  RigidBody bob = heavyBody({2.0, Matrix3d::Identity()}, {0.1, 0, -1.7});
  bob.state.velocity = Vector3d(0.3, 0.2, -0.5);
  const RigidBody bodies[] = {bob};
  const DistanceConstraint rod(0, Vector3d::Zero(), Vector3d::Zero(), 1.5);
  const Constraint* list[] = {&rod};
  const SolveResult result = ConstraintSolver().solve(list, bodies);
  const MatrixXd J = rod.jacobian(bob.state, bob.state, 0.0);
  const double second = (J * result.accelerations[0])[0] + rod.biasRate(bob.state, bob.state, 0.0)[0];
  const double expected = -10.0 * rod.evaluate(bob.state, bob.state, 0.0)[0] -
                          10.0 * calcRate(J, bob.state, bob.state)[0];
  EXPECT_NEAR(second, expected, 1e-10);
}

// A uniform bar hinged at one end and let go level: 3/2 g at its tip, m g/4 at the hinge.
TEST(ConstraintSolver, HingedBarFallsAsTheTextbookSays) {
  const double length = 2.0;
  const MassProperties bar = MassProperties::solidBox(3.0, {length, 1e-3, 1e-3});
  const RigidBody bodies[] = {ground(), heavyBody(bar, {length / 2, 0, 0})};
  List list;
  list.add<HingeJoint>(0, 1, bodies[0].state, bodies[1].state, Vector3d::Zero(), Vector3d::UnitY());
  const SolveResult result = ConstraintSolver().solve(list.pointers, bodies);
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_NEAR(result.accelerations[1][4], 1.5 * kG / length, 1e-5);
  EXPECT_NEAR(result.body_forces[1].linear_force.z(), 3.0 * kG / 4.0, 1e-4);
}

// Forces do not depend on who looks: a body fixed to a steadily moving one feels its weight alone.
TEST(ConstraintSolver, SteadyMotionOfAKinematicBodyAsksForNoForce) {
  std::vector<RigidBody> bodies = {ground(), heavyBody(kCube, {0, 0, 1})};
  for (RigidBody& body : bodies) body.state.velocity = Vector3d(3.0, -1.0, 2.0);
  List list;
  list.add<FixedJoint>(0, 1, bodies[0].state, bodies[1].state, Vector3d(0, 0, 0.5));
  const SolveResult result = ConstraintSolver().solve(list.pointers, bodies);
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_LT(result.accelerations[1].norm(), 1e-9);
  EXPECT_LT((result.body_forces[1].linear_force - Vector3d(0, 0, kG)).norm(), 1e-9);
  // On a turntable it is drawn to the axis.
  bodies[0].state.velocity.setZero();
  bodies[0].state.omega = bodies[1].state.omega = Vector3d(0, 0, 3.0);
  bodies[1].state.position = Vector3d(0.5, 0, 1);
  bodies[1].state.velocity = Vector3d(0, 1.5, 0);
  List turning;
  turning.add<FixedJoint>(0, 1, bodies[0].state, bodies[1].state, Vector3d(0, 0, 0.5));
  const SolveResult drawn = ConstraintSolver().solve(turning.pointers, bodies);
  EXPECT_LT((drawn.accelerations[1].head<3>() - Vector3d(-4.5, 0, 0)).norm(), 1e-7);
}

// A point held on x = ½ t² follows it without lag once it is there.
class Accelerating final : public Constraint {
 public:
  Accelerating() : Constraint(0) {}
  int dimension() const override { return 1; }
  Eigen::VectorXd evaluate(const InertialState& a, const InertialState&, double t) const override {
    return Eigen::VectorXd::Constant(1, a.position.x() - 0.5 * t * t);
  }
  Eigen::MatrixXd jacobian(const InertialState&, const InertialState&, double) const override {
    return (Eigen::MatrixXd(1, 6) << 1, 0, 0, 0, 0, 0).finished();
  }
  Eigen::VectorXd targetRate(const InertialState&, const InertialState&, double t) const override {
    return Eigen::VectorXd::Constant(1, t);
  }
  LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
  std::string typeName() const override { return "Accelerating"; }
};

TEST(ConstraintSolver, ConstraintThatMovesByItselfIsFollowedWithItsAcceleration) {
  std::vector<RigidBody> bodies(1);
  const Accelerating rail;
  const Constraint* list[] = {&rail};
  EXPECT_NEAR(ConstraintSolver().solve(list, bodies).lambdas[0], 1.0, 1e-9);  // m a
  const double dt = 1e-3;
  for (int k = 0; k < 1000; ++k) {
    const auto step = ConstraintSolver().solveWithContacts(list, bodies, dt, k * dt);
    bodies[0].state.velocity = step.velocities[0].head<3>();
    bodies[0].state.position += dt * bodies[0].state.velocity;
  }
  EXPECT_NEAR(bodies[0].state.position.x(), 0.5, 1e-3);
}

// Two rods almost in line carry a weight with a huge force; that is stiff, not contradictory.
TEST(ConstraintSolver, NearlyStretchedRodsAreSolved) {
  for (const double sag : {1e-2, 1e-4, 1e-5}) {
    const std::vector<RigidBody> bodies = {heavyBody(kCube, {0, 0, -sag})};
    const double length = std::hypot(1.0, sag);
    List list;
    list.add<DistanceConstraint>(0, Vector3d::Zero(), Vector3d(1, 0, 0), length);
    list.add<DistanceConstraint>(0, Vector3d::Zero(), Vector3d(-1, 0, 0), length);
    const SolveResult result = ConstraintSolver().solve(list.pointers, bodies);
    ASSERT_TRUE(result.converged) << sag << ": " << result.message;
    EXPECT_NEAR(result.lambdas[0] / (-0.5 * kG * length / sag), 1.0, 1e-4);
  }
}

TEST(ConstraintSolver, RedundantJointsShareTheLoad) {
  const RigidBody bodies[] = {ground(), heavyBody(kCube, {0, 0, 0})};
  List list;
  for (int k = 0; k < 3; ++k) {
    list.add<FixedJoint>(0, 1, bodies[0].state, bodies[1].state, Vector3d(0.1 * k, 0.2, 0.3));
  }
  const SolveResult result = ConstraintSolver().solve(list.pointers, bodies);
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_NEAR(result.body_forces[1].linear_force.z(), kG, 1e-10);
  EXPECT_LT(result.body_forces[1].angular_torque.norm(), 1e-10);
  EXPECT_LT(result.accelerations[1].norm(), 1e-10);
}

TEST(ConstraintSolver, ContradictingRodsAreReportedAsInfeasible) {
  setWarningHandler(nullptr);
  const RigidBody bodies[] = {ground(), heavyBody(kCube, {0, 0, 1.0})};
  List list;
  list.add<DistanceConstraint>(1, Vector3d::Zero(), Vector3d::Zero(), 1.0);
  list.add<DistanceConstraint>(1, Vector3d::Zero(), Vector3d::Zero(), 0.5);
  const MultiBodySolveResult result =
      ConstraintSolver().solveWithContacts(list.pointers, bodies, 0.01);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.status, SolveStatus::infeasible);
  EXPECT_FALSE(result.message.empty());
}

// 100 links of 1 kg on ball joints carry an end mass of 10 t; the chain hangs and swings.
TEST(ConstraintSolver, ChainOf100LinksWithAHeavyEndIsSolvedToRounding) {
  constexpr int kLinks = 100;
  std::vector<RigidBody> bodies = {ground()};
  const MassProperties link = MassProperties::solidBox(1.0, {0.05, 0.05, 0.1});
  for (int k = 0; k < kLinks; ++k) bodies.push_back(heavyBody(link, {0, 0, -0.05 - 0.1 * k}));
  bodies.back() = heavyBody(MassProperties::solidBox(1e4, {0.1, 0.1, 0.1}), bodies.back().state.position);
  for (RigidBody& body : bodies) {
    if (!body.is_fixed) body.state.velocity = Vector3d(-0.4 * body.state.position.z(), 0, 0);
    if (!body.is_fixed) body.state.omega = Vector3d(0, -0.4, 0);
  }
  List list;
  for (int k = 0; k < kLinks; ++k) {
    list.add<BallJoint>(k, k + 1, bodies[k].state, bodies[k + 1].state, Vector3d(0, 0, -0.1 * k));
  }
  const SolveResult forces = ConstraintSolver().solve(list.pointers, bodies);
  ASSERT_TRUE(forces.converged) << forces.message;
  EXPECT_LT(forces.certificate.relative, 1e-10);
  const double w = 0.4;  // all turn as one body about the origin
  double pull = 0.0;     // weight and centripetal force of everything
  for (const RigidBody& body : bodies) {
    if (!body.is_fixed) pull += body.mass.mass * (kG - w * w * body.state.position.z());
  }
  EXPECT_NEAR(forces.lambdas[2], pull, 1e-6 * pull);  // top joint, on the first link

  const MultiBodySolveResult step =
      ConstraintSolver().solveWithContacts(list.pointers, bodies, 1e-3);
  ASSERT_TRUE(step.converged) << step.message;
  EXPECT_EQ(step.solver_type, "direct");
  EXPECT_LT(step.certificate.relative, 1e-10);
  EXPECT_LT(step.certificate.absolute_velocity, 1e-10);
}

// ---- contacts: dispatch

struct CubeOnFloor {
  explicit CubeOnFloor(double mu, const Vector3d& velocity = Vector3d::Zero(), double mass = 1.0) {
    bodies = {ground(), heavyBody(MassProperties::solidBox(mass, Vector3d::Ones()), {0, 0, 0.5})};
    bodies[1].state.velocity = velocity;
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.5, 0.5}) {
        list.addContact(bodies, 0, 1, {x, y, 0}, Vector3d::UnitZ(), mu);
      }
    }
  }
  MultiBodySolveResult step(const ConstraintSolver& solver = {}) const {
    return solver.solveWithContacts(list.pointers, bodies, 0.016);
  }
  std::vector<RigidBody> bodies;
  List list;
};

TEST(ConstraintSolver, UsesTheActiveSetWithoutFrictionAndTheExactSolverWithIt) {
  EXPECT_EQ(CubeOnFloor(0.0).step().solver_type, "ASM");
  EXPECT_EQ(CubeOnFloor(0.5).step().solver_type, "exact");
  ConstraintSolver sweeps;
  sweeps.setFrictionSolver(FrictionSolver::gauss_seidel);
  EXPECT_EQ(CubeOnFloor(0.5).step(sweeps).solver_type, "gauss_seidel");
}

// Reference cases of a unit cube: it slides flat at μ = 0.5 and tips at μ = 1.5.
TEST(ConstraintSolver, SlidingCubeLosesMuGDtAndDoesNotRotate) {
  const MultiBodySolveResult slide = CubeOnFloor(0.5, {2, 0, 0}).step();
  ASSERT_TRUE(slide.converged);
  EXPECT_NEAR(slide.velocities[1][0], 1.92152, 1e-12);
  EXPECT_LT(slide.velocities[1].tail<5>().norm(), 1e-12);
  double rear = 0.0, front = 0.0;
  for (int k = 0; k < 4; ++k) (k < 2 ? rear : front) += slide.lambdas[3 * k];
  EXPECT_NEAR(rear, 0.03924, 1e-12);
  EXPECT_NEAR(front, 0.11772, 1e-12);

  const double diagonal = 3.0 / std::sqrt(2.0);
  const MultiBodySolveResult skew = CubeOnFloor(0.5, {diagonal, diagonal, 0}).step();
  EXPECT_NEAR(skew.velocities[1][0], 2.06583, 1e-5);
  EXPECT_NEAR(skew.velocities[1][1], 2.06583, 1e-5);
  EXPECT_LT(skew.velocities[1].tail<4>().norm(), 1e-12);

  const MultiBodySolveResult tip = CubeOnFloor(1.5, {2, 0, 0}).step();
  ASSERT_TRUE(tip.converged);
  EXPECT_NEAR(tip.velocities[1][0], 1.05824, 1e-11);
  EXPECT_NEAR(tip.velocities[1][2], 0.47088, 1e-11);
  EXPECT_NEAR(tip.velocities[1][4], 0.94176, 1e-11);
}

// Frictional and frictionless contacts, a joint and a motor in one solve.
TEST(ConstraintSolver, SolvesAllLawsTogether) {
  std::vector<RigidBody> bodies = {ground(), heavyBody(kCube, {0, 0, 0.5}),
                                   heavyBody(kCube, {0, 0, 1.5})};
  List list;
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      const double mu = x < 0.0 ? 0.0 : 0.5;  // ice on one side
      list.addContact(bodies, 0, 1, {x, y, 0}, Vector3d::UnitZ(), mu);
    }
  }
  list.add<HingeJoint>(1, 2, bodies[1].state, bodies[2].state, Vector3d(0, 0, 1),
                       Vector3d::UnitZ());
  list.add<JointMotor>(1, 2, makeJointFrame("hinge", bodies[1].state, bodies[2].state,
                                            Vector3d(0, 0, 1), Vector3d::UnitZ()),
                       JointAxis::angle, 1.0, 0.1);
  const auto result = ConstraintSolver().solveWithContacts(list.pointers, bodies, 0.01);
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_EQ(result.solver_type, "exact");
  EXPECT_NEAR(result.velocities[2][5], 0.1 * 0.01 * 6.0, 1e-12);  // torque dt / I, I = 1/6
  EXPECT_LT(result.velocities[1].norm(), 1e-10);  // friction on one side holds the reaction
  EXPECT_EQ(result.lambdas[1], 0.0);              // no tangent impulse on the ice
}

TEST(ConstraintSolver, HeadOnImpactWithRestitutionSwapsVelocities) {
  std::vector<RigidBody> bodies(2);
  for (RigidBody& body : bodies) body.mass = kCube;
  bodies[0].state.position = Vector3d(-0.5, 0, 0);
  bodies[1].state.position = Vector3d(0.5, 0, 0);
  bodies[0].state.velocity = Vector3d(2, 0, 0);
  bodies[1].state.velocity = Vector3d(-1, 0, 0);
  List list;
  list.addContact(bodies, 0, 1, Vector3d::Zero(), Vector3d::UnitX(), 0.0, 1.0);
  const auto result = ConstraintSolver().solveWithContacts(list.pointers, bodies, 0.016);
  EXPECT_NEAR(result.lambdas[0], 3.0, 1e-14);
  EXPECT_NEAR(result.velocities[0][0], -1.0, 1e-14);
  EXPECT_NEAR(result.velocities[1][0], 2.0, 1e-14);
}

// The rebound of a touching contact does not hang on the last bit of its gap.
TEST(ConstraintSolver, ReboundIsTheSameInEveryOrientation) {
  std::mt19937 random(21);
  for (int k = 0; k < 200; ++k) {
    std::vector<RigidBody> bodies(2);
    for (RigidBody& body : bodies) body.state = test::randomState(random);
    const Vector3d n = bodies[0].state.toWorld(Vector3d::UnitZ());
    bodies[1].state.position = bodies[0].state.position + n;
    for (RigidBody& body : bodies) body.state.velocity = body.state.omega = Vector3d::Zero();
    bodies[1].state.velocity = -2.0 * n;
    List list;
    list.addContact(bodies, 0, 1, bodies[0].state.position + 0.5 * n, n, 0.0, 1.0);
    const auto result = ConstraintSolver().solveWithContacts(list.pointers, bodies, 0.01);
    EXPECT_NEAR(result.velocities[1].head<3>().dot(n) - result.velocities[0].head<3>().dot(n), 2.0,
                1e-12);
  }
}

// A ball dropped from about 1 m rebounds with e times its speed, wherever in a step it lands.
TEST(ConstraintSolver, DroppedBallReboundsWithItsRestitution) {
  const double dt = 0.01;
  for (const double height : {1.0, 1.01, 1.02, 1.03, 1.04}) {
    std::vector<RigidBody> bodies = {ground(), heavyBody(kCube, {0, 0, height})};
    ContactGeometry geometry;
    geometry.normal = Vector3d::UnitZ();
    const ContactConstraint contact(0, 1, geometry, 0.5);
    const Constraint* list[] = {&contact};
    double before = 0.0;
    for (int k = 0; k < 200 && bodies[1].state.velocity.z() <= 0.0; ++k) {
      before = bodies[1].state.velocity.z();
      const auto step = ConstraintSolver().solveWithContacts(list, bodies, dt);
      bodies[1].state.velocity = step.velocities[1].head<3>();
      bodies[1].state.position += dt * bodies[1].state.velocity;
    }
    EXPECT_NEAR(bodies[1].state.velocity.z() / -before, 0.5, 1e-12) << height;
    EXPECT_NEAR(-before, std::sqrt(2.0 * kG * height), 2.0 * kG * dt);
  }
}

// A limit that rises at 1 m/s pushes what rests on it.
class RisingFloor final : public Constraint {
 public:
  RisingFloor() : Constraint(0) {}
  int dimension() const override { return 1; }
  Eigen::VectorXd evaluate(const InertialState& a, const InertialState&, double t) const override {
    return Eigen::VectorXd::Constant(1, a.position.z() - t);
  }
  Eigen::MatrixXd jacobian(const InertialState&, const InertialState&, double) const override {
    return (Eigen::MatrixXd(1, 6) << 0, 0, 1, 0, 0, 0).finished();
  }
  Eigen::VectorXd targetRate(const InertialState&, const InertialState&, double) const override {
    return Eigen::VectorXd::Constant(1, 1.0);
  }
  LambdaBounds lambdaBounds() const override { return LambdaBounds::unilateral(); }
  std::string typeName() const override { return "RisingFloor"; }
};

TEST(ConstraintSolver, RisingFloorIsFeltWhileTheGapIsStillOpen) {
  std::vector<RigidBody> bodies = {heavyBody(kCube, {0, 0, 0.05}, Vector3d::Zero())};
  const RisingFloor floor;
  const Constraint* list[] = {&floor};
  const auto step = ConstraintSolver().solveWithContacts(list, bodies, 0.1);
  EXPECT_NEAR(step.velocities[0][2], 0.5, 1e-14);  // so that the gap is just closed
}

// Cubes of 2 and 1 kg, off-centre, e = 0.5: A_nn = 3.75, λ = 0.4.
TEST(ConstraintSolver, OffCentreImpactTurnsBothBodies) {
  std::vector<RigidBody> bodies(2);
  bodies[0].mass = {2.0, Matrix3d::Identity() / 3.0};
  bodies[1].mass = {1.0, Matrix3d::Identity() / 6.0};
  bodies[1].state.position = Vector3d(1, 0, 0);
  bodies[0].state.velocity = Vector3d(1, 0, 0);
  List list;
  list.addContact(bodies, 0, 1, {0.5, 0.5, 0}, Vector3d::UnitX(), 0.0, 0.5);
  const auto result = ConstraintSolver().solveWithContacts(list.pointers, bodies, 0.016);
  EXPECT_NEAR(result.lambdas[0], 0.4, 1e-14);
  EXPECT_NEAR(result.velocities[0][0], 0.8, 1e-14);
  EXPECT_NEAR(result.velocities[1][0], 0.4, 1e-14);
  EXPECT_NEAR(result.velocities[0][5], 0.6, 1e-14);
  EXPECT_NEAR(result.velocities[1][5], -1.2, 1e-14);
}

// ---- the interface of the friction solver

TEST(ConstraintSolver, BuildsTheConeSpecificationFromAList) {
  CubeOnFloor cube(0.3);
  const FrictionConeSpec spec =
      ConstraintSolver().buildFrictionConeSpec(cube.list.pointers, 4);
  EXPECT_EQ(spec.frictionCoefficients, std::vector<double>(4, 0.3));
  EXPECT_EQ(spec.normalIndices, (std::vector<int>{0, 3, 6, 9}));
  EXPECT_EQ(spec.getConeSizes(), std::vector<long>(4, 3));
  EXPECT_THROW(ConstraintSolver().buildFrictionConeSpec(cube.list.pointers, 3),
               std::invalid_argument);
  EXPECT_THROW(ConstraintSolver().buildFrictionConeSpec(cube.list.pointers, 5),
               std::invalid_argument);
  const Constraint* malformed[] = {cube.list.pointers[1]};
  EXPECT_THROW(ConstraintSolver().buildFrictionConeSpec(malformed, 1), std::invalid_argument);
  const Constraint* missing[] = {nullptr};
  EXPECT_THROW(ConstraintSolver().buildFrictionConeSpec(missing, 1), std::invalid_argument);
}

TEST(ConstraintSolver, SolvesAComplementarityProblemGivenAsMatrix) {
  MatrixXd A(2, 2);
  A << 2.0, 1.0, 1.0, 2.0;
  const ActiveSetResult result = ConstraintSolver().solveActiveSet(A, Eigen::Vector2d(2.0, 0.5));
  ASSERT_TRUE(result.converged);
  EXPECT_NEAR(result.lambda[0], 1.0, 1e-15);
  EXPECT_EQ(result.lambda[1], 0.0);
  EXPECT_EQ(result.active_set_size, 1);
  EXPECT_EQ(result.solver_type, "ASM");
}

TEST(ConstraintSolver, WithoutEcosSaysHowToGetIt) {
  setWarningHandler(nullptr);
  ASSERT_EQ(ecosBackend(), nullptr);
  ConstraintSolver solver;
  solver.setFrictionSolver(FrictionSolver::ecos);
  const MultiBodySolveResult result = CubeOnFloor(0.5).step(solver);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.status, SolveStatus::unsupported);
  EXPECT_NE(result.message.find("cornet::ecos"), std::string::npos);
}

TEST(ConstraintSolver, SettersKeepWhatTheyAreGivenAndRefuseTheRest) {
  ConstraintSolver solver;
  solver.setECOSTolerance(1e-5, 1e-4);
  EXPECT_EQ(solver.getECOSTolerance(), std::make_pair(1e-5, 1e-4));
  solver.setECOSMaxIterations(17);
  EXPECT_EQ(solver.getECOSMaxIterations(), 17);
  solver.setTolerance(1e-6);
  EXPECT_EQ(solver.getTolerance(), 1e-6);
  solver.setMaxIterations(5);
  EXPECT_EQ(solver.getMaxIterations(), 5);
  EXPECT_THROW(solver.setTolerance(0.0), std::invalid_argument);
  EXPECT_THROW(solver.setMaxIterations(0), std::invalid_argument);
  EXPECT_THROW(solver.setECOSTolerance(-1.0, 1.0), std::invalid_argument);
  EXPECT_THROW(solver.setECOSMaxIterations(0), std::invalid_argument);
}

std::string last_warning;

TEST(ConstraintSolver, WarnsWhenItDoesNotConverge) {
  const WarningHandler before =
      setWarningHandler([](std::string_view text) { last_warning = text; });
  ConstraintSolver solver;
  solver.setFrictionSolver(FrictionSolver::gauss_seidel);
  solver.setMaxIterations(1);
  solver.setTolerance(1e-12);
  const MultiBodySolveResult result = CubeOnFloor(0.5, {2, 0, 0}).step(solver);
  setWarningHandler(before);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(last_warning, result.message);
  EXPECT_NE(last_warning.find("max_iterations"), std::string::npos);
}

TEST(ConstraintSolver, MayBeUsedByTwoThreadsAtOnce) {
  const ConstraintSolver solver;
  const CubeOnFloor cube(0.5, {2, 0, 0});
  const VectorXd expected = cube.step(solver).lambdas;
  std::vector<std::thread> threads;
  int equal[2] = {0, 0};
  for (int& count : equal) {
    threads.emplace_back([&] {
      for (int k = 0; k < 200; ++k) count += cube.step(solver).lambdas == expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal[0], 200);
  EXPECT_EQ(equal[1], 200);
}

}  // namespace
}  // namespace cornet
