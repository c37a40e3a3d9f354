// Articulated trees in steps: against closed forms, and against the same mechanisms made of free bodies and joints.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <Eigen/LU>

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

constexpr double kEnd = 0.06;  // radius of the ball at the end of the double pendulum

// A double pendulum with a ball at its end, of a tree or of bodies and hinges, above a floor at `floor`.
struct PendulumSetup {
  double length = 0.5, mass = 1.0;
  double lower = -10.0, upper = 10.0;  // of the second joint [rad]
  double floor = -10.0;
  double angle_1 = 1.2, angle_2 = 0.4;
  double mu = 0.3, restitution = 0.0;
};

std::vector<AssetShape> ballAtEnd(const PendulumSetup& setup) {
  AssetShape ball = test::part(Sphere{kEnd});
  ball.X_BS.p = {0, 0, -0.5 * setup.length};
  return {ball};
}

void addFloor(const PendulumSetup& setup, WorldModel& world) {
  world.materials.add({"default", setup.mu, setup.restitution});
  world.addEnvironment(AssetEnvironment("floor", {test::part(HalfSpace{})}, {0, 0, setup.floor}));
}

TreeRun makePendulum(const PendulumSetup& setup) {
  TreeRun run;
  const JointTree tree = test::makeDoublePendulum(Vector3d::Zero(), setup.length, setup.mass, setup.lower, setup.upper);
  run.addTree(tree, {makeLink("upper", tree.mass(0)), makeLink("lower", tree.mass(1), ballAtEnd(setup))},
              vectorOf({setup.angle_1, setup.angle_2}), vectorOf({0, 0}));
  addFloor(setup, run.world);
  return run;
}

// The same of two free bodies and two hinges.
test::SteppedWorld makeHingedPendulum(const PendulumSetup& setup) {
  test::SteppedWorld run;
  const JointTree tree = test::makeDoublePendulum(Vector3d::Zero(), setup.length, setup.mass, -10.0, 10.0);
  const auto cache = tree.makeCache();
  tree.evaluate(vectorOf({setup.angle_1, setup.angle_2}), TreeLevel::poses, *cache);
  for (int k = 0; k < 2; ++k) {
    AssetInertial body = makeLink(k == 0 ? "upper" : "lower", tree.mass(k), k == 0 ? std::vector<AssetShape>{} : ballAtEnd(setup));
    body.place(cache->links[k].position, cache->links[k].orientation);
    run.world.addBody(std::move(body));
  }
  addFloor(setup, run.world);
  run.world.addEnvironment(AssetEnvironment("hook", {}, Vector3d::Zero()));
  HingeOptions top, middle;
  top.anchor = Vector3d::Zero();
  top.axis = middle.axis = Vector3d::UnitY();
  middle.anchor = cache->links[0].position + cache->links[0].orientation * Vector3d(0, 0, -0.5 * setup.length);
  if (setup.lower > -3.0) {
    // Limits of a hinge count from the start.
    middle.limits.lower = setup.lower - setup.angle_2;
    middle.limits.upper = setup.upper - setup.angle_2;
  }
  run.world.addHinge(run.world.environmentBody(1), 0, top);
  run.world.addHinge(0, 1, middle);
  return run;
}

TEST(Trees, ADoublePendulumIsOfSecondOrder) {
  const auto endAfter = [](double h) {
    TreeRun run = makePendulum({});
    run.run(1.0, h);
    EXPECT_EQ(run.unsolved, 0);
    return run.link(1).position;
  };
  const Vector3d exact = endAfter(6.25e-5);
  const double ratio = (endAfter(2e-3) - exact).norm() / (endAfter(1e-3) - exact).norm();
  EXPECT_GT(ratio, 3.6);
  EXPECT_LT(ratio, 4.4);
}

TEST(Trees, ALimitIsNeverPassed) {
  for (const double h : {1e-3, 3e-3, 1e-2}) {
    PendulumSetup setup;
    setup.lower = -0.5;
    setup.upper = 0.6;
    TreeRun run = makePendulum(setup);
    double least = 1.0;
    for (int k = 0; k < std::lround(4.0 / h); ++k) {
      run.step(h);
      least = std::min({least, run.state.q[1] - setup.lower, setup.upper - run.state.q[1]});
    }
    EXPECT_GT(least, -1e-12) << h;
    EXPECT_LT(least, 1e-12) << h;  // it was reached
    EXPECT_EQ(run.unsolved, 0);
  }
}

// The tree and the bodies differ by what their schemes err: second order.
TEST(Trees, ADoublePendulumOnTheFloorIsThatOfBodiesAndHinges) {
  PendulumSetup setup;
  setup.floor = -0.85;
  std::vector<double> apart;
  for (const double h : {2e-3, 1e-3, 5e-4}) {
    TreeRun tree = makePendulum(setup);
    test::SteppedWorld bodies = makeHingedPendulum(setup);
    tree.run(0.6, h);
    bodies.run(0.6, h);
    apart.push_back((tree.link(1).position - bodies.body(1).position).norm());
    EXPECT_EQ(tree.unsolved, 0);
    EXPECT_EQ(tree.flagged, 0) << h;
  }
  EXPECT_LT(apart[0], 1e-4);
  EXPECT_LT(apart[2], 0.35 * apart[0]);
}

// A body with an arm above the floor, of a tree or of two bodies and a hinge.
struct TwoLinks {
  TwoLinks(const Shape& base, const Shape& arm) {
    const JointTree model = test::makeTwoLinks();
    const Vector3d start(0, 0, 0.45);
    VectorXd q = VectorXd::Zero(8), v = VectorXd::Zero(7);
    q.head<3>() = start;
    q[3] = 1.0;
    q[7] = 0.3;
    v << 0.5, 0.1, 0.0, 0.3, 1.0, 0.2, -1.0;
    const auto cache = model.makeCache();
    model.evaluate(q, TreeLevel::poses, *cache);
    std::vector<AssetInertial> links;
    for (int k = 0; k < 2; ++k) {
      AssetInertial body = makeLink(k == 0 ? "base" : "arm", model.mass(k), {test::part(k == 0 ? base : arm)});
      links.push_back(body);
      const InertialState state = model.calcLinkState(*cache, v, k);
      body.place(state.position, state.orientation).setVelocity(state.velocity, state.omega);
      bodies.world.addBody(std::move(body));
    }
    tree.addTree(model, std::move(links), q, v);
    for (WorldModel* world : {&tree.world, &bodies.world}) {
      world->addEnvironment(AssetEnvironment("floor", {test::part(HalfSpace{})}));
      world->excludeBodies(0, 1);
    }
    HingeOptions hinge;
    hinge.anchor = start + Vector3d(0.2, 0, 0);
    hinge.axis = Vector3d::UnitY();
    bodies.world.addHinge(0, 1, hinge);
  }
  TreeRun tree;
  test::SteppedWorld bodies;
};

TEST(Trees, TwoFloatingLinksFallOnTheFloorLikeBodiesWithAHinge) {
  std::vector<double> apart;
  for (const double h : {2e-3, 5e-4, 3e-5}) {
    TwoLinks links(Sphere{0.2}, Sphere{0.1});
    links.tree.run(0.4, h);
    links.bodies.run(0.4, h);
    apart.push_back((links.tree.link(1).position - links.bodies.body(1).position).norm());
    EXPECT_EQ(links.tree.unsolved, 0);
    EXPECT_EQ(links.tree.flagged, 0) << h;
  }
  EXPECT_LT(apart[0], 2e-4);
  EXPECT_LT(apart[1], 0.5 * apart[0]);
  EXPECT_LT(apart[2], 0.5 * apart[1]);
}

// Corners hit one after the other.
TEST(Trees, BoxesThatAreHingedLandTheSameAtEveryStep) {
  const auto endAfter = [](double h) {
    TwoLinks links(Box(Vector3d(0.2, 0.15, 0.1)), Box(Vector3d(0.2, 0.05, 0.05)));
    links.tree.run(0.3, h);
    EXPECT_EQ(links.tree.flagged, 0) << h;
    return links.tree.link(1).position;
  };
  const Vector3d exact = endAfter(1e-4);
  EXPECT_LT((endAfter(1e-3) - exact).norm(), 5e-5);
  EXPECT_LT((endAfter(2e-3) - exact).norm(), 1e-4);
}

TEST(Trees, DryFrictionOfAJointHoldsAndBreaksAway) {
  TreeLink link;
  link.joint = TreeLink::Joint::slider;
  link.axis = Vector3d::UnitX();
  link.mass = MassProperties::solidSphere(1.0, 0.1);
  link.friction = 2.0;
  for (const double force : {1.999999, 2.000001}) {
    TreeRun run;
    run.addTree(JointTree({link}), {makeLink("cart", link.mass)}, vectorOf({0}), vectorOf({0}));
    Load load;
    load.body = 0;
    load.force = {force, 0, 0};
    run.world.addLoad(load);
    run.run(1.0, 1e-3);
    EXPECT_NEAR(run.state.q[0], force < 2.0 ? 0.0 : 0.5 * 1e-6, 1e-12) << force;
    EXPECT_EQ(run.flagged, 0);
  }
  // It stops after v²/2a.
  TreeRun run;
  run.addTree(JointTree({link}), {makeLink("cart", link.mass)}, vectorOf({0}), vectorOf({1}));
  run.run(1.0, 7e-3);
  EXPECT_NEAR(run.state.q[0], 0.25, 1e-12);
  EXPECT_EQ(run.flagged, 0);
}

// A wheel on a slider along x that is carried by the floor: slips, then rolls (A5).
TEST(Trees, AWheelOnASliderSlipsAndRolls) {
  constexpr double radius = 0.1, mass = 2.0, omega = 20.0, mu = 0.3;
  for (const double h : {1e-3, 1e-2}) {
    TreeLink lift, cart, wheel;
    lift.joint = TreeLink::Joint::slider;
    lift.axis = Vector3d::UnitZ();
    lift.anchor = {0, 0, radius};
    lift.mass = MassProperties::solidSphere(1e-3, 0.01);
    cart = lift;
    cart.parent = 0;
    cart.axis = Vector3d::UnitX();
    cart.anchor.setZero();
    wheel.parent = 1;
    wheel.axis = Vector3d::UnitY();
    wheel.mass = MassProperties::solidSphere(mass, radius);
    TreeRun run;
    run.addTree(JointTree({lift, cart, wheel}), {makeLink("lift", lift.mass), makeLink("cart", cart.mass), makeLink("wheel", wheel.mass, {test::part(Sphere{radius})})},
                vectorOf({0, 0, 0}), vectorOf({0, 0, omega}));
    run.world.materials.add({"default", mu, 0.0});
    run.world.addEnvironment(AssetEnvironment("floor", {test::part(HalfSpace{})}));
    // All that stands on the floor; the lift does not move along. μ N = a m of the cart, μ N r = -α I; rolls when v = ω r.
    const double all = mass + 2e-3, I = 0.4 * mass * radius * radius;
    const double a = mu * all * kG / (mass + 1e-3), alpha = mu * all * kG * radius / I;
    const double t_roll = omega * radius / (a + alpha * radius);
    run.run(1.0, h);
    const double v_roll = a * t_roll;
    EXPECT_NEAR(run.state.v[1], v_roll, 1e-10) << h;
    EXPECT_NEAR(run.state.q[1], 0.5 * a * t_roll * t_roll + v_roll * (1.0 - t_roll), 1e-9) << h;
    EXPECT_EQ(run.flagged, 0);
  }
}

TEST(Trees, AServoOfAnyStiffnessIsStableAndKeepsItsEffort) {
  TreeLink link;
  link.joint = TreeLink::Joint::slider;
  link.axis = Vector3d::UnitX();
  link.mass = MassProperties::solidSphere(1.0, 0.1);
  link.stiffness = 1e5;
  link.damping = 200.0;
  link.target = 0.1;
  link.most = 12.0;
  TreeRun run;
  run.addTree(JointTree({link}), {makeLink("cart", link.mass)}, vectorOf({0}), vectorOf({0}));
  run.step(1e-2);
  EXPECT_NEAR(run.state.v[0], 0.12, 1e-12);
  run.run(2.0, 1e-2);
  EXPECT_NEAR(run.state.q[0], 0.1, 1e-9);
  EXPECT_EQ(run.unsolved, 0);
}

// Two rods and the ground: a four-bar of a chain of three that is closed by a loop.
TEST(Trees, AFourBarStaysClosed) {
  const double l = 0.4;
  TreeLink crank, coupler, rocker;
  crank.centre = {0, 0, 0.5 * l};
  crank.mass = MassProperties::solidBox(1.0, {0.02, 0.02, l});
  coupler.parent = 0;
  coupler.anchor = {0, 0, 0.5 * l};
  coupler.centre = {0.5 * l, 0, 0};
  coupler.mass = MassProperties::solidBox(1.0, {l, 0.02, 0.02});
  rocker.anchor = {l, 0, 0};
  rocker.centre = {0, 0, 0.5 * l};
  rocker.mass = crank.mass;
  const JointTree tree({crank, coupler, rocker}, {{1, 2, {0.5 * l, 0, 0}, {0, 0, 0.5 * l}}});
  for (const double h : {1e-3, 5e-3}) {
    TreeRun run;
    run.addTree(tree, {makeLink("crank", crank.mass), makeLink("coupler", coupler.mass), makeLink("rocker", rocker.mass)},
                vectorOf({0, 0, 0}), vectorOf({0.5, -0.5, 0.5}));
    const auto cache = tree.makeCache();
    double worst = 0.0;
    for (int k = 0; k < std::lround(2.0 / h); ++k) {
      run.step(h);
      tree.evaluate(run.state.q, TreeLevel::poses, *cache);
      std::vector<TreeRow> rows;
      tree.collectRows(*cache, rows);
      for (const TreeRow& row : rows) worst = std::max(worst, std::abs(row.C));
    }
    EXPECT_LT(worst, 1e-12) << h;
    EXPECT_EQ(run.unsolved, 0);
  }
}

// Two floating links without gravity that swing against each other, L = 0: nothing turns but by the swing.
TEST(Trees, LinksThatSwingAgainstEachOtherDoNotTurnTheWhole) {
  const JointTree tree = test::makeTwoLinks();
  const auto endAfter = [&](double h) {
    TreeRun run;
    run.world.gravity.setZero();
    VectorXd q = VectorXd::Zero(8), v = VectorXd::Zero(7);
    q[3] = 1.0;
    q[7] = 0.3;
    v[6] = 2.0;
    const auto cache = tree.makeCache();
    tree.evaluate(q, TreeLevel::dynamics, *cache);
    // Velocities of the base that take P and L away.
    const TreeMomentum arm = calcMomentum(tree, *cache, v);
    MatrixXd A(6, 6);
    for (int k = 0; k < 6; ++k) {
      const TreeMomentum base = calcMomentum(tree, *cache, VectorXd::Unit(7, k));
      A.col(k) << base.linear, base.angular;
    }
    Eigen::Matrix<double, 6, 1> missing;
    missing << -arm.linear, -arm.angular;
    v.head<6>() = A.partialPivLu().solve(missing);
    run.addTree(tree, {makeLink("base", tree.mass(0)), makeLink("arm", tree.mass(1))}, q, v);
    run.run(0.5, h);
    EXPECT_EQ(run.flagged, 0) << h;
    return run.link(0);
  };
  const InertialState fine = endAfter(1e-3), coarse = endAfter(4e-3);
  EXPECT_LT(coarse.orientation.angularDistance(fine.orientation), 1e-4);
  EXPECT_LT(std::abs(fine.orientation.x()) + std::abs(fine.orientation.z()), 1e-12);  // it turns about y
}

TEST(Trees, AJointWithDryFrictionStaysAtItsLimit) {
  TreeLink link;
  link.joint = TreeLink::Joint::slider;
  link.axis = Vector3d::UnitX();
  link.mass = MassProperties::solidSphere(1.0, 0.1);
  link.friction = 2.0;
  link.upper = 0.3;
  for (const double h : {1e-3, 7e-3}) {
    TreeRun run;
    run.addTree(JointTree({link}), {makeLink("cart", link.mass)}, vectorOf({0.25}), vectorOf({1.0}));
    run.run(0.5, h);
    EXPECT_NEAR(run.state.q[0], 0.3, 1e-12) << h;
    EXPECT_EQ(run.flagged, 0) << h;
  }
}

// A ball on a slider with a spring, elastic: never loses a bounce.
TEST(Trees, ElasticBouncesAgainstASpringGoOn) {
  TreeLink link;
  link.joint = TreeLink::Joint::slider;
  link.axis = Vector3d::UnitZ();
  link.mass = MassProperties::solidSphere(1.0, 0.1);
  link.stiffness = 300.0;
  for (const double h : {1e-3, 5e-3}) {
    TreeRun run;
    run.world.materials.add({"default", 0.5, 1.0});
    run.addTree(JointTree({link}), {makeLink("ball", link.mass, {test::part(Sphere{0.1})})}, vectorOf({0.2}), vectorOf({0}));
    run.world.addEnvironment(AssetEnvironment("floor", {test::part(HalfSpace{})}));
    const auto energy = [&] {
      const double q = run.state.q[0], v = run.state.v[0];
      return 0.5 * v * v + kG * q + 150.0 * q * q;
    };
    run.begin();
    const double start = energy();
    run.run(2.0, h);
    EXPECT_NEAR(energy(), start, 0.05 * start) << h;
    EXPECT_EQ(run.flagged, 0) << h;
  }
}

// A face of four corners slides to a stop as a free body does: v²/2μg.
TEST(Trees, ABlockOfOneLinkSlidesToAStop) {
  TreeLink link;
  link.joint = TreeLink::Joint::free;
  link.mass = MassProperties::solidBox(1.0, {0.2, 0.2, 0.2});
  for (const double h : {1e-3, 1e-2}) {
    TreeRun run;
    run.world.materials.add({"default", 0.5, 0.0});
    VectorXd q = VectorXd::Zero(7), v = VectorXd::Zero(6);
    q[2] = 0.1;
    q[3] = v[0] = 1.0;
    run.addTree(JointTree({link}), {makeLink("block", link.mass, {test::part(Box(Vector3d(0.1, 0.1, 0.1)))})}, q, v);
    run.world.addEnvironment(AssetEnvironment("floor", {test::part(HalfSpace{})}));
    run.run(0.5, h);
    EXPECT_NEAR(run.state.q[0], 1.0 / (2.0 * 0.5 * kG), 1e-12) << h;
    EXPECT_EQ(run.flagged, 0) << h;
  }
}

TEST(Trees, AreNotSteppedBySemiImplicitEuler) {
  TreeRun run = makePendulum({});
  run.options.integrator = IntegratorKind::semi_implicit_euler;
  EXPECT_THROW(run.begin(), std::invalid_argument);
}

TEST(Trees, ImpossibleOnesAreRefused) {
  WorldModel world;
  const auto tree = std::make_shared<JointTree>(test::makeTwoLinks());
  EXPECT_THROW(world.addTree(nullptr, {}, VectorXd(), VectorXd()), std::invalid_argument);
  EXPECT_THROW(world.addTree(tree, {}, VectorXd::Zero(8), VectorXd::Zero(7)), std::invalid_argument);
  std::vector<AssetInertial> links{makeLink("a", tree->mass(0)), makeLink("b", tree->mass(0))};
  EXPECT_THROW(world.addTree(tree, links, VectorXd::Zero(8), VectorXd::Zero(7)), std::invalid_argument);
}

}  // namespace
}  // namespace cornet
