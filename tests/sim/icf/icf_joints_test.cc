// Joints, limits, couplings and drives in compliant steps, and articulated trees.
#include <numbers>

#include "sim/icf/icf_world.h"
#include "support/joint_tree.h"

namespace cornet {
namespace {

using test::CompliantWorld;
using test::kG;
using test::nearRigidSag;

constexpr double kH = 0.01;

AssetInertial makeBody(const std::string& name, double mass, const Vector3d& position) {
  AssetInertial body(name, MassProperties{mass, Matrix3d(0.1 * mass * Matrix3d::Identity())});
  body.place(position);
  return body;
}

// A body of 1 kg with a wall to be joined to.
struct Hung : CompliantWorld {
  explicit Hung(const Vector3d& position = Vector3d::Zero()) {
    world.addBody(makeBody("body", 1.0, position));
    wall = world.environmentBody(world.addEnvironment({"wall", {}}));
  }
  int wall = 0;
};

TEST(IcfJoints, WeldBallAndRodGiveByTheirStaticError) {
  for (const double h : {0.01, 0.001}) {
    const double sag = nearRigidSag(kG, h);
    Hung welded, held, hanging({0, 0, -0.5});
    welded.world.addFixed(welded.wall, 0, {});
    held.world.addBall(held.wall, 0, {});
    hanging.world.addDistance(hanging.wall, 0, {.anchor_a = Vector3d::Zero()});
    for (Hung* run : {&welded, &held, &hanging}) {
      const double start = run->world.body(0).initial().position.z();
      run->run(0.5, h);
      EXPECT_NEAR(start - run->body().position.z(), sag, 1e-6 * sag) << h;
      EXPECT_NEAR(run->last.distance.joint_error, sag, 1e-6 * sag);
      EXPECT_NEAR(run->joint(0).force.z(), kG, 1e-6 * kG);
    }
  }
}

TEST(IcfJoints, GapsCloseWithoutOvershoot) {
  Hung ball({0, 0, 0.5});
  const auto anchor = Vector3d(0, 0, 0.5);
  ball.world.gravity.setZero();
  ball.world.addBall(ball.wall, 0, {.anchor = anchor});
  ball.begin();
  ball.state.setBody(0, {{0.0, 0.3, 0.9}});
  for (int k = 0; k < 50; ++k) ball.step(kH);
  EXPECT_LT((ball.body().position - anchor).norm(), 1e-5);
}

TEST(IcfJoints, LimitGivesByItsStaticError) {
  for (const double h : {0.01, 0.001}) {
    Hung slider;
    slider.world.gravity.setZero();
    slider.world.addSlider(slider.wall, 0, {.axis = Vector3d::UnitX(), .limits = {.lower = -0.1, .upper = 0.05}});
    slider.world.addLoad({.body = 0, .force = {10.0, 0, 0}});
    slider.run(1.0, h);
    const double give = nearRigidSag(10.0, h);
    EXPECT_NEAR(slider.joint(0).position - 0.05, give, 1e-5 * give);
    EXPECT_NEAR(slider.joint(0).force.x(), -10.0, 1e-6);
  }
}

TEST(IcfJoints, CouplingTiesTwoHinges) {
  CompliantWorld gears;
  gears.world.gravity.setZero();
  gears.world.addBody(makeBody("sun", 1.0, {0, 0, 0}));
  gears.world.addBody(makeBody("planet", 2.0, {1, 0, 0}));
  const int wall = gears.world.environmentBody(gears.world.addEnvironment({"wall", {}}));
  const int sun = gears.world.addHinge(wall, 0, {.anchor = {0, 0, 0}});
  const int planet = gears.world.addHinge(wall, 1, {.anchor = {1, 0, 0}});
  gears.world.addCoupling({{sun, 1.0}, {planet, -2.0}});
  gears.world.addLoad({.body = 0, .torque = {0, 0, 0.05}});
  gears.run(1.0, kH);
  // q_sun = 2 q_planet: (I_s + I_p/4) a = τ, places by semi-implicit Euler.
  const double a = 0.05 / (0.1 + 0.2 / 4.0);
  EXPECT_NEAR(gears.joint(0).position, 0.5 * a * (1.0 + kH), 1e-6);
  EXPECT_NEAR(gears.joint(0).position, 2.0 * gears.joint(1).position, 1e-5);
}

TEST(IcfJoints, EffortsAreClampedAndReported) {
  for (const double limit : {0.1, 0.2}) {
    Hung arm;
    arm.world.gravity.setZero();
    arm.world.addHinge(arm.wall, 0, {.servo = {.kp = 1000.0, .kd = 1.0, .target = 1.0, .max_effort = limit}});
    arm.step(kH);
    EXPECT_NEAR(arm.body().omega.z(), kH * limit / 0.1, 1e-14);
    EXPECT_NEAR(arm.joint(0).effort, limit, 1e-14);
  }
}

TEST(IcfJoints, GivenEffortAndTheEffortOfAnInput) {
  Hung arm;
  arm.world.gravity.setZero();
  arm.world.addHinge(arm.wall, 0, {.effort = 0.3});
  arm.begin();
  arm.simulator->step(kH, StepInputs{.bodies = {}, .joints = {{.joint = 0, .effort = -0.5}}}, arm.state, arm.memory);
  EXPECT_NEAR(arm.joint(0).effort, -0.5, 1e-14);
  EXPECT_NEAR(arm.body().omega.z(), -kH * 0.5 / 0.1, 1e-14);
}

// Implicit Euler: the pole pair of K = h kp + kd is inside the unit circle for any gains.
TEST(IcfJoints, ServosOfAnyStiffnessReachTheirTargetAndStay) {
  for (double kp = 10.0; kp <= 1e7; kp *= 10.0) {
    Hung arm;
    arm.world.addHinge(arm.wall, 0, {.axis = Vector3d::UnitX(), .servo = {.kp = kp, .kd = 2.0 * std::sqrt(kp * 0.1), .target = 0.7}});
    arm.run(3.0, kH);
    EXPECT_NEAR(arm.joint(0).position, 0.7, 2e-5) << kp;
    EXPECT_LT(std::abs(arm.joint(0).rate), 1e-3) << kp;
  }
}

TEST(IcfJoints, ServoFollowsAMovingTargetWithItsRate) {
  Hung arm;
  arm.world.gravity.setZero();
  const int hinge = arm.world.addHinge(arm.wall, 0, {.servo = {.kp = 0.0, .kd = 1e4, .rate = 0.8}});
  arm.run(1.0, kH);
  EXPECT_NEAR(arm.joint(hinge).rate, 0.8, 1e-6);
}

TEST(IcfJoints, SpringHangsAtItsStretch) {
  Hung slider;
  slider.world.addSlider(slider.wall, 0, {.spring = {.stiffness = 200.0}, .damping = 20.0});
  slider.run(3.0, kH);
  EXPECT_NEAR(slider.body().position.z(), -kG / 200.0, 1e-6);
  EXPECT_NEAR(slider.joint(0).effort, kG, 1e-4);
}

TEST(IcfJoints, DryFrictionHoldsUpToItsEffortAndSlidesAgainstIt) {
  for (const double push : {4.0, 7.0}) {
    Hung slider;
    slider.world.gravity.setZero();
    slider.world.addSlider(slider.wall, 0, {.axis = Vector3d::UnitX(), .friction = 5.0});
    slider.world.addLoad({.body = 0, .force = {push, 0, 0}});
    slider.run(1.0, kH);
    const double wanted = push < 5.0 ? push * kH * 1e-6 : push - 5.0;  // (ICF-27): F h w/σ_d
    EXPECT_NEAR(slider.body().velocity.x(), wanted, 1e-5 * wanted);
    EXPECT_NEAR(slider.joint(0).effort, -std::min(push, 5.0), 1e-6);
  }
}

TEST(IcfJoints, MotorHoldsItsSpeedAsFarAsItsEffortGoes) {
  Hung arm;
  arm.world.gravity.setZero();
  arm.world.addHinge(arm.wall, 0, {.motor = {.speed = 2.0, .max_effort = 0.4}});
  arm.run(0.25, kH);
  EXPECT_NEAR(arm.joint(0).rate, 0.25 * 0.4 / 0.1, 1e-10);
  arm.run(1.0, kH);
  EXPECT_NEAR(arm.joint(0).rate, 2.0, 1e-9);
}

TEST(IcfJoints, JointsOnMovingSurroundingsGoWithThem) {
  CompliantWorld lift;
  lift.world.gravity.setZero();
  lift.world.addBody(makeBody("body", 1.0, {0, 0, 0}).setVelocity({0.2, 0, 0.4}));
  const int hook = lift.world.environmentBody(
      lift.world.addEnvironment(AssetEnvironment("hook", {}, Vector3d::Zero(), Quaterniond::Identity(), SteadyMotion{{0.2, 0, 0.4}})));
  lift.world.addBall(hook, 0, {});
  lift.run(1.0, kH);
  EXPECT_LT((lift.body().position - Vector3d(0.2, 0, 0.4)).norm(), 1e-10);
}

// A user's law of control, stiff: by differences, by a derivative of the user's own, and as a controller.
TEST(IcfJoints, UsersStiffForcesStayStable) {
  for (const double kp : {1e2, 1e4, 1e6}) {
    const double kd = 2.0 * std::sqrt(kp);
    for (const int kind : {0, 1, 2}) {
      Hung held;
      held.world.gravity.setZero();
      const auto law = [=](const State& state) { return -kp * (state.body(0).position.x() - 0.3) - kd * state.body(0).velocity.x(); };
      if (kind < 2) held.world.setForces([=](double, const State& state, std::span<BodyForce> forces) { forces[0].force.x() += law(state); });
      if (kind == 1) held.world.setForceDerivative([=](double, const State&, double h, VectorXd& K) { K[0] = h * kp + kd; });
      held.begin();
      for (int k = 0; k < 300; ++k) {
        if (kind < 2) {
          held.step(kH);
          EXPECT_TRUE(held.last.isAccurate()) << held.describe();
        } else {
          const Controller control = [=](double, const State& state, StepInputs& inputs) { inputs.bodies.push_back({.body = 0, .force = {law(state), 0, 0}}); };
          held.simulator->step(kH, control, held.state, held.memory);
        }
      }
      EXPECT_NEAR(held.body().position.x(), 0.3, 1e-6) << kp << " " << kind;
    }
  }
}

// A controller that gives efforts: what is told is what turned the arm.
TEST(IcfJoints, EffortsOfAStiffControllerStayStable) {
  for (double kp = 10.0; kp <= 1e7; kp *= 10.0) {
    Hung arm;
    const int hinge = arm.world.addHinge(arm.wall, 0, {.axis = Vector3d::UnitX(), .effort = 0.0});
    const double kd = 2.0 * std::sqrt(kp * 0.1);
    const Controller control = [=](double, const State& state, StepInputs& inputs) {
      const Quaterniond q = state.body(0).orientation;
      const double angle = 2.0 * std::atan2(q.x(), q.w());
      inputs.joints.push_back({.joint = hinge, .effort = -kp * (angle - 0.7) - kd * state.body(0).omega.x()});
    };
    arm.begin();
    for (int k = 0; k < 300; ++k) {
      const double before = arm.body().omega.x();
      arm.simulator->step(kH, control, arm.state, arm.memory);
      ASSERT_NEAR(0.1 * (arm.body().omega.x() - before), kH * arm.joint(hinge).effort, 1e-9 * std::max(1.0, kp)) << kp;
    }
    EXPECT_NEAR(arm.joint(hinge).position, 0.7, 2e-5) << kp;
  }
}

CompliantWorld makeTree(const test::JointTree& tree, const VectorXd& q, const VectorXd& v) {
  CompliantWorld run;
  std::vector<AssetInertial> links;
  for (int k = 0; k < tree.linkCount(); ++k) links.emplace_back("link" + std::to_string(k), tree.mass(k));
  run.world.addTree(std::make_shared<test::JointTree>(tree), std::move(links), q, v);
  return run;
}

// M(q)(v - v0) + h c = -h dV/dq in the small: a pendulum of one rod swings with its period.
TEST(IcfJoints, TreeSwingsLikeTheSameMechanismOfBodiesAndHinges) {
  const double L = 0.5, m = 1.0, h = 1e-4;
  const test::JointTree tree = test::makeDoublePendulum(Vector3d::Zero(), L, m, -10.0, 10.0);
  VectorXd q(2), v(2);
  q << 0.6, 0.3;
  v.setZero();
  CompliantWorld run = makeTree(tree, q, v);
  const auto cache = tree.makeCache();
  tree.evaluate(q, TreeLevel::poses, *cache);
  CompliantWorld bodies;
  for (int k = 0; k < 2; ++k) {
    AssetInertial body("rod" + std::to_string(k), tree.mass(k));
    bodies.world.addBody(body.place(cache->links[static_cast<std::size_t>(k)].position, cache->links[static_cast<std::size_t>(k)].orientation));
  }
  const int wall = bodies.world.environmentBody(bodies.world.addEnvironment({"wall", {}}));
  bodies.world.addHinge(wall, 0, {.anchor = {0, 0, 0}, .axis = Vector3d::UnitY()});
  const InertialState first = bodies.world.body(0).initial();
  bodies.world.addHinge(0, 1, {.anchor = first.pointToWorld({0, 0, -0.5 * L}), .axis = Vector3d::UnitY()});
  run.run(1.0, h);
  bodies.run(1.0, h);
  for (int k = 0; k < 2; ++k) {
    EXPECT_LT((run.simulator->bodies().bodies[static_cast<std::size_t>(k)].position - bodies.body(k).position).norm(), 2e-3) << k;
  }
}

TEST(IcfJoints, TreeRestsAtItsLimit) {
  const test::JointTree tree = test::makeDoublePendulum(Vector3d::Zero(), 0.5, 1.0, 0.4, 2.0);
  VectorXd q(2), v(2);
  q << 0.2, 0.5;
  v.setZero();
  CompliantWorld run = makeTree(tree, q, v);
  run.world.setForces([](double, const State& state, std::span<BodyForce> forces) {
    for (int k = 0; k < 2; ++k) forces[static_cast<std::size_t>(k)].torque.y() -= 2.0 * state.v[k];  // to come to rest
  });
  run.run(12.0, kH);
  EXPECT_NEAR(run.state.q[1], 0.4, 1e-5);
  EXPECT_LT(run.state.v.norm(), 1e-4);
}

TEST(IcfJoints, FloatingTreeKeepsItsMomentum) {
  const test::JointTree tree = test::makeTwoLinks();
  VectorXd q(8), v(7);
  q << 0, 0, 0, 1, 0, 0, 0, 0.3;
  v << 0.5, -0.2, 0.1, 1.0, 2.0, -1.0, 3.0;
  CompliantWorld run = makeTree(tree, q, v);
  run.world.gravity.setZero();
  run.begin();
  const auto cache = tree.makeCache();
  const auto momentum = [&] {
    tree.evaluate(run.state.q, TreeLevel::dynamics, *cache);
    return calcMomentum(tree, *cache, run.state.v);
  };
  const TreeMomentum before = momentum();
  run.run(2.0, kH);
  EXPECT_LT((momentum().linear - before.linear).norm(), 1e-10);
  EXPECT_LT((momentum().angular - before.angular).norm(), 1e-9);
}

}  // namespace
}  // namespace cornet
