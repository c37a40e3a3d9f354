// What joints report, against statics and kinematics.
#include <cmath>

#include <gtest/gtest.h>

#include "cornet/constraints/distance_constraint.h"
#include "cornet/constraints/joints/joint_drives.h"
#include "cornet/constraints/joints/joints.h"
#include "cornet/sim/simulator.h"
#include "support/gravity.h"

namespace cornet {
namespace {

using test::kG;

// A bar of 2 kg and 1 m along x, held at its left end by the world.
struct Bar {
  explicit Bar(double left = 0.0) {
    world.addBody(AssetInertial("bar", MassProperties::solidBox(2.0, {1.0, 0.1, 0.1})).place({left + 0.5, 0, 0}));
    wall = world.environmentBody(world.addEnvironment({"wall", {}}));
  }
  InertialState still() const { return world.environment(0).calcState(0.0); }
  const InertialState& start() const { return world.body(0).initial(); }
  void run(int steps, double dt) {
    Simulator simulator(world);
    state = world.makeState();
    StepMemory memory;
    for (int k = 0; k < steps; ++k) last = simulator.step(dt, state, memory);
    joints = simulator.joints();
  }
  WorldModel world;
  int wall = 0;
  State state;
  StepReport last;
  std::vector<JointOutcome> joints;
};

TEST(JointOutcome, OfAClampIsWeightAndItsMoment) {
  Bar bar;
  bar.world.addConstraint(std::make_unique<FixedJoint>(bar.wall, 0, bar.still(), bar.start(), Vector3d::Zero()));
  bar.run(10, 1e-3);
  ASSERT_EQ(bar.joints.size(), 1u);
  EXPECT_LT((bar.joints[0].force - Vector3d(0, 0, 2.0 * kG)).norm(), 1e-10);
  EXPECT_LT((bar.joints[0].torque - Vector3d(0, -0.5 * 2.0 * kG, 0)).norm(), 1e-10);  // about the clamp, on the bar
  EXPECT_LT(bar.joints[0].error, 1e-13);
  EXPECT_TRUE(bar.last.isAccurate());
}

// Holding torque of a motor that stands: m g l/2, and no power.
TEST(JointOutcome, OfAMotorThatHoldsHasEffortAndNoPower) {
  Bar bar;
  auto hinge = std::make_unique<HingeJoint>(bar.wall, 0, bar.still(), bar.start(), Vector3d::Zero(), Vector3d::UnitY());
  const JointFrame frame = hinge->frame();
  std::vector<std::unique_ptr<Constraint>> parts;
  parts.push_back(std::move(hinge));
  parts.push_back(std::make_unique<JointMotor>(bar.wall, 0, frame, JointAxis::angle, 0.0, 100.0));
  EXPECT_EQ(bar.world.addJoint("shoulder", std::move(parts)), 0);
  EXPECT_EQ(bar.world.findJoint("shoulder"), 0);
  EXPECT_EQ(bar.world.findJoint("elbow"), -1);
  bar.run(10, 1e-3);
  ASSERT_EQ(bar.joints.size(), 1u);
  EXPECT_NEAR(bar.joints[0].effort, -0.5 * 2.0 * kG, 1e-9);
  EXPECT_NEAR(bar.joints[0].power, 0.0, 1e-9);
  EXPECT_NEAR(bar.joints[0].torque.norm(), 0.0, 1e-9);
  EXPECT_NEAR(bar.last.energy().work_in, 0.0, 1e-12);
}

// A motor too weak to hold does negative work: effort times the rate that is, not the one that was asked for.
TEST(JointOutcome, OfAMotorThatIsOverpoweredHasNegativePower) {
  Bar bar;
  auto hinge = std::make_unique<HingeJoint>(bar.wall, 0, bar.still(), bar.start(), Vector3d::Zero(), Vector3d::UnitY());
  const JointFrame frame = hinge->frame();
  std::vector<std::unique_ptr<Constraint>> parts;
  parts.push_back(std::move(hinge));
  parts.push_back(std::make_unique<JointMotor>(bar.wall, 0, frame, JointAxis::angle, -5.0, 1.0));
  bar.world.addJoint("shoulder", std::move(parts));
  bar.run(50, 1e-3);
  EXPECT_NEAR(bar.joints[0].effort, -1.0, 1e-12);
  EXPECT_GT(bar.joints[0].rate, 0.0);  // it falls, which is a positive turn about y
  EXPECT_GT(bar.joints[0].position, 0.0);
  EXPECT_LT(bar.joints[0].power, 0.0);
  EXPECT_NEAR(bar.last.energy().work_in, bar.joints[0].power * 1e-3, 1e-12);
  EXPECT_TRUE(bar.last.isAccurate());
}

TEST(JointOutcome, OfASliderIsItsWayAndRate) {
  Bar bar;
  bar.world.gravity.setZero();
  bar.world.addConstraint(
      std::make_unique<SliderJoint>(bar.wall, 0, bar.still(), bar.start(), Vector3d::Zero(), Vector3d::UnitX()));
  bar.world.addLoad({.body = 0, .force = {4.0, 0, 0}});
  bar.run(100, 1e-3);
  EXPECT_NEAR(bar.joints[0].position, 0.5 * 2.0 * 0.1 * 0.1, 1e-12);  // a t²/2
  EXPECT_NEAR(bar.joints[0].rate, 2.0 * 0.1, 1e-12);
  EXPECT_LT(bar.joints[0].force.norm(), 1e-10);
}

TEST(JointOutcome, OfADistanceIsItsLength) {
  Bar bar;
  bar.world.addConstraint(std::make_unique<DistanceConstraint>(1, 0, Vector3d(0, 0, 2), Vector3d::Zero(),
                                                               Vector3d(0.5, 0, -2).norm()));
  bar.run(20, 1e-3);
  EXPECT_NEAR(bar.joints[0].position, Vector3d(0.5, 0, -2).norm(), 1e-12);
  EXPECT_NEAR(bar.joints[0].rate, 0.0, 1e-6);
}

TEST(JointOutcome, ConstraintsOfTheirOwnAreNamedAfterTheirType) {
  Bar bar;
  bar.world.addConstraint(std::make_unique<BallJoint>(bar.wall, 0, bar.still(), bar.start(), Vector3d::Zero()));
  ASSERT_EQ(bar.world.joints().size(), 1u);
  EXPECT_EQ(bar.world.joints()[0].name, "BallJoint 0");
  EXPECT_THROW(bar.world.addJoint("BallJoint 0", {}), std::invalid_argument);
}

}  // namespace
}  // namespace cornet
