// Faults planted into steps, between those who make them and those who judge: all are found.
#include <functional>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "cornet/constraints/joints/joints.h"
#include "cornet/sim/simulator.h"

namespace cornet {
namespace {

std::function<void(std::vector<StepBody>&, std::vector<StepContact>&, std::vector<StepConstraint>&)> planted;

}  // namespace

void plantFault(std::vector<StepBody>& bodies, std::vector<StepContact>& contacts, std::vector<StepConstraint>& constraints) {
  if (planted) planted(bodies, contacts, constraints);
}

namespace {

constexpr double kStep = 1e-4;

AssetInertial makeBox(const std::string& name, const Vector3d& position) {
  return AssetInertial::fromMass(name, {{Box(Vector3d(0.1, 0.1, 0.05)), Pose()}}, 2.0).place(position);
}

// A box that slides over the floor, one that falls freely, a pendulum of two on hinges, and a box at rest.
struct Yard {
  Yard() {
    world.addBody(makeBox("slider", {0, 0, 0.05}).setVelocity({1, 0, 0}));
    world.addBody(makeBox("falling", {2, 0, 5}).setVelocity({0.3, 0, -1}, {3, 2, 1}));
    world.addBody(makeBox("upper", {5, 0, 3}));
    world.addBody(makeBox("lower", {5.3, 0, 3}));
    world.addBody(makeBox("resting", {0, 2, 0.05}));
    const int floor = world.environmentBody(world.addEnvironment({"floor", {{HalfSpace{}, Pose()}}}));
    const InertialState ground = world.environment(0).calcState(0.0);
    const InertialState& upper = world.body(2).initial();
    const InertialState& lower = world.body(3).initial();
    world.excludeBodies(2, 3);
    world.addConstraint(std::make_unique<HingeJoint>(floor, 2, ground, upper, Vector3d(4.85, 0, 3), Vector3d::UnitY()));
    world.addConstraint(std::make_unique<HingeJoint>(2, 3, upper, lower, Vector3d(5.15, 0, 3), Vector3d::UnitY()));
    state = world.makeState();
    for (int k = 0; k < 4; ++k) EXPECT_TRUE(step({}).isAccurate());
  }

  StepReport step(decltype(planted) fault, const StepBounds& bounds = {}) {
    SimulatorOptions options;
    options.bounds = bounds;
    options.max_parts = 1;  // a step that is taken again is free of what was planted into it
    planted = std::move(fault);
    const StepReport report = Simulator(world, options).step(kStep, state, memory);
    planted = {};
    return report;
  }

  WorldModel world;
  State state;
  StepMemory memory;
};

class PlantedFaults : public ::testing::Test {
 protected:
  Yard yard;
};

TEST_F(PlantedFaults, StepsWithoutAnyAreAccurate) {
  for (int k = 0; k < 50; ++k) EXPECT_TRUE(yard.step({}).isAccurate()) << k;
}

TEST_F(PlantedFaults, ABodyLiftedByATenThousandthOfItsSizeGainsEnergy) {
  for (const int body : {1, 4}) {
    const double way = 1e-4 * yard.world.body(body).size();
    const StepReport report = yard.step([&](auto& bodies, auto&, auto&) { bodies[body].now.position.z() += way; });
    EXPECT_EQ(report.status, SolveStatus::inaccurate);
    EXPECT_TRUE(report.certificate.exceeds({}, StepMeasure::energy));
    EXPECT_EQ(report.certificate[StepMeasure::energy].body, body);
  }
}

TEST_F(PlantedFaults, ABodyMovedByATenThousandthOfItsSizeIsMeasured) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  StepBounds bounds;
  bounds.motion = 5e-5;
  for (int k = 0; k < 20; ++k) {
    const int body = k % 5;
    const Vector3d direction = Vector3d(normal(random), normal(random), normal(random)).normalized();
    const double way = 1e-4 * yard.world.body(body).size();
    const StepReport moved =
        yard.step([&](auto& bodies, auto&, auto&) { bodies[body].now.position += way * direction; }, bounds);
    EXPECT_FALSE(moved.isAccurate()) << k;
    EXPECT_NEAR(moved.certificate[StepMeasure::motion].value, 1e-4, 4e-5) << k;
    const StepReport turned = yard.step(
        [&](auto& bodies, auto&, auto&) {
          bodies[body].now.orientation = expMap(Vector3d(1e-4 * direction)) * bodies[body].now.orientation;
        },
        bounds);
    EXPECT_FALSE(turned.isAccurate()) << k;
  }
}

TEST_F(PlantedFaults, AJointOpenedByAMillionthIsNamed) {
  for (const Vector3d& way : {Vector3d(1e-6, 0, 0), Vector3d(0, 0, -1e-6), Vector3d(0, 1e-6, 0)}) {
    const StepReport report = yard.step([&](auto& bodies, auto&, auto&) { bodies[3].now.position += way; });
    EXPECT_FALSE(report.isAccurate());
    EXPECT_TRUE(report.certificate.exceeds({}, StepMeasure::closure));
    EXPECT_EQ(report.certificate[StepMeasure::closure].joint, 1);
  }
}

TEST_F(PlantedFaults, ALostImpulseIsMissedFromTheMomentum) {
  const StepReport contact = yard.step([](auto&, auto& contacts, auto&) { contacts.front().impulse.setZero(); });
  EXPECT_TRUE(contact.certificate.exceeds({}, StepMeasure::momentum));
  EXPECT_EQ(contact.certificate[StepMeasure::momentum].body, 0);
  const StepReport joint = yard.step([](auto&, auto&, auto& constraints) { constraints[1].impulse.setZero(); });
  EXPECT_TRUE(joint.certificate.exceeds({}, StepMeasure::momentum));
  const StepReport velocity = yard.step([](auto& bodies, auto&, auto&) { bodies[1].now.velocity.x() += 1e-8; });
  EXPECT_TRUE(velocity.certificate.exceeds({}, StepMeasure::momentum));
  const StepReport spin = yard.step([](auto& bodies, auto&, auto&) { bodies[1].now.omega.x() += 1e-8; });
  EXPECT_TRUE(spin.certificate.exceeds({}, StepMeasure::momentum));
}

// An impulse along the slip, told and applied: momentum is kept, the law of no solver was asked.
TEST_F(PlantedFaults, EnergyThatIsAddedWithAnHonestImpulseIsFound) {
  const StepReport report = yard.step([](auto& bodies, auto& contacts, auto&) {
    StepContact& contact = contacts.front();
    const Vector3d impulse(4e-2, 0, 0);
    StepBody& body = bodies[0];
    contact.impulse += impulse;
    body.now.velocity += impulse / body.asset->mass().mass;
    const Matrix3d I = body.asset->inertia().calcInverse(body.now.orientation);
    body.now.omega += I * contact.kick_arm_b.cross(impulse);
  });
  EXPECT_FALSE(report.certificate.exceeds({}, StepMeasure::momentum));
  EXPECT_TRUE(report.certificate.exceeds({}, StepMeasure::energy));
}

TEST_F(PlantedFaults, ABodyPushedIntoTheFloorOverlapsAnew) {
  const StepReport report = yard.step([](auto& bodies, auto&, auto&) { bodies[4].now.position.z() -= 3e-4; });
  EXPECT_TRUE(report.certificate.exceeds({}, StepMeasure::overlap));
  EXPECT_NEAR(report.certificate[StepMeasure::overlap].value, 3e-4 / yard.world.body(4).size(), 1e-7);
}

// Gears with 20 and 31 teeth on a floating carrier, the first driven.
struct Gearbox {
  Gearbox() {
    world.gravity.setZero();
    world.addBody(makeBox("carrier", {0, 0, 0}));
    world.addBody(makeBox("first", {1, 0, 0}));
    world.addBody(makeBox("second", {-1, 0, 0}));
    const int a = world.addHinge(0, 1, {.name = "first", .anchor = {1, 0, 0}, .effort = 0.1});
    const int b = world.addHinge(0, 2, {.name = "second", .anchor = {-1, 0, 0}});
    world.addCoupling({{a, 20.0}, {b, 31.0}}, {.name = "teeth"});
    state = world.makeState();
  }
  StepReport step(decltype(planted) fault) {
    SimulatorOptions options;
    options.max_parts = 1;
    planted = std::move(fault);
    const StepReport report = Simulator(world, options).step(kStep, state, memory);
    planted = {};
    return report;
  }
  WorldModel world;
  State state;
  StepMemory memory;
};

TEST(PlantedGearFaults, GearsThatSlipAreNamedByTheirCouplingEvenByAWholeTooth) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  for (const double slip : {1e-6, kTurn / 31.0, -2.0 * kTurn / 31.0}) {
    Gearbox gears;
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(gears.step({}).isAccurate());
    const StepReport report = gears.step([&](auto& bodies, auto&, auto&) {
      bodies[2].now.orientation = expMap(Vector3d(0, 0, slip)) * bodies[2].now.orientation;
    });
    EXPECT_FALSE(report.isAccurate());
    EXPECT_TRUE(report.certificate.exceeds({}, StepMeasure::closure)) << slip;
    EXPECT_EQ(report.certificate[StepMeasure::closure].joint, 2) << slip;
    EXPECT_NEAR(report.certificate[StepMeasure::closure].value, 31.0 / 51.0 * std::abs(slip), 1e-9) << slip;
  }
}

TEST(PlantedGearFaults, ALostImpulseOfACouplingIsMissedFromTheMomentum) {
  Gearbox gears;
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(gears.step({}).isAccurate());
  const StepReport report = gears.step([](auto&, auto&, auto& constraints) { constraints.back().impulse *= 1.0 + 1e-6; });
  EXPECT_TRUE(report.certificate.exceeds({}, StepMeasure::momentum));
}

}  // namespace
}  // namespace cornet
