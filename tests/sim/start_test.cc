// Whether worlds can begin as they stand, and how they are mended.
#include <numbers>

#include <gtest/gtest.h>

#include "cornet/constraints/distance_constraint.h"
#include "cornet/constraints/joints/joint_drives.h"
#include "cornet/constraints/joints/joints.h"
#include "cornet/sim/start.h"
#include "cornet/world/constraint_error.h"

namespace cornet {
namespace {

AssetInertial makeBall(const std::string& name, const Vector3d& place, double mass = 1.0) {
  return AssetInertial::fromMass(name, {{Sphere{0.1}, Pose()}}, mass).place(place);
}

TEST(Start, OverlapsAreFoundAndTakenApart) {
  WorldModel world;
  world.addBody(makeBall("light", {0, 0, 0}, 1.0));
  world.addBody(makeBall("heavy", {0.15, 0, 0}, 3.0));
  const std::vector<StartFault> faults = findStartFaults(world);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, StartFault::Kind::overlap);
  EXPECT_NEAR(faults[0].size, 0.05, 1e-12);
  EXPECT_EQ(toString(faults[0]), "light and heavy overlap by 0.05 m at the start");
  const StartRepair repair = repairStart(world);
  EXPECT_TRUE(repair.left.empty());
  // The nearest start: ways go as the inverse of masses.
  EXPECT_NEAR(repair.state.body(0).position.x(), -0.75 * 0.05, 1e-9);
  EXPECT_NEAR(repair.state.body(1).position.x(), 0.15 + 0.25 * 0.05, 1e-9);
  EXPECT_EQ(repair.body, "light");
}

TEST(Start, AJointThatIsOpenIsClosed) {
  WorldModel world;
  world.addBody(makeBall("a", {0, 0, 0}));
  world.addBody(makeBall("b", {1, 0, 0}));
  world.addConstraint(std::make_unique<DistanceConstraint>(0, 1, Vector3d::Zero(), Vector3d::Zero(), 1.4));
  const std::vector<StartFault> faults = findStartFaults(world);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, StartFault::Kind::open_joint);
  EXPECT_NEAR(faults[0].size, 0.4, 1e-12);
  const StartRepair repair = repairStart(world);
  EXPECT_TRUE(repair.left.empty());
  EXPECT_NEAR(repair.largest_way, 0.2, 1e-9);
}

TEST(Start, ContradictionsAreTold) {
  WorldModel world;
  world.addBody(makeBall("a", {0, 0, 0}));
  world.addBody(makeBall("b", {1, 0, 0}));
  world.addConstraint(std::make_unique<DistanceConstraint>(0, 1, Vector3d::Zero(), Vector3d::Zero(), 1.0));
  world.addConstraint(std::make_unique<DistanceConstraint>(0, 1, Vector3d::Zero(), Vector3d::Zero(), 1.5));
  const std::vector<StartFault> faults = findStartFaults(world);
  ASSERT_EQ(faults.size(), 3u);
  EXPECT_EQ(faults[0].kind, StartFault::Kind::contradiction);
  EXPECT_NEAR(faults[0].size, 0.25, 1e-6);
  EXPECT_EQ(faults[1].kind, StartFault::Kind::contradiction);
  EXPECT_EQ(faults[2].kind, StartFault::Kind::open_joint);
  EXPECT_EQ(repairStart(world).left.size(), 2u);
}

TEST(Start, ALimitThatIsPassedIsGoneBackTo) {
  WorldModel world;
  world.addBody(makeBall("arm", {1, 0, 0}));
  const int wall = world.environmentBody(world.addEnvironment({"wall", {}}));
  const InertialState still = world.environment(0).calcState(0.0);
  auto hinge = std::make_unique<HingeJoint>(wall, 0, still, world.body(0).initial(), Vector3d::Zero(), Vector3d::UnitZ());
  const JointFrame frame = hinge->frame();
  std::vector<std::unique_ptr<Constraint>> parts;
  parts.push_back(std::move(hinge));
  parts.push_back(std::make_unique<JointLimit>(wall, 0, frame, JointAxis::angle, LimitSide::lower, std::numbers::pi / 6.0));
  world.addJoint("shoulder", std::move(parts));
  const std::vector<StartFault> faults = findStartFaults(world);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, StartFault::Kind::passed_limit);
  const StartRepair repair = repairStart(world);
  EXPECT_TRUE(repair.left.empty());
  EXPECT_NEAR(repair.state.body(0).position.x(), std::cos(std::numbers::pi / 6.0), 1e-9);
  EXPECT_NEAR(repair.state.body(0).position.y(), std::sin(std::numbers::pi / 6.0), 1e-9);
}

TEST(Start, AWorldThatIsRightStaysAsItIs) {
  WorldModel world;
  world.addBody(makeBall("a", {0, 0, 0.1}));
  world.addEnvironment({"floor", {{HalfSpace{}, Pose()}}});
  EXPECT_TRUE(findStartFaults(world).empty());
  EXPECT_EQ(repairStart(world).largest_way, 0.0);
}

}  // namespace
}  // namespace cornet
