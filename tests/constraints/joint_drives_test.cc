#include "cornet/constraints/joints/joint_drives.h"

#include <algorithm>
#include <limits>

#include "cornet/constraints/constraint_solver.h"
#include "cornet/constraints/joints/joints.h"
#include "support/constraint_list.h"
#include "support/states.h"

namespace cornet {
namespace {

using test::ground;
using List = test::ConstraintList;

struct Hinged {
  explicit Hinged(double speed = 0.0) {
    bodies = {ground(), RigidBody{}};
    bodies[1].mass = {1.0, Matrix3d::Identity()};
    bodies[1].state.omega = Vector3d(0, 0, speed);
    list.add<HingeJoint>(0, 1, bodies[0].state, bodies[1].state, Vector3d::Zero(),
                         Vector3d::UnitZ());
    frame = makeJointFrame("hinge", bodies[0].state, bodies[1].state, Vector3d::Zero(),
                           Vector3d::UnitZ());
  }
  std::vector<RigidBody> bodies;
  List list;
  JointFrame frame;
};

TEST(JointMotor, ReachesItsSpeedWhenItsEffortAllows) {
  for (const double effort : {1e3, std::numeric_limits<double>::infinity()}) {
    Hinged hinged;
    hinged.list.add<JointMotor>(0, 1, hinged.frame, JointAxis::angle, 2.0, effort);
    const auto result =
        ConstraintSolver().solveWithContacts(hinged.list.pointers, hinged.bodies, 0.01);
    ASSERT_TRUE(result.converged) << result.message;
    EXPECT_NEAR(result.velocities[1][5], 2.0, 1e-12);
    EXPECT_NEAR(result.body_forces[1].angular_torque.z(), 2.0 / 0.01, 1e-9);
  }
}

TEST(JointMotor, GivesItsWholeEffortWhenThatIsNotEnough) {
  Hinged hinged;
  hinged.list.add<JointMotor>(0, 1, hinged.frame, JointAxis::angle, 2.0, 5.0);
  const auto result =
      ConstraintSolver().solveWithContacts(hinged.list.pointers, hinged.bodies, 0.01);
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_NEAR(result.velocities[1][5], 5.0 * 0.01, 1e-14);
}

TEST(JointLimit, StopsTheJointAtItsBoundAndNotBefore) {
  const double dt = 0.01;
  const double bound = 0.03;  // reached within the step at 10 rad/s, not at 1 rad/s
  for (const double speed : {1.0, 10.0}) {
    Hinged hinged(speed);
    hinged.list.add<JointLimit>(0, 1, hinged.frame, JointAxis::angle, LimitSide::upper, bound);
    const auto result =
        ConstraintSolver().solveWithContacts(hinged.list.pointers, hinged.bodies, dt);
    ASSERT_TRUE(result.converged) << result.message;
    EXPECT_EQ(result.solver_type, "ASM");
    EXPECT_NEAR(result.velocities[1][5], std::min(speed, bound / dt), 1e-12);
  }
}

// Implicit Euler: I (u⁺ - u) = -dt k (x + dt u⁺) - dt d u⁺.                                    (ASM-6)
TEST(JointServo, GivesTheForceOfTheEndOfTheStep) {
  const double dt = 0.01, kp = 500.0, kd = 4.0, target = 0.2, speed = 1.5;
  Hinged hinged(speed);
  hinged.list.add<JointServo>(0, 1, hinged.frame, JointAxis::angle, kp, kd, target);
  const auto result = ConstraintSolver().solveWithContacts(hinged.list.pointers, hinged.bodies, dt);
  ASSERT_TRUE(result.converged) << result.message;
  const double expected = (speed + dt * kp * target) / (1.0 + dt * dt * kp + dt * kd);
  EXPECT_NEAR(result.velocities[1][5], expected, 1e-12);
}

TEST(JointServo, KeepsItsEffortLimitInASingleSolve) {
  Hinged hinged;
  hinged.list.add<JointServo>(0, 1, hinged.frame, JointAxis::angle, 1e6, 0.0, 1.0, 3.0);
  const auto result = ConstraintSolver().solveWithContacts(hinged.list.pointers, hinged.bodies, 0.01);
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_NEAR(result.velocities[1][5], 3.0 * 0.01, 1e-14);
}

}  // namespace
}  // namespace cornet
