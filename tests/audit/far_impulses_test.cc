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
    outcome.a = 1;
    outcome.b = 0;
    outcome.normal = -Vector3d::UnitX();
    outcome.impulse = {-3.0, 0, 0};
  }
  // From so far before the wall at 2 m/s, turned back at time t.
  double findGap(double gap, double t, double matter = 1.0) {
    before.bodies[0].position = {-0.01 - gap, 0, 0};
    before.bodies[0].velocity = {2, 0, 0};
    after.bodies[0].velocity = {-1, 0, 0};
    after.bodies[0].position = before.bodies[0].position + Vector3d(2 * t - (kDuration - t), 0, 0);
    outcome.gap = gap;
    const ContactSet none;
    const std::vector<BodyForce> forces(1);
    const std::vector<ContactOutcome> contacts = {outcome};
    FarImpulses far(world);
    const auto& found = far.find({before, after, kDuration, forces, contacts, {}, {}, none, none},
                                [matter](int, double impulse) { return impulse > matter; });
    return found.empty() ? 0.0 : found[0].gap;
  }

  WorldModel world;
  BodyStates before, after;
  ContactOutcome outcome;
};

TEST(FarImpulses, WhatTurnsAtTheWallIsPushedByIt) {
  EXPECT_EQ(Rebound().findGap(0.01, 0.005), 0.0);
  EXPECT_EQ(Rebound().findGap(0.0, 0.0), 0.0);
}

TEST(FarImpulses, WhatTurnsBeforeItIsNot) {
  EXPECT_NEAR(Rebound().findGap(0.01, 0.002), 0.006, 1e-12);
  EXPECT_NEAR(Rebound().findGap(0.01, 0.0), 0.01, 1e-12);
}

TEST(FarImpulses, WhatArrivesAtTheEndIs) {
  Rebound rebound;  // turned back early by something else, and then to the wall
  EXPECT_EQ(rebound.findGap(0.02, 0.01), 0.0);
}

TEST(FarImpulses, WhatChangesNothingIsLetPass) { EXPECT_EQ(Rebound().findGap(0.01, 0.0, 4.0), 0.0); }

// In flight the marble meets the wall behind the bead as well: the rebound from there would satisfy the bead.
TEST(FarImpulses, AMarbleMeetsABeadBeforeTheWallBehindIt) {
  std::vector<double> places;
  for (const double dt : {1e-4, 1e-2}) {
    SteppedWorld scene;
    scene.world.gravity.setZero();
    scene.world.materials.add({"default", 0.3, 0.5});
    scene.world.addEnvironment({"wall", {part(Box({0.1, 1.0, 1.0}))}, Vector3d(0.115, 0, 0)});
    scene.world.addBody(AssetInertial::fromDensity("marble", {part(Sphere{0.01})}, 2500.0).place({-0.02, 0, 0}).setVelocity({3, 0, 0}));
    scene.world.addBody(AssetInertial::fromDensity("bead", {part(Sphere{0.005})}, 2500.0));
    scene.begin();
    for (int k = 0; k < std::lround(0.05 / dt); ++k) EXPECT_TRUE(scene.step(dt).isAccurate()) << dt << " " << k;
    places.push_back(scene.body(0).position.x());
    places.push_back(scene.body(1).position.x());
  }
  EXPECT_NEAR(places[2], places[0], 1e-5);
  EXPECT_NEAR(places[3], places[1], 1e-5);
}

}  // namespace
}  // namespace cornet
