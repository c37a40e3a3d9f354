// Articulated trees against closed forms: what rolls, bounces, precesses and is held by friction.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/gravity.h"
#include "support/tree_run.h"

namespace cornet {
namespace {

using test::JointTree;
using test::kG;
using test::makeLink;
using test::TreeLink;
using test::TreeRun;
using test::vectorOf;

AssetEnvironment makeFloor() { return AssetEnvironment("floor", {test::part(HalfSpace{})}); }

TreeLink makeFree(const MassProperties& mass) {
  TreeLink link;
  link.joint = TreeLink::Joint::free;
  link.mass = mass;
  return link;
}

// A5: slips with -μg until v = ω r.
TEST(TreeClosedForms, AFreeBallSlipsAndRolls) {
  constexpr double radius = 0.1, v0 = 2.0, mu = 0.2;
  for (const double h : {1e-3, 1e-2}) {
    TreeRun run;
    const TreeLink ball = makeFree(MassProperties::solidSphere(1.0, radius));
    run.world.materials.add({"default", mu, 0.0});
    run.addTree(JointTree({ball}), {makeLink("ball", ball.mass, {test::part(Sphere{radius})})},
                vectorOf({0, 0, radius, 1, 0, 0, 0}), vectorOf({v0, 0, 0, 0, 0, 0}));
    run.world.addEnvironment(makeFloor());
    run.run(1.0, h);
    const double t_roll = 2.0 * v0 / (7.0 * mu * kG), v_roll = 5.0 / 7.0 * v0;
    EXPECT_NEAR(run.state.v[0], v_roll, 1e-12) << h;
    EXPECT_NEAR(run.state.v[4], v_roll / radius, 1e-11) << h;
    EXPECT_NEAR(run.state.q[0], 0.5 * (v0 + v_roll) * t_roll + v_roll * (1.0 - t_roll), 1e-12) << h;
    EXPECT_EQ(run.flagged, 0) << h;
  }
}

// A13: height after the third of its bounces.
TEST(TreeClosedForms, AFreeBallBounces) {
  constexpr double radius = 0.1, drop = 1.0, e = 0.8, time = 1.9;
  for (const double h : {1e-3, 1e-2}) {
    TreeRun run;
    const TreeLink ball = makeFree(MassProperties::solidSphere(1.0, radius));
    run.world.materials.add({"default", 0.0, e});
    run.addTree(JointTree({ball}), {makeLink("ball", ball.mass, {test::part(Sphere{radius})})},
                vectorOf({0, 0, radius + drop, 1, 0, 0, 0}), VectorXd::Zero(6));
    run.world.addEnvironment(makeFloor());
    run.run(time, h);
    double t = std::sqrt(2.0 * drop / kG), v = kG * t;
    for (v *= e; t + 2.0 * v / kG < time; v *= e) t += 2.0 * v / kG;
    const double flight = time - t;
    EXPECT_NEAR(run.state.q[2] - radius, v * flight - 0.5 * kG * flight * flight, 1e-11) << h;
    EXPECT_EQ(run.flagged, 0) << h;
  }
}

// A24: the smaller root of I₁W² cos θ - I₃ω₃W + m g l = 0.
TEST(TreeClosedForms, ATopOnABallJointPrecesses) {
  const double R = 0.1, l = 0.1, spin = 100.0, tilt = 0.5, mass = 1.0, T = 2.0;
  const double I3 = 0.5 * mass * R * R, I_centre = 0.25 * mass * R * R, I1 = I_centre + mass * l * l;
  const double c = std::cos(tilt);
  const double W = (I3 * spin - std::sqrt(I3 * spin * I3 * spin - 4.0 * I1 * c * mass * kG * l)) / (2.0 * I1 * c);
  TreeLink top;
  top.joint = TreeLink::Joint::ball;
  top.centre = {0, 0, l};
  top.mass.mass = mass;
  top.mass.inertia = Vector3d(I_centre, I_centre, I3).asDiagonal();
  const Quaterniond q(Eigen::AngleAxisd(tilt, Vector3d::UnitY()));
  const Vector3d omega = W * Vector3d::UnitZ() + (spin - W * c) * (q * Vector3d::UnitZ());
  TreeRun run;
  run.addTree(JointTree({top}), {makeLink("top", top.mass)}, vectorOf({q.w(), q.x(), q.y(), q.z()}), omega);
  run.run(T, 1e-3);
  const Vector3d x = run.link(0).position;
  const double off = std::remainder(std::atan2(x.y(), x.x()) - W * T, 2.0 * std::numbers::pi);
  EXPECT_NEAR(off / (W * T), 0.0, 1e-4);
  EXPECT_NEAR(x.z(), l * c, 1e-5);
  EXPECT_EQ(run.flagged, 0);
}

// A chassis of 10 kg on four wheels of 1 kg each, all of them driven: (M + 4 I/r²) a = 4 τ/r.
TEST(TreeClosedForms, ACarWithFourDrivenWheelsRolls) {
  constexpr double radius = 0.1, torque = 0.5, time = 1.0;
  for (const double h : {1e-3, 1e-2}) {
    const MassProperties wheel_mass = MassProperties::solidSphere(1.0, radius);
    std::vector<TreeLink> links{makeFree(MassProperties::solidBox(10.0, {0.8, 0.4, 0.1}))};
    std::vector<AssetInertial> assets{makeLink("chassis", links[0].mass)};
    VectorXd q = VectorXd::Zero(11);
    q[2] = radius;
    q[3] = 1.0;
    TreeRun run;
    for (int k = 0; k < 4; ++k) {
      TreeLink wheel;
      wheel.parent = 0;
      wheel.anchor = {k % 2 == 0 ? 0.3 : -0.3, k < 2 ? 0.25 : -0.25, 0};
      wheel.mass = wheel_mass;
      links.push_back(wheel);
      assets.push_back(makeLink("wheel " + std::to_string(k), wheel_mass, {test::part(Sphere{radius})}));
    }
    run.addTree(JointTree(links), assets, q, VectorXd::Zero(10));
    run.world.materials.add({"default", 0.8, 0.0});
    run.world.addEnvironment(makeFloor());
    for (int k = 0; k < 4; ++k) {
      Load load;
      load.body = run.first + 1 + k;
      load.torque = {0, torque, 0};
      run.world.addLoad(load);
    }
    run.run(time, h);
    const double I = 0.4 * radius * radius;
    const double a = 4.0 * torque / radius / (14.0 + 4.0 * I / (radius * radius));
    EXPECT_NEAR(run.state.q[0], 0.5 * a * time * time, 1e-12) << h;
    EXPECT_NEAR(run.state.v[0], a * time, 1e-12) << h;
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(run.state.v[6 + k] * radius - run.state.v[0], 0.0, 1e-12) << h;
    EXPECT_NEAR(run.state.q[2], radius, 1e-12) << h;
    EXPECT_EQ(run.flagged, 0) << h;
  }
}

// A pole that falls off a cart on two wheels that only friction drives: second order.
TEST(TreeClosedForms, APoleOnACartWithWheelsIsOfSecondOrder) {
  const auto endAfter = [](double h) {
    constexpr double radius = 0.1;
    TreeLink lift, cart, wheel, pole;
    lift.joint = TreeLink::Joint::slider;
    lift.axis = Vector3d::UnitZ();
    lift.anchor = {0, 0, radius};
    lift.mass = MassProperties::solidSphere(1e-3, 0.01);
    cart = lift;
    cart.parent = 0;
    cart.axis = Vector3d::UnitX();
    cart.anchor.setZero();
    cart.mass = MassProperties::solidBox(2.0, {0.6, 0.2, 0.05});
    wheel.parent = pole.parent = 1;
    wheel.mass = MassProperties::solidSphere(0.5, radius);
    pole.centre = {0, 0, 0.5};
    pole.mass = MassProperties::solidBox(0.5, {0.02, 0.02, 1.0});
    std::vector<TreeLink> links{lift, cart, wheel, wheel, pole};
    links[2].anchor.x() = 0.25;
    links[3].anchor.x() = -0.25;
    TreeRun run;
    run.world.materials.add({"default", 0.8, 0.0});
    run.addTree(JointTree(links),
                {makeLink("lift", lift.mass), makeLink("cart", cart.mass), makeLink("front", wheel.mass, {test::part(Sphere{radius})}),
                 makeLink("back", wheel.mass, {test::part(Sphere{radius})}), makeLink("pole", pole.mass)},
                vectorOf({0, 0, 0, 0, 0.3}), VectorXd::Zero(5));
    run.world.addEnvironment(makeFloor());
    run.run(0.6, h);
    EXPECT_EQ(run.flagged, 0) << h;
    EXPECT_NEAR(run.state.q[2] * radius, run.state.q[1], 0.2 * h * h) << h;
    return Eigen::Vector2d(run.state.q[1], run.state.q[4]);
  };
  const Eigen::Vector2d exact = endAfter(2e-4);
  const double ratio = (endAfter(1e-2) - exact).norm() / (endAfter(5e-3) - exact).norm();
  EXPECT_GT(ratio, 3.6);
  EXPECT_LT(ratio, 4.4);
}

// An arm with two fingers on servos that squeeze a free box of 45 g with about 12 N.
struct Gripper {
  enum class Arm : std::uint8_t { stands, swings };

  explicit Gripper(Arm arm_kind) {
    TreeLink arm, finger;
    const bool swings = arm_kind == Arm::swings;
    arm.centre = {0, 0, -0.3};
    arm.mass = MassProperties::solidBox(2.0, {0.1, 0.1, 0.4});
    if (!swings) {
      arm.lower = arm.upper = 0.0;
      arm.joint = TreeLink::Joint::slider;
      arm.axis = Vector3d::UnitZ();
    }
    finger.parent = 0;
    finger.joint = TreeLink::Joint::slider;
    finger.axis = Vector3d::UnitX();
    finger.mass = MassProperties::solidBox(0.05, {0.02, 0.04, 0.06});
    finger.stiffness = 1000.0;
    finger.damping = 20.0;
    finger.target = 0.012;
    TreeLink other = finger;
    finger.anchor = {-0.03, 0, -0.2};
    other.anchor = {0.03, 0, -0.2};
    other.target = -0.012;
    const Box pad(Vector3d(0.01, 0.02, 0.03));
    AssetShape left = test::part(pad), right = test::part(pad);
    const double angle = swings ? std::numbers::pi / 4.0 : 0.0;
    run.world.materials.add({"default", 0.7, 0.0});
    const Quaterniond turned(Eigen::AngleAxisd(angle, Vector3d::UnitY()));
    AssetInertial cube = AssetInertial::fromMass("cube", {test::part(Box(Vector3d(0.02, 0.015, 0.02)))}, 0.045);
    cube.place(turned * Vector3d(0, 0, -0.5), turned);
    run.world.addBody(std::move(cube));
    run.addTree(JointTree({arm, finger, other}),
                {makeLink("arm", arm.mass), makeLink("left", finger.mass, {left}), makeLink("right", other.mass, {right})},
                vectorOf({swings ? angle : 0.0, 0, 0}), VectorXd::Zero(3));
  }

  // Pose of the cube as its left finger sees it.
  LinkPose held() const {
    const InertialState finger = run.link(1), cube = run.body(0);
    return {finger.orientation.conjugate() * (cube.position - finger.position), finger.orientation.conjugate() * cube.orientation};
  }

  // How far the cube's centre and its furthest corner slip from `settled` on.
  double slipAfter(double settled, double duration, double h) {
    run.run(settled, h);
    const LinkPose before = held();
    double worst = 0.0;
    for (int k = 0; k < std::lround(duration / h); ++k) {
      run.step(h);
      const LinkPose now = held();
      worst = std::max(worst, (now.position - before.position).norm() + 0.033 * now.orientation.angularDistance(before.orientation));
    }
    return worst;
  }

  TreeRun run;
};

TEST(TreeGrips, ABoxStaysWhereItIsHeld) {
  for (const double h : {2e-3, 5e-3}) {
    Gripper gripper(Gripper::Arm::stands);
    EXPECT_LT(gripper.slipAfter(1.0, 20.0, h), 1e-12) << h;
    EXPECT_EQ(gripper.run.unsolved, 0);
    EXPECT_EQ(gripper.run.flagged, 0);
  }
}

TEST(TreeGrips, ABoxStaysWhereItIsHeldByAnArmThatSwings) {
  for (const double h : {2e-3, 5e-3}) {
    Gripper gripper(Gripper::Arm::swings);
    EXPECT_LT(gripper.slipAfter(1.0, 5.0, h), 1e-12) << h;
    EXPECT_EQ(gripper.run.unsolved, 0);
    EXPECT_EQ(gripper.run.flagged, 0);
  }
}

}  // namespace
}  // namespace cornet
