// Joints in the step: energy, precession, chains, motors, limits, and joints together with contacts.
#include <cmath>

#include <gtest/gtest.h>

#include "cornet/constraints/distance_constraint.h"
#include "cornet/constraints/joints/joint_drives.h"
#include "cornet/constraints/joints/joints.h"
#include "cornet/sim/simulator.h"
#include "cornet/world/constraint_error.h"
#include "support/gravity.h"

namespace cornet {
namespace {

using test::kG;

// Bodies hung on surroundings by joints.
struct JointWorld {
  explicit JointWorld(double mu = 0.5) { world.materials.add({"default", mu, 0.0}); }

  // A body without shape, so that nothing touches.
  int addMass(const Vector3d& position, double mass, const Vector3d& moments, const Vector3d& velocity = {0, 0, 0},
              const Vector3d& omega = {0, 0, 0}, const Quaterniond& orientation = Quaterniond::Identity()) {
    AssetInertial body("mass" + std::to_string(world.bodyCount()),
                       MassProperties{mass, Matrix3d(moments.asDiagonal())});
    body.place(position, orientation).setVelocity(velocity, omega);
    return world.addBody(std::move(body));
  }
  int addBox(const Vector3d& half, const Vector3d& position, const Vector3d& velocity = {0, 0, 0}) {
    AssetInertial body = AssetInertial::fromMass("box" + std::to_string(world.bodyCount()),
                                                 {{Box(half), Pose(), 0, {}}}, 1.0);
    body.place(position).setVelocity(velocity, {0, 0, 0});
    return world.addBody(std::move(body));
  }
  int addWall() {
    world.addEnvironment({"wall", {}});
    return world.bodyCount();
  }
  const InertialState& initial(int i) const { return i < world.bodyCount() ? world.body(i).initial() : still_; }
  template <class Joint, class... More>
  int join(int a, int b, const Vector3d& anchor, More&&... more) {
    return world.addConstraint(std::make_unique<Joint>(a, b, initial(a), initial(b), anchor, more...));
  }
  // Body 0 on a hinge through the origin.
  JointFrame hinge(int wall, const Vector3d& axis) {
    auto joint = std::make_unique<HingeJoint>(wall, 0, initial(wall), initial(0), Vector3d::Zero(), axis);
    const JointFrame frame = joint->frame();
    world.addConstraint(std::move(joint));
    return frame;
  }
  void run(double duration, double dt) {
    Simulator simulator(world, options);
    state = world.makeState();
    const auto steps = static_cast<int>(std::lround(duration / dt));
    start_energy = energy();
    for (int k = 0; k < steps; ++k) {
      last = simulator.step(dt, state, memory);
      unsolved += last.unsolved_islands;
      work += last.energy().work_in;
      worst_energy = std::max(worst_energy, std::abs(energy() - start_energy));
      for (int c = 0; c < static_cast<int>(world.constraints().size()); ++c) {
        ConstraintView view(world, c, state);
        if (view.constraint().law().kind != LawKind::equality) continue;
        worst_gap = std::max(worst_gap, view.evaluate().lpNorm<Eigen::Infinity>());
      }
    }
  }
  double energy() const { return world.calcKinetic(state) + world.calcPotential(state); }

  WorldModel world;
  SimulatorOptions options;
  State state;
  StepMemory memory;
  StepReport last;
  double start_energy = 0.0, worst_energy = 0.0, worst_gap = 0.0, work = 0.0;
  int unsolved = 0;

 private:
  InertialState still_;
};

// A pendulum released level; largest error of its energy.
double swing(double dt, double& worst_gap) {
  JointWorld joints;
  joints.options.max_parts = 1;  // the order of the scheme itself
  joints.addMass({0.5, 0, 0}, 1.0, {0.01, 0.02, 0.02});
  const int wall = joints.addWall();
  joints.join<BallJoint>(wall, 0, {0, 0, 0});
  joints.run(5.0, dt);
  EXPECT_EQ(joints.unsolved, 0);
  worst_gap = joints.worst_gap;
  return joints.worst_energy / (kG * 0.5);
}

TEST(Joints, APendulumKeepsItsEnergyToSecondOrder) {
  double gap_fine = 0.0, gap_coarse = 0.0;
  const double fine = swing(1e-3, gap_fine);
  const double coarse = swing(1e-2, gap_coarse);
  EXPECT_LT(fine, 1e-4);
  EXPECT_GT(coarse / fine, 50.0);  // order 2 or better
  EXPECT_LT(gap_fine, 1e-13);
  EXPECT_LT(gap_coarse, 1e-13);
}

// A disc that spins about a rod on a ball joint: regular precession W with I1 W² cosθ - I3 w3 W + m g l = 0.
TEST(Joints, AHeavyTopPrecesses) {
  const double R = 0.1, l = 0.1, w3 = 100.0, tilt = 0.5, mass = 1.0;
  const double I3 = 0.5 * mass * R * R, I_centre = 0.25 * mass * R * R;
  const double I1 = I_centre + mass * l * l;
  const double c = std::cos(tilt);
  const double W = (I3 * w3 - std::sqrt(I3 * w3 * I3 * w3 - 4.0 * I1 * c * mass * kG * l)) / (2.0 * I1 * c);
  const Quaterniond q(Eigen::AngleAxisd(tilt, Vector3d::UnitY()));
  const Vector3d axis = q * Vector3d::UnitZ();
  const Vector3d omega = W * Vector3d::UnitZ() + (w3 - W * c) * axis;
  JointWorld joints;
  joints.addMass(l * axis, mass, {I_centre, I_centre, I3}, omega.cross(Vector3d(l * axis)), omega, q);
  const int wall = joints.addWall();
  joints.join<BallJoint>(wall, 0, {0, 0, 0});
  const double T = 2.0;
  joints.run(T, 1e-3);
  const Vector3d x = joints.state.body(0).position;
  const double turned = std::atan2(x.y(), x.x());
  const double expected = std::remainder(W * T, 2.0 * M_PI);
  EXPECT_NEAR(std::remainder(turned - expected, 2.0 * M_PI) / (W * T), 0.0, 1e-4);
  EXPECT_NEAR(std::acos(x.z() / l), tilt, 1e-4);
}

TEST(Joints, AChainWithAHeavyEndHolds) {
  JointWorld joints;
  for (int k = 0; k < 10; ++k) {
    const double mass = k == 9 ? 1000.0 : 0.1;
    const double axial = 0.5 * mass * 2.5e-5, across = mass * (0.01 / 12.0 + 2.5e-5 / 4.0);
    joints.addMass({0, 0, -0.05 - 0.1 * k}, mass, {across, across, axial}, {0.2 * (k == 4), 0, 0});
  }
  const int wall = joints.addWall();
  joints.join<BallJoint>(wall, 0, {0, 0, 0});
  for (int k = 1; k < 10; ++k) joints.join<BallJoint>(k - 1, k, Vector3d(0, 0, -0.1 * k));
  joints.run(2.0, 1e-3);
  EXPECT_LT(joints.worst_gap, 1e-8);
  for (int i = 0; i < joints.state.free_count; ++i) EXPECT_LT(joints.state.body(i).position.norm(), 1.01);
}

// A small ball at the end of a long arm turns 0.03 rad a step: its pull is not stiff, whatever its inertia about its own centre.
TEST(Joints, ASmallBobOnALongArmTurnsOnForever) {
  const double rate = 3.0, inertia = 0.4 * 0.02 * 0.02;
  JointWorld joints;
  joints.world.gravity.setZero();
  joints.addMass({1.0, 0, 0}, 1.0, {inertia, inertia, inertia}, {0, rate, 0}, {0, 0, rate});
  const int wall = joints.addWall();
  joints.hinge(wall, Vector3d::UnitZ());
  joints.run(20.0, 1e-2);
  EXPECT_NEAR(joints.state.body(0).omega.z(), rate, 1e-10);
}

// The same on a heavy body that floats: angular momentum about the centre of mass of both stays.
TEST(Joints, TwoBodiesOnAHingeKeepTheirAngularMomentum) {
  const double heavy = 3.6, light = 0.4 * 0.02 * 0.02, m_a = 100.0, m_b = 1.0;
  JointWorld joints;
  joints.world.gravity.setZero();
  joints.addMass({0, 0, 0}, m_a, {heavy, heavy, heavy});
  joints.addMass({1.0, 0, 0}, m_b, {light, light, light}, {0, 5, 0}, {0, 0, 5});
  joints.join<HingeJoint>(0, 1, Vector3d::Zero(), Vector3d::UnitZ());
  const auto angular = [&] {
    const InertialState a = joints.state.body(0), b = joints.state.body(1);
    const double reduced = m_a * m_b / (m_a + m_b);
    return reduced * (b.position - a.position).cross(b.velocity - a.velocity).z() + heavy * a.omega.z() + light * b.omega.z();
  };
  const double before = m_a * m_b / (m_a + m_b) * 5.0 + light * 5.0;
  joints.run(10.0, 1e-2);
  EXPECT_NEAR(angular() / before, 1.0, 1e-9);
}

// Two links with a spring at their elbow turn freely: T + ½kx² stays, steps that lose are taken again like those that gain.
TEST(Joints, ASpringBetweenLinksKeepsTheEnergyOfBoth) {
  const double k = 500.0, rest = -0.5;
  JointWorld joints;
  joints.world.gravity.setZero();
  const Vector3d moments = Vector3d(0.02, 0.05, 0.05) / 3.0;  // boxes of 0.4 x 0.2 x 0.2 m
  joints.addMass({0.2, 0, 0}, 1.0, moments);
  joints.addMass({0.6, 0, 0}, 1.0, moments);
  const int wall = joints.addWall();
  joints.join<HingeJoint>(wall, 0, Vector3d::Zero(), Vector3d::UnitZ());
  HingeJoint elbow(0, 1, joints.initial(0), joints.initial(1), Vector3d(0.4, 0, 0), Vector3d::UnitZ());
  const JointFrame frame = elbow.frame();
  joints.world.addConstraint(std::make_unique<HingeJoint>(elbow));
  joints.world.addConstraint(std::make_unique<JointSpring>(0, 1, frame, JointAxis::angle, k, rest));
  joints.run(0.4, 2e-3);
  const auto angleOf = [&](int i) { return 2.0 * std::atan2(joints.state.body(i).orientation.z(), joints.state.body(i).orientation.w()); };
  const double stretch = std::remainder(angleOf(1) - angleOf(0) - rest, 2.0 * M_PI);
  const double stored = 0.5 * k * rest * rest;
  EXPECT_NEAR((joints.energy() + 0.5 * k * stretch * stretch) / stored, 1.0, 1e-4);
  EXPECT_NEAR(joints.work, joints.energy(), 1e-4 * stored);  // of the spring, as it is told
}

TEST(Joints, AMotorSpeedsUpWithItsTorqueAndHoldsItsSpeed) {
  const double I = 0.2, torque = 0.5, speed = 3.0;
  JointWorld joints;
  joints.world.gravity.setZero();
  joints.addMass({0, 0, 0}, 1.0, {0.15, 0.15, I});
  const int wall = joints.addWall();
  const JointFrame frame = joints.hinge(wall, Vector3d::UnitZ());
  joints.world.addConstraint(std::make_unique<JointMotor>(wall, 0, frame, JointAxis::angle, speed, torque));
  joints.run(1.0, 0.01);
  EXPECT_NEAR(joints.state.body(0).omega.z(), torque / I, 1e-10);
  joints.memory = {};
  joints.run(2.0, 0.01);
  EXPECT_NEAR(joints.state.body(0).omega.z(), speed, 1e-10);
}

TEST(Joints, ALimitStopsAHinge) {
  JointWorld joints;
  joints.addMass({0.5, 0, 0}, 1.0, {0.01, 0.02, 0.02});
  const int wall = joints.addWall();
  const JointFrame frame = joints.hinge(wall, Vector3d(0, 1, 0));
  joints.world.addConstraint(
      std::make_unique<JointLimit>(wall, 0, frame, JointAxis::angle, LimitSide::upper, 0.5));
  joints.run(2.0, 5e-3);
  const Vector3d x = joints.state.body(0).position;
  EXPECT_NEAR(std::atan2(-x.z(), x.x()), 0.5, 1e-6);
  EXPECT_LT(joints.state.body(0).omega.norm(), 1e-9);
}

TEST(Joints, ALimitBrokenAtTheStartIsTakenBackWithoutSpeed) {
  JointWorld joints;
  joints.world.gravity.setZero();
  joints.addMass({0.5, 0, 0}, 1.0, {0.01, 0.02, 0.02});
  const int wall = joints.addWall();
  const JointFrame frame = joints.hinge(wall, Vector3d(0, 1, 0));
  joints.world.addConstraint(
      std::make_unique<JointLimit>(wall, 0, frame, JointAxis::angle, LimitSide::upper, -0.1));
  joints.run(1.0, 5e-3);
  const Vector3d x = joints.state.body(0).position;
  EXPECT_NEAR(std::atan2(-x.z(), x.x()), -0.1, 1e-6);
  EXPECT_LT(joints.state.body(0).omega.norm(), 1e-9);
}

TEST(Joints, SemiImplicitEulerKeepsJointsClosedToo) {
  JointWorld joints;
  joints.options.integrator = IntegratorKind::semi_implicit_euler;
  joints.addMass({0.5, 0, 0}, 1.0, {0.01, 0.02, 0.02});
  const int wall = joints.addWall();
  joints.join<BallJoint>(wall, 0, {0, 0, 0});
  joints.run(1.0, 1e-3);
  EXPECT_LT(joints.worst_gap, 1e-13);
}

// A rod as users write it: functions that return values.
class ReturnedRod final : public Constraint {
 public:
  explicit ReturnedRod(const DistanceConstraint& rod) : Constraint(rod.bodyAIndex(), rod.bodyBIndex()), rod_(rod) {}
  int dimension() const override { return 1; }
  VectorXd evaluate(const InertialState& a, const InertialState& b, double time) const override { return rod_.evaluate(a, b, time); }
  MatrixXd jacobian(const InertialState& a, const InertialState& b, double time) const override { return rod_.jacobian(a, b, time); }
  LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
  std::string typeName() const override { return "ReturnedRod"; }

 private:
  DistanceConstraint rod_;
};

TEST(Joints, AConstraintThatReturnsItsValuesStepsAsOneThatWritesThem) {
  const auto swing = [](bool returns) {
    JointWorld chain;
    chain.addMass({0.4, 0.0, 0.0}, 1.0, {0.01, 0.02, 0.02});
    chain.addMass({0.8, 0.4, 0.0}, 0.5, {0.01, 0.01, 0.01});
    const auto wall = static_cast<std::size_t>(chain.addWall());
    const DistanceConstraint rods[] = {{wall, 0, {0, 0, 0.4}, {-0.1, 0, 0}, 0.5}, {0, 1, {0.1, 0, 0}, {0, 0, 0}, 0.5}};
    for (const DistanceConstraint& rod : rods) {
      if (returns) {
        chain.world.addConstraint(std::make_unique<ReturnedRod>(rod));
      } else {
        chain.world.addConstraint(std::make_unique<DistanceConstraint>(rod));
      }
    }
    chain.run(0.5, 5e-3);
    EXPECT_LT(chain.worst_gap, 1e-12);
    return chain.last.state_hash;
  };
  EXPECT_EQ(swing(true), swing(false));
}

TEST(Joints, RefusesAConstraintBetweenABodyAndItself) {
  JointWorld joints;
  joints.addMass({0.5, 0, 0}, 1.0, {0.01, 0.02, 0.02});
  joints.join<BallJoint>(0, 0, {0, 0, 0});
  EXPECT_THROW(Simulator{joints.world}, std::invalid_argument);
}

TEST(Joints, TwoBoxesHeldTogetherSlideAsOne) {
  const double v0 = 2.0, mu = 0.5;
  for (const double dt : {1e-3, 5e-3, 1e-2}) {
    JointWorld joints(mu);
    joints.addBox({0.1, 0.1, 0.05}, {0, 0, 0.05}, {v0, 0, 0});
    joints.addBox({0.1, 0.1, 0.05}, {0.2, 0, 0.05}, {v0, 0, 0});
    joints.world.addEnvironment({"ground", {{HalfSpace{}, Pose(), 0, {}}}});
    joints.join<FixedJoint>(0, 1, {0.1, 0, 0.05});
    joints.world.excludeBodies(0, 1);
    joints.run(1.0, dt);
    EXPECT_NEAR(joints.state.body(0).position.x(), v0 * v0 / (2.0 * mu * kG), 1e-6);  // the certificate's 1e-8
    EXPECT_NEAR(joints.state.body(1).position.x(), 0.2 + v0 * v0 / (2.0 * mu * kG), 1e-6);
    EXPECT_LT(joints.state.body(1).velocity.norm(), 1e-12);
    EXPECT_EQ(joints.unsolved, 0);
  }
}

TEST(Joints, WorkOfAMotorIsInTheBalance) {
  JointWorld joints;
  joints.addMass({0.5, 0, 0}, 1.0, {0.01, 0.02, 0.02}, {0, 0, 0.5}, {0, -1, 0});
  const int wall = joints.addWall();
  const JointFrame frame = joints.hinge(wall, Vector3d(0, 1, 0));
  joints.world.addConstraint(std::make_unique<JointMotor>(wall, 0, frame, JointAxis::angle, -1.0, 100.0));
  joints.run(1.0, 1e-3);
  EXPECT_NEAR(joints.work, joints.energy() - joints.start_energy, 2e-3);
}

TEST(JointToABelt, HoldsItsBodyAndNotItsSurface) {
  for (const double dt : {1e-3, 1e-2}) {
    JointWorld joints;
    joints.addMass({0.0, 0.0, -0.3}, 1.0, {0.01, 0.01, 0.01});
    AssetEnvironment belt("belt", {});
    belt.setSurfaceVelocity({1.5, 0.0, 0.0});
    joints.world.addEnvironment(std::move(belt));
    joints.join<BallJoint>(1, 0, Vector3d::Zero());
    joints.run(0.2, dt);
    // It hangs below its joint and stays there.
    EXPECT_LT((joints.state.body(0).position - Vector3d(0, 0, -0.3)).norm(), 1e-12);
    EXPECT_LT(joints.state.body(0).velocity.norm(), 1e-12);
    EXPECT_EQ(joints.unsolved, 0);
  }
}

// A body that has passed its limit by next to nothing and leaves it is not held there.
TEST(JointLimits, LetGoOfWhatLeavesThem) {
  for (const double passed : {1e-15, 1e-9, 1e-6, 0.01}) {
    WorldModel world;
    world.gravity.setZero();
    world.addBody(AssetInertial::fromMass("cart", {{Sphere{0.1}, Pose()}}, 1.0).setVelocity({1, 0, 0}));
    const int wall = world.environmentBody(world.addEnvironment({"wall", {}}));
    auto slider = std::make_unique<SliderJoint>(wall, 0, world.environment(0).calcState(0.0), world.body(0).initial(),
                                                Vector3d::Zero(), Vector3d::UnitX());
    const JointFrame frame = slider->frame();
    world.addConstraint(std::move(slider));
    world.addConstraint(std::make_unique<JointLimit>(wall, 0, frame, JointAxis::slide, LimitSide::lower, passed));
    Simulator simulator(world);
    State state = world.makeState();
    StepMemory memory;
    for (int k = 0; k < 20; ++k) simulator.step(0.01, state, memory);
    EXPECT_NEAR(state.body(0).position.x(), 0.2, 1e-12) << passed;
  }
}

}  // namespace
}  // namespace cornet
