// Where bodies go in a step: what contacts hold is what the poses do.
#include <utility>

#include <gtest/gtest.h>

#include "support/stepped_world.h"

namespace cornet {
namespace {

using test::part;
using test::SteppedWorld;

// A block on the ground, hit on an edge of its top: it tips while its footing carries.
SteppedWorld makeHitBlock() {
  SteppedWorld scene;
  scene.world.materials.add({"default", 0.8, 0.0});
  scene.world.addEnvironment({"ground", {part(HalfSpace{})}});
  scene.addBox({0.05, 0.05, 0.1}, {0, 0, 0.1});
  scene.addSphere(0.03, {0.045, 0.0, 0.26}, {0, 0, -2.0}, {0, 0, 0}, 3.0);
  scene.addSphere(0.03, {-0.5, 0.0, 0.12}, {9.0, 0, 0}, {0, 0, 0}, 0.5);
  return scene;
}

TEST(Displacement, TurnsBodiesAsTheirContactsHoldThemThroughAnImpact) {
  // Measured: 4e-5, 1.1e-4 and below 2e-4 m; 7e-5, 5.6e-4 and 1.8e-3 where what turns counts as an impact.
  const std::pair<double, double> bounds[] = {{1e-3, 5e-5}, {5e-3, 1.2e-4}, {1e-2, 2e-4}};
  for (const auto& [dt, bound] : bounds) {
    SteppedWorld scene = makeHitBlock();
    double deepest = 0.0;
    for (int k = 0; k * dt < 0.15; ++k) deepest = std::max(deepest, scene.step(dt).penetration);
    EXPECT_LT(deepest, bound) << dt;
    EXPECT_EQ(scene.unsolved, 0);
  }
}

TEST(Displacement, LeavesNoOverlapInThePileThatComesToRest) {
  SteppedWorld scene;
  scene.options.tolerance = 1e-6;
  scene.world.materials.add({"default", 0.5, 0.0});
  scene.world.addEnvironment({"ground", {part(HalfSpace{})}});
  for (int k = 0; k < 6; ++k) {
    AssetInertial box = AssetInertial::fromMass("box" + std::to_string(k), {part(Box({0.05, 0.04, 0.03}))}, 1.0);
    box.place({0.02 * (k % 2), 0.015 * (k % 3), 0.08 + 0.12 * k},
              Quaterniond(Eigen::AngleAxisd(0.4 * k, Vector3d(1, k, 2).normalized())));
    scene.world.addBody(std::move(box));
  }
  // What steps left of an overlap, up to 0.05 g h², goes by 2e-5 g h² a step: 2500 steps from where it rests.   (PLACE-4)
  scene.run(16.0, 5e-3);
  EXPECT_LT(scene.last.penetration, 1e-7);
  EXPECT_LT(scene.world.calcKinetic(scene.state), 1e-10);
}

// What a scene starts with is taken back as `recovery` says, also by what is at rest.
TEST(Displacement, TakesBackTheOverlapThatBodiesWereGiven) {
  for (const double dt : {1e-3, 1e-2}) {
    SteppedWorld scene;
    scene.world.materials.add({"default", 0.5, 0.0});
    scene.world.addEnvironment({"ground", {part(HalfSpace{})}});
    scene.addBox({0.1, 0.1, 0.1}, {0, 0, 0.1 - 1e-3});
    for (int k = 0; k < 200; ++k) scene.step(dt);
    EXPECT_NEAR(scene.body().position.z(), 0.1, 1e-12) << dt;
  }
}

TEST(Displacement, TakesBackTheOverlapOfAStackAtOnceIfAskedTo) {
  for (const double recovery : {0.2, 1.0}) {
    SteppedWorld scene;
    scene.options.recovery = recovery;
    scene.world.materials.add({"default", 0.5, 0.0});
    scene.world.addEnvironment({"ground", {part(HalfSpace{})}});
    for (int k = 0; k < 5; ++k) scene.addBox({0.1, 0.1, 0.1}, {0, 0, 0.1 + 0.2 * k - 5e-4 * (k + 1)});
    for (int k = 0; k < 200; ++k) scene.step(1e-2);
    EXPECT_LT(scene.last.penetration, 1e-9) << recovery;
  }
}

// A ball that begins 1 % deep in the ground is lifted by no more than velocities may leave unexplained.
TEST(Displacement, LiftsStayWithinTheBoundOfUnexplainedMotion) {
  SteppedWorld scene;
  scene.world.materials.add({"default", 0.5, 0.0});
  scene.world.addEnvironment({"ground", {part(HalfSpace{})}});
  scene.addSphere(0.1, {0, 0, 0.1 - 1e-3});
  for (int k = 0; k < 100; ++k) {
    EXPECT_FALSE(scene.step(2e-3).certificate.exceeds({}, StepMeasure::motion)) << k;
  }
  EXPECT_NEAR(scene.body().position.z(), 0.1, 1e-6);
}

// A block on a belt that is said to run up out of the ground, too: it is taken along, and stays down.
TEST(Displacement, ABeltRunsAlongTheContact) {
  SteppedWorld scene;
  scene.world.materials.add({"default", 0.5, 0.0});
  scene.world.addEnvironment(AssetEnvironment("belt", {part(HalfSpace{})}).setSurfaceVelocity({0.2, 0, 0.7}));
  scene.addBox({0.1, 0.1, 0.02}, {0, 0, 0.02});
  for (int k = 0; k < 100; ++k) EXPECT_TRUE(scene.step(2e-3).isAccurate()) << k;
  EXPECT_LT((scene.body().velocity - Vector3d(0.2, 0, 0)).norm(), 1e-10);
  EXPECT_NEAR(scene.body().position.z(), 0.02, 1e-12);
  const double ramp = 0.2 / (0.5 * 9.81);  // [s] with μ g
  EXPECT_NEAR(scene.body().position.x(), 0.2 * (0.2 - 0.5 * ramp), 1e-5);
}

// An ellipsoid that rolls, 1e-4 of its size deep in the ground: rolling loses nothing that could lift it.
TEST(Displacement, ShallowOverlapsOfWhatMovesAreLiftedForNothing) {
  SteppedWorld scene;
  scene.world.materials.add({"default", 1.0, 0.0});
  scene.world.addEnvironment({"ground", {part(HalfSpace{})}});
  AssetInertial egg = AssetInertial::fromMass("egg", {part(Ellipsoid{{0.1, 0.1, 0.08}})}, 1.0);
  scene.world.addBody(std::move(egg.place({0, 0, 0.08 - 1e-5}).setVelocity({0.4, 0, 0}, {0, 5.0, 0})));
  for (int k = 0; k < 100; ++k) EXPECT_TRUE(scene.step(2e-3).isAccurate()) << k;
  EXPECT_LT(scene.last.penetration, 1.1e-5);
}

// The lowest point of a rim jumps from one side of the disc to the other.
TEST(Displacement, ADiscThatLandsOnItsRimHardlyGainsEnergy) {
  for (const double dt : {1e-3, 1e-2}) {
    SteppedWorld scene;
    scene.world.materials.add({"default", 0.0, 0.0});
    scene.world.addEnvironment({"ground", {part(HalfSpace{})}});
    AssetInertial disc = AssetInertial::fromMass("disc", {part(Cylinder{0.12, 0.03})}, 1.0);
    disc.place({0, 0, 0.5}, Quaterniond(Eigen::AngleAxisd(0.21, Vector3d::UnitX()))).setVelocity({0, 0, -1}, {0, 0, 1});
    scene.world.addBody(std::move(disc));
    scene.begin();
    const double start = scene.energy();
    double gain = 0.0;
    for (int k = 0; k * dt < 1.0; ++k) {
      const double before = scene.energy();
      scene.step(dt);
      gain = std::max(gain, scene.energy() - before);
    }
    EXPECT_LT(gain, 2e-3 * start) << dt;
    EXPECT_LT(scene.body().position.z(), 0.2) << dt;
  }
}

}  // namespace
}  // namespace cornet
