// Impulses of bodies that stay apart: what the certificate says, and that steps are then taken in parts.
#include <gtest/gtest.h>

#include "cornet/audit/far_impulses.h"
#include "cornet/audit/step_certifier.h"
#include "support/stepped_world.h"

namespace cornet {
namespace {

using test::part;
using test::SteppedWorld;

constexpr double kDuration = 0.01;

// A ball that flies towards a wall at x = 0 and is pushed back by it.
struct Rebound {
  Rebound() {
    world.gravity.setZero();
    world.addBody(AssetInertial::fromMass("ball", {part(Sphere{0.01})}, 1.0));
    world.addEnvironment({"wall", {part(Box({0.1, 1.0, 1.0}))}, Vector3d(0.1, 0, 0)});
    before = after = world.calcBodies(world.makeState());
    after.time = kDuration;
  }
  // From so far before the wall at 2 m/s, turned back at time t.
  double findGap(double gap, double t) {
    before.bodies[0].position = {-0.01 - gap, 0, 0};
    before.bodies[0].velocity = {2, 0, 0};
    after.bodies[0].velocity = {-1, 0, 0};
    after.bodies[0].position = before.bodies[0].position + Vector3d(2 * t - (kDuration - t), 0, 0);
    const ContactSet none;
    const std::vector<BodyForce> forces(1);
    return FarImpulses(world).calcDistance(1, 0, {before, after, kDuration, forces, {}, {}, {}, none, none});
  }

  WorldModel world;
  BodyStates before, after;
};

TEST(FarImpulses, WhatTurnsAtTheWallIsPushedByIt) {
  EXPECT_EQ(Rebound().findGap(0.01, 0.005), 0.0);
  EXPECT_EQ(Rebound().findGap(0.0, 0.0), 0.0);
}

TEST(FarImpulses, WhatTurnsBeforeItIsNot) {  // but for a ten-thousandth of the ball
  EXPECT_NEAR(Rebound().findGap(0.01, 0.002), 0.006, 2e-6);
  EXPECT_NEAR(Rebound().findGap(0.01, 0.0), 0.01, 2e-6);
}

TEST(FarImpulses, WhatArrivesAtTheEndIs) {
  Rebound rebound;  // turned back early by something else, and then to the wall
  EXPECT_EQ(rebound.findGap(0.02, 0.01), 0.0);
}

// In flight the marble meets the wall behind the bead as well, and the rebound from there would satisfy the bead. The bead is hit after 1/600 s,
// leaves at 4 m/s, the marble going on at 2.5 m/s, and comes back from the wall at 2 m/s.
TEST(FarImpulses, AMarbleMeetsABeadBeforeTheWallBehindIt) {
  for (const double dt : {4.8e-3, 2.4e-3, 1.2e-3}) {
    SteppedWorld scene;
    scene.world.gravity.setZero();
    scene.world.materials.add({"default", 0.3, 0.5});
    scene.world.addEnvironment({"wall", {part(Box({0.1, 1.0, 1.0}))}, Vector3d(0.115, 0, 0)});
    scene.world.addBody(AssetInertial::fromDensity("marble", {part(Sphere{0.01})}, 2500.0).place({-0.02, 0, 0}).setVelocity({3, 0, 0}));
    scene.world.addBody(AssetInertial::fromDensity("bead", {part(Sphere{0.005})}, 2500.0));
    scene.run(4.8e-3, dt);
    EXPECT_NEAR(scene.body(0).position.x(), -0.015 + 2.5 * (4.8e-3 - 0.005 / 3.0), 1e-7) << dt;
    EXPECT_NEAR(scene.body(1).position.x(), 0.01 - 2.0 * (4.8e-3 - 0.005 / 3.0 - 0.0025), 1e-7) << dt;
    EXPECT_NEAR(scene.body(1).velocity.x(), -2.0, 1e-9) << dt;
  }
}

}  // namespace
}  // namespace cornet
