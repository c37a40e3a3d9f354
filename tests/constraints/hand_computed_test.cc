// The hand-computed examples of the friction notes, forces in newton over a step of 10 ms.
#include <cmath>
#include <numbers>

#include "cornet/constraints/constraint_solver.h"
#include "support/constraint_list.h"
#include "support/gravity.h"
#include "support/states.h"

namespace cornet {
namespace {

using test::ground;
using test::heavyBody;
using test::kG;
using List = test::ConstraintList;

// A point mass on a plane tilted by `slope`, the plane level in our axes and gravity turned.
struct Block {
  Block(double mass, double slope_deg, double mu, double speed = 0.0, double push = 0.0) {
    const double slope = slope_deg * std::numbers::pi / 180.0;
    bodies = {ground(), heavyBody({mass, Matrix3d::Identity()}, {0, 0, 0},
                                  kG * Vector3d(std::sin(slope), 0.0, -std::cos(slope)))};
    bodies[1].external.force.x() += push;
    bodies[1].state.velocity.x() = speed;
    list.addContact(bodies, 0, 1, Vector3d::Zero(), Vector3d::UnitZ(), mu);
    result = ConstraintSolver().solveWithContacts(list.pointers, bodies, kDt);
  }
  double normal() const { return result.body_forces[1].linear_force.z(); }
  double friction() const { return -result.body_forces[1].linear_force.x(); }
  double acceleration() const {
    return (result.velocities[1][0] - bodies[1].state.velocity.x()) / kDt;
  }
  static constexpr double kDt = 0.01;
  std::vector<RigidBody> bodies;
  List list;
  MultiBodySolveResult result;
};

TEST(HandComputed, Example1BlockSticksOnTwentyDegrees) {
  const Block block(10.0, 20.0, 0.6);
  const double slope = std::numbers::pi / 9.0;
  EXPECT_NEAR(block.normal(), 10.0 * kG * std::cos(slope), 1e-9);   // 92.1838 N
  EXPECT_NEAR(block.friction(), 10.0 * kG * std::sin(slope), 1e-9); // 33.5522 N
  EXPECT_NEAR(block.normal(), 92.1838, 1e-4);
  EXPECT_NEAR(block.friction(), 33.5522, 1e-4);
  EXPECT_NEAR(0.6 * block.normal() - block.friction(), 21.7581, 1e-4);
  EXPECT_NEAR(block.acceleration(), 0.0, 1e-11);
}

TEST(HandComputed, Example2BlockSlidesOnFortyFiveDegrees) {
  const Block block(10.0, 45.0, 0.3);
  EXPECT_NEAR(block.normal(), 10.0 * kG / std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(block.friction(), 3.0 * kG / std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(block.acceleration(), 0.7 * kG / std::sqrt(2.0), 1e-9);  // 4.85570
  EXPECT_NEAR(block.acceleration(), 4.85570, 1e-5);
}

TEST(HandComputed, Example3SlidingBlockStopsAfterTheRightTimeAndDistance) {
  double v = 10.0, x = 0.0, t = 0.0;
  while (v > 1e-12) {
    const Block block(5.0, 0.0, 0.5, v);
    ASSERT_NEAR(block.normal(), 49.05, 1e-9);
    if (v > 0.05) {
      ASSERT_NEAR(block.acceleration(), -4.905, 1e-9);
    }
    v = block.result.velocities[1][0];
    x += v * Block::kDt;
    t += Block::kDt;
    ASSERT_LT(t, 3.0);
  }
  // The discrete sum is the exact distance less v0 dt/2, to the part of the last step.
  EXPECT_NEAR(x, 10.1937 - 10.0 * Block::kDt / 2.0, 1e-3);
  EXPECT_NEAR(t, 2.0387, Block::kDt);
}

// A sphere strikes a block (which does not turn) at 30 degrees, e = 1, and sticks tangentially.
TEST(HandComputed, Example4ObliqueImpactOfASphere) {
  std::vector<RigidBody> bodies(2);
  bodies[0].mass = {10.0, 1e12 * Matrix3d::Identity()};
  bodies[0].state.position = Vector3d(0, 0, -1);
  bodies[1].mass = MassProperties::solidSphere(2.0, 0.1);
  bodies[1].state.position = Vector3d(0, 0, 0.1);
  const double angle = std::numbers::pi / 6.0;
  bodies[1].state.velocity = 5.0 * Vector3d(std::sin(angle), 0.0, -std::cos(angle));
  List list;
  list.addContact(bodies, 0, 1, Vector3d::Zero(), Vector3d::UnitZ(), 0.4, 1.0);
  const auto result = ConstraintSolver().solveWithContacts(list.pointers, bodies, 0.01);
  ASSERT_TRUE(result.converged);
  EXPECT_NEAR(result.lambdas[0], 2.0 * 5.0 * std::cos(angle) / (0.5 + 0.1), 1e-9);  // 14.4338
  const double m_t = 1.0 / (0.5 + 0.1 + 0.01 / 0.008);
  EXPECT_NEAR(m_t, 0.540541, 1e-6);
  const double tangential = std::hypot(result.lambdas[1], result.lambdas[2]);
  EXPECT_NEAR(tangential, m_t * 2.5, 1e-9);  // 1.35135
  EXPECT_NEAR(result.velocities[1].tail<3>().norm(), 0.1 * m_t * 2.5 / 0.008, 1e-9);  // 16.8919
  double energy = 0.0;
  for (int k = 0; k < 2; ++k) {
    const Twist& v = result.velocities[k];
    energy += 0.5 * bodies[k].mass.mass * v.head<3>().squaredNorm() +
              0.5 * v.tail<3>().dot(bodies[k].mass.inertia * v.tail<3>());
  }
  EXPECT_NEAR(energy, 23.311, 1e-3);
}

TEST(HandComputed, Example5PushedBlockStartsToSlideAtTheLimit) {
  for (const double push : {0.0, 10.0, 20.0, 23.5, 25.0, 30.0}) {
    const Block block(8.0, 0.0, 0.3, 0.0, push);
    EXPECT_NEAR(block.normal(), 78.48, 1e-9);
    EXPECT_NEAR(block.friction(), std::min(push, 23.544), 1e-9);
    EXPECT_NEAR(block.acceleration(), std::max(0.0, (push - 23.544) / 8.0), 1e-9);  // .182, .807
  }
}

// A 3 kg block on a 5 kg block on a frictionless floor, pushed with 10 N: both accelerate together.
TEST(HandComputed, Example6StackedBlocksMoveTogetherBelowTheLimit) {
  const auto accelerations = [](double push) {
    std::vector<RigidBody> bodies = {ground(), heavyBody({5.0, Matrix3d::Identity()}, {0, 0, 0}),
                                     heavyBody({3.0, Matrix3d::Identity()}, {0, 0, 0})};
    bodies[2].external.force.x() = push;
    List list;
    list.addContact(bodies, 0, 1, Vector3d::Zero(), Vector3d::UnitZ(), 0.0);
    list.addContact(bodies, 1, 2, Vector3d::Zero(), Vector3d::UnitZ(), 0.5);
    const auto result = ConstraintSolver().solveWithContacts(list.pointers, bodies, 0.01);
    EXPECT_NEAR(result.lambdas[3] / 0.01, 29.43, 1e-9);
    return Vector3d(result.velocities[1][0] / 0.01, result.velocities[2][0] / 0.01,
                    result.body_forces[1].linear_force.x());
  };
  const Vector3d together = accelerations(10.0);
  EXPECT_NEAR(together[0], 1.25, 1e-9);
  EXPECT_NEAR(together[1], 1.25, 1e-9);
  EXPECT_NEAR(together[2], 6.25, 1e-9);
  const Vector3d edge = accelerations(23.5);  // slides from 23.544 N on
  EXPECT_NEAR(edge[0], edge[1], 1e-9);
  const Vector3d apart = accelerations(30.0);
  EXPECT_NEAR(apart[0], 0.5 * 3.0 * kG / 5.0, 1e-9);
  EXPECT_NEAR(apart[1], (30.0 - 0.5 * 3.0 * kG) / 3.0, 1e-9);
}

}  // namespace
}  // namespace cornet
