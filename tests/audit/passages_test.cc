// Bodies that go through others within a step: what the certificate says, and that steps are then taken in parts.
#include <gtest/gtest.h>

#include "cornet/audit/step_certifier.h"
#include "support/stepped_world.h"

namespace cornet {
namespace {

using test::part;
using test::SteppedWorld;

constexpr double kStep = 0.01;

// A bead and a larger ball in free space, a thin plate ahead of them, and a step that moves them.
struct Flight {
  Flight() {
    world.gravity.setZero();
    world.addBody(AssetInertial::fromMass("bead", {{Sphere{0.002}, Pose()}}, 1.0));
    world.addBody(AssetInertial::fromMass("ball", {{Sphere{0.01}, Pose()}}, 1.0).place({0.0, 1.0, 0.0}));
    world.addEnvironment({"plate", {part(Box({0.0025, 0.5, 0.5}))}, Vector3d(0.0325, 0, 0)});
    before = after = world.calcBodies(world.makeState());
    after.time = kStep;
  }
  void move(int body, const Vector3d& from, const Vector3d& v_before, const Vector3d& to, const Vector3d& v_after) {
    before.bodies[body].position = from;
    before.bodies[body].velocity = v_before;
    after.bodies[body].position = to;
    after.bodies[body].velocity = v_after;
  }
  std::vector<Passages::Passage> find() {
    const ContactSet none;
    const std::vector<BodyForce> forces(2);
    return Passages(world).find({before, after, kStep, forces, {}, {}, {}, none, none});
  }

  WorldModel world;
  BodyStates before, after;
};

TEST(Passages, ABeadThatIsBehindThePlateWentThroughIt) {
  Flight flight;
  flight.move(0, {0, 0, 0}, {5, 0, 0}, {0.05, 0, 0}, {5, 0, 0});
  const auto found = flight.find();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].body, 0);
  EXPECT_EQ(found[0].other, 2);
}

TEST(Passages, ABeadThatBouncesBackFromThePlateDidNot) {
  Flight flight;  // from x = 0 to the plate at 0.028, and back
  flight.move(0, {0, 0, 0}, {4, 0, 0}, {0.028 - 0.003 * 2, 0, 0}, {-2, 0, 0});
  EXPECT_TRUE(flight.find().empty());
}

TEST(Passages, WhatFliesSideBySideDoesNot) {
  Flight flight;  // the bead ends where the ball began
  flight.move(0, {-0.05, 0.2, 0}, {-5, 0, 0}, {-0.1, 0.2, 0}, {-5, 0, 0});
  flight.move(1, {-0.075, 0.2, 0}, {-5, 0, 0}, {-0.125, 0.2, 0}, {-5, 0, 0});
  EXPECT_TRUE(flight.find().empty());
  flight.move(1, {-0.075, 0.2, 0}, {0, 0, 0}, {-0.075, 0.2, 0}, {0, 0, 0});
  EXPECT_EQ(flight.find().size(), 1U);
}

TEST(Passages, WhatMayNotTouchGoesThroughEverything) {
  Flight flight;
  flight.world.excludeBodies(0, 2);
  flight.move(0, {0, 0, 0}, {5, 0, 0}, {0.05, 0, 0}, {5, 0, 0});
  EXPECT_TRUE(flight.find().empty());
}

// A marble knocks a bead at a plate that is thinner than what the bead flies in a step.
TEST(Passages, ABeadThatIsKnockedAtAThinPlateStaysBeforeIt) {
  for (const double dt : {1e-3, 1e-2}) {
    SteppedWorld scene;
    scene.world.gravity.setZero();
    scene.world.materials.add({"default", 0.3, 0.5});
    scene.world.addEnvironment({"plate", {part(Box({0.0025, 0.5, 0.5}))}, Vector3d(0.0325, 0, 0)});
    const double density = 2500.0;
    scene.world.addBody(AssetInertial::fromDensity("bead", {part(Sphere{0.002})}, density));
    scene.world.addBody(AssetInertial::fromDensity("marble", {part(Sphere{0.01})}, density).place({-0.014, 0, 0}).setVelocity({3, 0, 0}));
    for (int k = 0; k < 5; ++k) {
      const StepReport report = scene.step(dt);
      const double x = scene.state.body(0).position.x();
      EXPECT_TRUE(x < 0.0325 || !report.isAccurate()) << dt << " " << k << " " << x;
    }
  }
}

}  // namespace
}  // namespace cornet
