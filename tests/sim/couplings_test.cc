// Couplings of joints: gears, racks and differentials whose members all move.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "cornet/constraints/joints/joint_coupling.h"
#include "support/joint_tree.h"
#include "support/stepped_world.h"

namespace cornet {
namespace {

using test::SteppedWorld;

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr double kRatio = 1e-10;  // what ratios are kept to

AssetInertial makeBody(const std::string& name, double mass, const Vector3d& moments, const Vector3d& position,
                       const Vector3d& velocity = Vector3d::Zero(), const Vector3d& omega = Vector3d::Zero()) {
  AssetInertial body(name, MassProperties{mass, Matrix3d(moments.asDiagonal())});
  body.place(position).setVelocity(velocity, omega);
  return body;
}

// Steps a world with couplings and counts the turns of its joints.
struct Geared : SteppedWorld {
  void run(double duration, double dt) {
    if (!simulator) begin();
    const auto steps = std::lround(duration / dt);
    for (long k = 0; k < steps; ++k) {
      const std::vector<JointOutcome> before = simulator->joints();
      const StepReport& report = step(dt);
      const StepMeasure measure = report.certificate.worstMeasure(StepBounds{});
      EXPECT_TRUE(report.isAccurate()) << "t = " << state.time << ", " << nameOf(measure) << " "
                                       << report.certificate[measure].value;
      inaccurate += !report.isAccurate();
      if (inaccurate > 3) return;
      worst_gain = std::max(worst_gain, report.certificate[StepMeasure::energy].value);
      worst_momentum = std::max(worst_momentum, report.certificate[StepMeasure::momentum].value);
      worst_closure = std::max(worst_closure, report.certificate[StepMeasure::closure].value);
      most_parts = std::max(most_parts, report.corrections.parts);
      turned.resize(simulator->joints().size(), 0.0);
      for (std::size_t j = 0; j < turned.size(); ++j) {
        const double way = simulator->joints()[j].position - (before.empty() ? 0.0 : before[j].position);
        turned[j] += way - kTurn * std::round(way / kTurn);
      }
    }
  }
  const JointOutcome& joint(int j) const { return simulator->joints()[static_cast<std::size_t>(j)]; }
  // About the centre of mass of all.
  Vector3d calcAngularMomentum() const {
    Vector3d centre = Vector3d::Zero(), sum = Vector3d::Zero();
    double mass = 0.0;
    for (int i = 0; i < world.bodyCount(); ++i) {
      centre += world.body(i).mass().mass * state.body(i).position;
      mass += world.body(i).mass().mass;
    }
    centre /= mass;
    for (int i = 0; i < world.bodyCount(); ++i) {
      const InertialState at = state.body(i);
      sum += world.body(i).inertia().calcMomentum(at.orientation, at.omega) +
             world.body(i).mass().mass * (at.position - centre).cross(at.velocity);
    }
    return sum;
  }
  Vector3d calcMomentum() const {
    Vector3d sum = Vector3d::Zero();
    for (int i = 0; i < world.bodyCount(); ++i) sum += world.body(i).mass().mass * state.body(i).velocity;
    return sum;
  }

  std::vector<double> turned;  // of joints, over all turns
  double worst_gain = 0.0, worst_momentum = 0.0, worst_closure = 0.0;
  int inaccurate = 0, most_parts = 1;
};

// Gears with 20 and 30 teeth on a carrier that floats and turns; their axes make an angle of `bevel`.
struct FloatingGears : Geared {
  explicit FloatingGears(double bevel, double speed) {
    world.gravity.setZero();
    const Vector3d other(std::sin(bevel), 0.0, std::cos(bevel));
    const Vector3d drift(0.1, -0.2, 0.3), tumble = bevel == 0.0 ? Vector3d(0, 0, 2) : Vector3d(1.0, 0.5, 2.0);
    const Vector3d p1(0.2, 0, 0), p2(-0.3, 0, 0);
    const int carrier = world.addBody(makeBody("carrier", 2.0, {0.05, 0.08, 0.09}, Vector3d::Zero(), drift, tumble));
    const int first = world.addBody(
        makeBody("first", 1.0, {0.01, 0.01, 0.02}, p1, drift + tumble.cross(p1), tumble + 30.0 * speed * Vector3d::UnitZ()));
    const int second = world.addBody(
        makeBody("second", 1.5, {0.02, 0.02, 0.03}, p2, drift + tumble.cross(p2), tumble - 20.0 * speed * other));
    hinges = {world.addHinge(carrier, first, {.name = "first", .anchor = p1, .axis = Vector3d::UnitZ()}),
              world.addHinge(carrier, second, {.name = "second", .anchor = p2, .axis = other})};
    coupling = world.addCoupling({{hinges[0], 20.0}, {hinges[1], 30.0}}, {.name = "teeth"});
  }
  std::array<int, 2> hinges{};
  int coupling = -1;
};

TEST(Couplings, GearsOnAFloatingCarrierKeepRatioMomentumAndEnergyForAMinute) {
  FloatingGears gears(0.0, 0.5);  // 143 turns of the first
  const double energy = gears.world.calcKinetic(gears.world.makeState());
  gears.begin();
  const Vector3d p = gears.calcMomentum(), L = gears.calcAngularMomentum();
  gears.run(60.0, 1e-3);
  EXPECT_GT(std::abs(gears.turned[0]), 100.0 * kTurn);
  EXPECT_NEAR(20.0 * gears.turned[0] + 30.0 * gears.turned[1], 0.0, kRatio * 20.0 * std::abs(gears.turned[0]));
  EXPECT_LT(gears.joint(gears.coupling).error, 1e-13);
  EXPECT_NEAR(20.0 * gears.joint(0).rate + 30.0 * gears.joint(1).rate, 0.0, kRatio);
  EXPECT_LT((gears.calcMomentum() - p).norm(), 1e-10 * p.norm());
  EXPECT_LT((gears.calcAngularMomentum() - L).norm(), 1e-8 * L.norm());  // 22 m off the origin: rounding of 60,000 steps
  EXPECT_LT(gears.worst_momentum, 1e-13);
  EXPECT_NEAR(gears.energy(), energy, 1e-8 * energy);
  EXPECT_LE(gears.worst_gain, 1e-9);
}

class BevelGears : public ::testing::TestWithParam<double> {};

TEST_P(BevelGears, OnATumblingCarrierKeepRatioMomentumAndEnergy) {
  FloatingGears gears(std::numbers::pi / 2.0, 0.3);
  const double energy = gears.world.calcKinetic(gears.world.makeState());
  gears.begin();
  const Vector3d L = gears.calcAngularMomentum();
  gears.run(10.0, GetParam());
  EXPECT_GT(std::abs(gears.turned[0]), 10.0 * kTurn);
  EXPECT_NEAR(20.0 * gears.turned[0] + 30.0 * gears.turned[1], 0.0, kRatio * 20.0 * std::abs(gears.turned[0]));
  EXPECT_LT((gears.calcAngularMomentum() - L).norm(), 1e-9 * L.norm());
  EXPECT_NEAR(gears.energy(), energy, GetParam() < 2e-3 ? 1e-5 * energy : 1e-3 * energy);
  EXPECT_LE(gears.worst_gain, GetParam() < 2e-3 ? 1e-9 : 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Steps, BevelGears, ::testing::Values(1e-3, 1e-2));

// Both wheels and the cage turn on a housing that floats: what the coupling does to it is the sum of what it does to them.
class Differentials : public ::testing::TestWithParam<double> {};

TEST_P(Differentials, OnAFloatingHousingShareTheTorque) {
  Geared car;
  car.world.gravity.setZero();
  const double I0 = 0.4, I1 = 0.02, I2 = 0.05, I3 = 0.08, effort = 4.0, load1 = 0.5, load2 = 0.75;
  const int housing = car.world.addBody(makeBody("housing", 5.0, {0.3, I0, 0.3}, Vector3d::Zero()));
  const int left = car.world.addBody(makeBody("left", 1.0, {0.015, I1, 0.015}, {0, 0.5, 0}));
  const int right = car.world.addBody(makeBody("right", 1.0, {0.03, I2, 0.03}, {0, -0.5, 0}));
  const int cage = car.world.addBody(makeBody("cage", 1.0, {0.06, I3, 0.06}, Vector3d::Zero()));
  const Vector3d axis = Vector3d::UnitY();
  const int l = car.world.addHinge(housing, left, {.name = "left", .anchor = {0, 0.5, 0}, .axis = axis, .effort = -load1});
  const int r = car.world.addHinge(housing, right, {.name = "right", .anchor = {0, -0.5, 0}, .axis = axis, .effort = -load2});
  const int c = car.world.addHinge(housing, cage, {.name = "cage", .axis = axis, .motor = {.speed = 1e4, .max_effort = effort}});
  const int coupling = car.world.addCoupling({{l, 1.0}, {r, 1.0}, {c, -2.0}});
  EXPECT_EQ(car.world.joints()[static_cast<std::size_t>(coupling)].name, "coupling left-right-cage");
  car.run(5.0, GetParam());
  // Accelerations of left, right, cage, housing about y, and λ.
  Eigen::Matrix<double, 5, 5> A = Eigen::Matrix<double, 5, 5>::Zero();
  A.diagonal() << I1, I2, I3, I0, 0.0;
  const Eigen::Vector<double, 5> g(1.0, 1.0, -2.0, 0.0, 0.0);  // of the housing: 1 + 1 - 2 = 0
  A.col(4) = -g;
  A.row(4) = g.transpose();
  const Eigen::Vector<double, 5> b(-load1, -load2, effort, load1 + load2 - effort, 0.0);
  const Eigen::Vector<double, 5> x = A.partialPivLu().solve(b);
  const double t = 5.0;
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(car.joint(i).rate, (x[i] - x[3]) * t, kRatio * std::abs(x[i] * t)) << i;
    EXPECT_NEAR(car.turned[static_cast<std::size_t>(i)], 0.5 * (x[i] - x[3]) * t * t, kRatio * std::abs(x[i] * t * t)) << i;
  }
  EXPECT_GT(std::abs(car.turned[0]), 10.0 * kTurn);
  EXPECT_NEAR(car.turned[0] + car.turned[1] - 2.0 * car.turned[2], 0.0, kRatio * std::abs(car.turned[0]));
  EXPECT_NEAR(car.joint(coupling).torque.y(), x[4], 1e-9 * std::abs(x[4]));
  EXPECT_LT(car.calcAngularMomentum().norm(), 1e-10);
  EXPECT_LE(car.worst_gain, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Steps, Differentials, ::testing::Values(1e-3, 1e-2));

// A pinion rolls along a rack on a cart, to and fro, by a spring; both float with the cart.
class Racks : public ::testing::TestWithParam<double> {};

TEST_P(Racks, OnAFloatingCartKeepTheirWayOverManyTurns) {
  Geared cart;
  cart.world.gravity.setZero();
  const double radius = 0.02;
  const int base = cart.world.addBody(makeBody("base", 4.0, {0.3, 0.3, 0.4}, Vector3d::Zero(), {0.2, 0, 0}, {0, 0, 0.5}));
  const int pinion = cart.world.addBody(makeBody("pinion", 0.5, {1e-3, 1e-3, 2e-3}, {0, 0.1, 0}, {0.15, 0, 0}, {0, 0, 150.5}));
  const int rack = cart.world.addBody(makeBody("rack", 1.0, {0.1, 0.1, 0.1}, {0, -0.1, 0}, {3.25, 0, 0}, {0, 0, 0.5}));
  const int axle = cart.world.addHinge(base, pinion, {.name = "axle", .anchor = {0, 0.1, 0}, .axis = Vector3d::UnitZ()});
  const int rail = cart.world.addSlider(base, rack, {.name = "rail", .axis = Vector3d::UnitX(), .spring = {.stiffness = 20.0}});
  cart.world.addCoupling({{axle, radius}, {rail, -1.0}});
  cart.begin();
  const Vector3d p = cart.calcMomentum(), L = cart.calcAngularMomentum();
  double furthest = 0.0;
  for (int k = 0; k < 20; ++k) {
    cart.run(0.25, GetParam());
    furthest = std::max(furthest, std::abs(cart.turned[0]));
    EXPECT_NEAR(radius * cart.turned[0], cart.joint(rail).position, kRatio);
  }
  EXPECT_GT(furthest, 8.0 * kTurn);
  EXPECT_LT((cart.calcMomentum() - p).norm(), 1e-10 * p.norm());
  EXPECT_LT((cart.calcAngularMomentum() - L).norm(), 1e-9 * L.norm());
}

INSTANTIATE_TEST_SUITE_P(Steps, Racks, ::testing::Values(1e-3, 1e-2));

// A coupling of two gears on one arm, another of the second with a third: all in one island, solved together.
TEST(Couplings, TrainsOfGearsMultiplyTheirRatios) {
  Geared train;
  const int wall = 4;
  std::vector<int> joints;
  for (int k = 0; k < 4; ++k) {
    train.world.addBody(makeBody("gear" + std::to_string(k), 1.0, {0.01, 0.02, 0.01}, {0.3 * k, 0, 0}));
  }
  train.world.addEnvironment({"wall", {}});
  for (int k = 0; k < 4; ++k) {
    joints.push_back(train.world.addHinge(wall, k, {.anchor = {0.3 * k, 0, 0}, .axis = Vector3d::UnitY()}));
  }
  for (int k = 0; k < 3; ++k) train.world.addCoupling({{joints[k], 10.0}, {joints[k + 1], 30.0}});
  train.world.addLoad({.body = 0, .torque = {0, 5.0, 0}});
  train.run(2.0, 1e-3);
  const double inertia = 0.02 * (1.0 + 1.0 / 9.0 + 1.0 / 81.0 + 1.0 / 729.0);
  EXPECT_NEAR(train.joint(0).rate, 5.0 * 2.0 / inertia, kRatio * 5.0 * 2.0 / inertia);
  EXPECT_NEAR(train.joint(3).rate, -train.joint(0).rate / 27.0, kRatio * train.joint(0).rate);
  EXPECT_NEAR(train.turned[3], -train.turned[0] / 27.0, kRatio * train.turned[0]);
}

// A ball falls onto the rim of a gear that others hang on.
TEST(Couplings, TakePartInImpacts) {
  for (const double dt : {1e-3, 1e-2}) {
    Geared mill;
    mill.world.materials.setPair(0, 0, {.mu = 0.3, .restitution = 0.5});
    AssetInertial wheel = AssetInertial::fromMass("wheel", {test::part(Box(Vector3d(0.5, 0.1, 0.02)))}, 2.0);
    mill.world.addBody(std::move(wheel));
    mill.world.addBody(makeBody("other", 1.0, {0.01, 0.02, 0.01}, {0, 2, 0}));
    AssetInertial ball = AssetInertial::fromMass("ball", {test::part(Sphere{0.05})}, 0.5);
    ball.place({0.4, 0, 0.5});
    mill.world.addBody(std::move(ball));
    const int wall = mill.world.environmentBody(mill.world.addEnvironment({"wall", {}}));
    const int a = mill.world.addHinge(wall, 0, {.axis = Vector3d::UnitY()});
    const int b = mill.world.addHinge(wall, 1, {.anchor = {0, 2, 0}, .axis = Vector3d::UnitY()});
    mill.world.addCoupling({{a, 3.0}, {b, -1.0}});
    mill.run(0.6, dt);
    EXPECT_GT(std::abs(mill.joint(a).rate), 0.5) << dt;
    EXPECT_NEAR(3.0 * mill.joint(a).rate, mill.joint(b).rate, kRatio * std::abs(mill.joint(b).rate)) << dt;
    EXPECT_NEAR(3.0 * mill.turned[0], mill.turned[1], kRatio * std::abs(mill.turned[1])) << dt;
  }
}

// Gears on a floating body and on the arm that is hinged to it, of a tree or of bodies with a hinge: coupled through all four.
struct GearsOnLinks {
  GearsOnLinks() {
    const test::JointTree model = test::makeTwoLinks();
    VectorXd q = VectorXd::Zero(8), v = VectorXd::Zero(7);
    q[3] = 1.0;
    v << 0.1, 0.2, 0.0, 0.3, 0.5, 0.2, -1.0;
    const auto cache = model.makeCache();
    model.evaluate(q, TreeLevel::poses, *cache);
    std::vector<AssetInertial> links;
    for (int k = 0; k < 2; ++k) {  // gears move along with the links they sit on
      const InertialState state = model.calcLinkState(*cache, v, k);
      for (Geared* run : {&tree, &bodies}) {
        run->world.addBody(makeBody("gear" + std::to_string(k), 0.3, {0.01, 0.02, 0.01}, state.position, state.velocity, state.omega));
      }
    }
    for (int k = 0; k < 2; ++k) {
      const InertialState state = model.calcLinkState(*cache, v, k);
      AssetInertial link("link" + std::to_string(k), model.mass(k));
      links.push_back(link);
      bodies.world.addBody(std::move(link.place(state.position, state.orientation).setVelocity(state.velocity, state.omega)));
    }
    tree.world.addTree(std::make_shared<test::JointTree>(model), std::move(links), q, v);
    for (Geared* run : {&tree, &bodies}) {
      WorldModel& world = run->world;
      world.gravity.setZero();
      const int base = world.addHinge(2, 0, {.name = "base", .axis = Vector3d::UnitY(), .effort = 0.2});
      const int arm = world.addHinge(3, 1, {.name = "arm", .anchor = {0.4, 0, 0}, .axis = Vector3d::UnitZ()});
      world.addCoupling({{base, 1.0}, {arm, -3.0}});
    }
    bodies.world.addHinge(2, 3, {.anchor = {0.2, 0, 0}, .axis = Vector3d::UnitY()});
  }
  Geared tree, bodies;
};

TEST(Couplings, OfLinksOfTreesAreThoseOfBodies) {
  std::vector<double> apart;
  for (const double dt : {1e-2, 5e-3, 2.5e-3}) {
    GearsOnLinks gears;
    gears.tree.run(2.0, dt);
    gears.bodies.run(2.0, dt);
    for (const Geared* run : {&gears.tree, &gears.bodies}) {
      EXPECT_GT(std::abs(run->turned[0]), kTurn);
      EXPECT_NEAR(run->turned[0], 3.0 * run->turned[1], kRatio * std::abs(run->turned[0])) << dt;
      EXPECT_NEAR(run->joint(0).rate, 3.0 * run->joint(1).rate, kRatio * std::abs(run->joint(0).rate)) << dt;
    }
    apart.push_back(std::abs(gears.tree.turned[0] - gears.bodies.turned[0]));
  }
  EXPECT_LT(apart[0], 1e-2);
  EXPECT_LT(apart[1], 0.3 * apart[0]);
  EXPECT_LT(apart[2], 0.3 * apart[1]);
}

std::string refusalOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
  return "accepted";
}

TEST(Couplings, SayWhatIsWrongWithThem) {
  WorldModel world;
  for (const char* name : {"a", "b", "c"}) world.addBody(makeBody(name, 1.0, {0.1, 0.1, 0.1}, Vector3d::Zero()));
  const int wall = world.environmentBody(world.addEnvironment({"wall", {}}));
  const int h1 = world.addHinge(wall, 0, {.name = "h1"}), h2 = world.addHinge(wall, 1, {.name = "h2"});
  const int ball = world.addBall(wall, 2, {.name = "ball"});
  const auto refusal = [&](const std::vector<CoupledJoint>& joints, const CouplingOptions& options = {.name = "teeth"}) {
    return refusalOf([&] { world.addCoupling(joints, options); });
  };
  EXPECT_EQ(refusal({{h1, 1.0}}), "coupling 'teeth': it couples 1 joints: expected at least 2");
  EXPECT_EQ(refusal({{h1, 1.0}, {7, 1.0}}), "coupling 'teeth': joint 7 does not exist, there are 3");
  EXPECT_EQ(refusal({{h1, 1.0}, {h1, 2.0}}), "coupling 'teeth': joint 'h1' is named twice: give it one ratio");
  EXPECT_EQ(refusal({{h1, 1.0}, {h2, 0.0}}),
            "coupling 'teeth': ratio 0 of joint 'h2': expected a finite number that is not 0");
  EXPECT_EQ(refusal({{h1, 1.0}, {ball, 2.0}}), "coupling 'teeth': joint 'ball' is a BallJoint: expected a hinge or a slider");
  EXPECT_EQ(refusal({{h1, 1.0}, {h2, -std::numbers::pi}}),
            "coupling 'teeth': ratios 1 and -3.141592653589793 of hinges: expected numbers in proportion to whole ones up to "
            "10000, as numbers of teeth are, for angles are known but for whole turns; near to them are 113 and -355");
  EXPECT_EQ(refusal({{h1, 1.0}, {h2, 2.0}}, {.name = "teeth", .offset = std::nan("")}),
            "coupling 'teeth': offset nan: expected a finite number");
  EXPECT_EQ(refusal({{h1, 1.0}, {h2, 2.0}}, {.name = "h1"}), "joint 'h1' exists twice");
  EXPECT_EQ(refusal({{h1, 1.0}, {h2, 2.0}}), "accepted");
}

}  // namespace
}  // namespace cornet
