// Bodies that joints hold together: what their drifts keep.
#include <cmath>

#include <gtest/gtest.h>

#include "cornet/constraints/joints/joints.h"
#include "cornet/sim/simulator.h"
#include "cornet/world/constraint_error.h"

namespace cornet {
namespace {

AssetInertial makeBox(const std::string& name, const Vector3d& position) {
  return AssetInertial::fromMass(name, {{Box(Vector3d(0.2, 0.05, 0.05)), Pose()}}, 1.0).place(position);
}

// Rods around a square, joined at its corners by hinges about z: a planar loop, three rows of which repeat others.
struct FourBar {
  explicit FourBar(const Vector3d& gravity) {
    world.gravity = gravity;
    const Vector3d corners[] = {{0, 0, 0}, {0.4, 0, 0}, {0.4, 0.4, 0}, {0, 0.4, 0}};
    const double angles[] = {0.0, 0.5 * M_PI, 0.0};
    const Vector3d centres[] = {{0.2, 0, 0}, {0.4, 0.2, 0}, {0.2, 0.4, 0}};
    for (int k = 0; k < 3; ++k) {
      AssetInertial rod = makeBox("rod" + std::to_string(k), centres[k]);
      rod.place(centres[k], Quaterniond(Eigen::AngleAxisd(angles[k], Vector3d::UnitZ())));
      world.addBody(std::move(rod));
    }
    const int wall = world.environmentBody(world.addEnvironment({"wall", {}}));
    const InertialState still = world.environment(0).calcState(0.0);
    const auto join = [&](int a, int b, const Vector3d& anchor) {
      const InertialState& of_a = a == wall ? still : world.body(a).initial();
      const InertialState& of_b = b == wall ? still : world.body(b).initial();
      if (a != wall && b != wall) world.excludeBodies(a, b);
      world.addConstraint(std::make_unique<HingeJoint>(a, b, of_a, of_b, anchor, Vector3d::UnitZ()));
    };
    join(wall, 0, corners[0]);
    join(0, 1, corners[1]);
    join(1, 2, corners[2]);
    join(2, wall, corners[3]);
    state = world.makeState();
  }
  double worstError() const {
    double worst = 0.0;
    for (int k = 0; k < static_cast<int>(world.constraints().size()); ++k) {
      worst = std::max(worst, calcConstraintError(world, ConstraintView(world, k, state)).metres);
    }
    return worst;
  }

  WorldModel world;
  State state;
  StepMemory memory;
};

TEST(JointDrift, ALoopWithRowsThatRepeatEachOtherStaysClosedAndKeepsItsEnergy) {
  for (const double dt : {1e-3, 5e-3}) {
    FourBar bar({0, -9.81, 0});
    SimulatorOptions options;
    options.max_parts = 1;
    Simulator simulator(bar.world, options);
    const double start = bar.world.calcKinetic(bar.state) + bar.world.calcPotential(bar.state);
    double worst_energy = 0.0, worst_error = 0.0;
    for (double t = 0.0; t < 0.2; t += dt) {  // until it is nearly flat, where it may go on in two ways
      const StepReport report = simulator.step(dt, bar.state, bar.memory);
      EXPECT_EQ(report.unsolved_islands, 0);
      worst_error = std::max(worst_error, bar.worstError());
      const double energy = bar.world.calcKinetic(bar.state) + bar.world.calcPotential(bar.state);
      worst_energy = std::max(worst_energy, std::abs(energy - start));
    }
    EXPECT_LT(worst_error, 1e-12);
    // Of second order, in units of m g times the length of a rod: (hω)² with up to 6 rad/s.
    EXPECT_LT(worst_energy / (3.0 * 9.81 * 0.4), 36.0 * dt * dt);
  }
}

// Velocities against a joint end at once: momentum stays, and what agrees with it is the nearest in the metric of masses.
TEST(JointDrift, VelocitiesAgainstAJointEndAtTheStartOfTheStep) {
  WorldModel world;
  world.gravity.setZero();
  world.addBody(AssetInertial("one", MassProperties{1.0, Matrix3d::Identity()}).place({-1, 0, 0}).setVelocity({0, 0, 3}));
  world.addBody(AssetInertial("other", MassProperties{2.0, Matrix3d::Identity()}).place({1, 0, 0}));
  world.addConstraint(std::make_unique<FixedJoint>(0, 1, world.body(0).initial(), world.body(1).initial(), Vector3d::Zero()));
  State state = world.makeState();
  StepMemory memory;
  Simulator simulator(world);
  const double before = world.calcKinetic(state);
  const StepReport report = simulator.step(1e-3, state, memory);
  EXPECT_TRUE(report.isAccurate());
  // One body of 3 kg with its centre at x = 1/3: v = 1, ω = -L/I with L = 1·3·(4/3), I = 2 + 1·(4/3)² + 2·(2/3)².
  const double omega = 4.0 / (2.0 + 16.0 / 9.0 + 8.0 / 9.0);
  EXPECT_NEAR(state.body(0).omega.y(), omega, 1e-6);
  const Vector3d momentum = 1.0 * state.body(0).velocity + 2.0 * state.body(1).velocity;
  EXPECT_LT((momentum - Vector3d(0, 0, 3)).norm(), 1e-13);
  EXPECT_NEAR(world.calcKinetic(state), 0.5 * 3.0 + 0.5 * (2.0 + 16.0 / 9.0 + 8.0 / 9.0) * omega * omega, 1e-6);
  EXPECT_LT(world.calcKinetic(state), before);
}

}  // namespace
}  // namespace cornet
