// Compliant contact through the simulator, against closed forms.
#include <numbers>

#include "sim/icf/icf_world.h"

namespace cornet {
namespace {

using test::CompliantWorld;
using test::kG;

constexpr double kDegree = std::numbers::pi / 180.0;

// Kept in the tangent, ε ρ/√(1 - ρ²) with ρ = tan θ/μ.
TEST(IcfContact, BlockCreepsOnASlopeAsFastAsTheLawSaysAndNoMore) {
  for (const double h : {0.01, 0.001}) {
    CompliantWorld slope;
    slope.setMaterial(1e5, 5.0, 0.5);
    slope.addFloor();
    slope.incline(15.0 * kDegree);
    slope.addBox({0.1, 0.1, 0.05}, {0, 0, 0.05});
    slope.run(2.0, h);
    const double rho = std::tan(15.0 * kDegree) / 0.5;
    const double creep = 1e-4 * rho / std::sqrt(1.0 - rho * rho);
    EXPECT_NEAR(slope.body().velocity.x(), creep, 1e-5 * creep) << h;
    EXPECT_NEAR(slope.last.distance.creep, creep, 1e-5 * creep) << h;
    EXPECT_EQ(slope.last.sticking, 4);
  }
}

TEST(IcfContact, BlockSlidesWithTheFrictionOfWhatSlides) {
  CompliantWorld slope;
  slope.setMaterial(1e5, 5.0, 0.6, 0.3);
  slope.addFloor();
  slope.incline(25.0 * kDegree);
  const double z = 0.05 - kG * std::cos(25.0 * kDegree) / 4e5;  // settled
  slope.addBox({0.1, 0.1, 0.05}, {0, 0, z}, {1.0, 0, 0});
  slope.run(0.5, 1e-3);
  const double a = kG * (std::sin(25.0 * kDegree) - 0.3 * std::cos(25.0 * kDegree));
  EXPECT_NEAR(slope.body().velocity.x(), 1.0 + 0.5 * a, 2e-3 * a);
  EXPECT_EQ(slope.last.sticking, 0);
}

TEST(IcfContact, BallRestsAtItsWeightOverItsStiffnessWhateverTheStep) {
  for (double stiffness = 1e3; stiffness <= 1e11; stiffness *= 10.0) {
    for (const double h : {0.01, 0.001}) {
      CompliantWorld floor;
      floor.setMaterial(stiffness, 10.0);
      floor.addFloor();
      floor.addSphere(0.1, {0, 0, 0.1}, {0, 0, 0}, {0, 0, 0}, 0.1);
      floor.run(h == 0.01 ? 6.0 : 3.0, h);
      const double depth = 0.1 * kG / stiffness;
      const double error = std::abs(0.1 - floor.body().position.z() - depth);
      EXPECT_LE(error, std::max(1e-6 * depth, 1e-13)) << stiffness << " " << h;
    }
  }
}

TEST(IcfContact, WeightIsSharedByAllContacts) {
  CompliantWorld floor;
  floor.setMaterial(1e6, 5.0);
  floor.addFloor();
  floor.addBox({0.1, 0.2, 0.05}, {0, 0, 0.05}, {0, 0, 0}, {0, 0, 0}, 2.0);
  floor.run(3.0, 0.01);
  const double depth = 2.0 * kG / (4.0 * 1e6);
  EXPECT_NEAR(0.05 - floor.body().position.z(), depth, 1e-6 * depth);
  EXPECT_NEAR(floor.last.distance.overlap, depth, 1e-6 * depth);
  ASSERT_EQ(floor.simulator->contacts().size(), 4u);
  for (const ContactOutcome& contact : floor.simulator->contacts()) {
    EXPECT_NEAR(contact.normalImpulse() / 0.01, 0.25 * 2.0 * kG, 1e-5);
    EXPECT_EQ(contact.stiffness, 1e6);
  }
}

TEST(IcfContact, BallRollsOnWithoutLoss) {
  CompliantWorld floor;
  floor.setMaterial(1e7, 30.0);
  floor.addFloor();
  const double r = 0.1, v = 0.8;
  floor.addSphere(r, {0, 0, r - kG / 1e7}, {v, 0, 0}, {0, v / r, 0}, 1.0);
  floor.run(1.0, 0.01);
  EXPECT_NEAR(floor.body().position.x(), 0.8, 1e-3);
  EXPECT_NEAR(floor.body().position.z(), r, 1e-3);
}

TEST(IcfContact, BallRollsDownASlopeAsFastAsItShould) {
  CompliantWorld slope;
  slope.setMaterial(1e7, 30.0, 0.5);
  slope.options.stiction_speed = 1e-5;
  slope.addFloor();
  slope.incline(15.0 * kDegree);
  const double r = 0.05, m = 0.1;
  slope.addSphere(r, {0, 0, r - m * kG * std::cos(15.0 * kDegree) / 1e7}, {0, 0, 0}, {0, 0, 0}, m);
  slope.run(1.0, 1e-3);
  const double a = kG * std::sin(15.0 * kDegree) / 1.4;
  EXPECT_NEAR(slope.body().velocity.x(), a, 5.5e-4);
  EXPECT_NEAR(slope.contactForce(1e-3).x(), -m * kG * std::sin(15.0 * kDegree) * 2.0 / 7.0, 1e-5);
  EXPECT_NEAR(slope.contactForce(1e-3).z(), m * kG * std::cos(15.0 * kDegree), 1e-5);
}

// Implicit Euler damps an oscillator of ω by exp(-π ω h) in half a period.
TEST(IcfContact, BounceLosesWhatTheStepTakes) {
  CompliantWorld floor;
  floor.setMaterial(1e3, 0.0);
  floor.addFloor();
  const double r = 0.1, m = 0.1, h = 1e-4;
  floor.addSphere(r, {0, 0, 1.0 + r}, {0, 0, 0}, {0, 0, 0}, m);
  floor.begin();
  int bounces = 0;
  bool was_closed = false;
  while (bounces < 3) {
    floor.step(h);
    const bool is_closed = floor.last.closed > 0;
    bounces += was_closed && !is_closed;
    was_closed = is_closed;
  }
  EXPECT_EQ(floor.inaccurate, 0) << floor.describe();
  const double energy = floor.energy() - m * kG * r;
  const double omega = std::sqrt(1e3 / m);
  const double loss = 1.0 - std::exp(-3 * std::numbers::pi * omega * h);
  EXPECT_NEAR(1.0 - energy / (m * kG), loss, 0.1 * loss);
}

TEST(IcfContact, BallsLeaveNoFasterThanDissipationAllows) {
  CompliantWorld floor;
  floor.setMaterial(1e5, 2.0);
  floor.addFloor();
  floor.addSphere(0.1, {0, 0, 0.11}, {0, 0, -5.0});
  floor.begin();
  double fastest = 0.0;
  for (int k = 0; k < 2000; ++k) {
    floor.step(1e-4);
    fastest = std::max(fastest, floor.body().velocity.z());
  }
  EXPECT_GT(fastest, 0.2);
  EXPECT_LE(fastest, 1.0 / 2.0);
  EXPECT_EQ(floor.inaccurate, 0) << floor.describe();
}

TEST(IcfContact, BeltTakesABoxAlong) {
  CompliantWorld belt;
  belt.setMaterial(1e5, 5.0, 0.4);
  AssetEnvironment conveyor("belt", {{HalfSpace{}, Pose(), belt.rigid, {}}});
  conveyor.setSurfaceVelocity({0.5, 0, 0});
  belt.world.addEnvironment(std::move(conveyor));
  belt.addBox({0.1, 0.1, 0.05}, {0, 0, 0.05});
  belt.run(1.0, 0.01);
  EXPECT_NEAR(belt.body().velocity.x(), 0.5, 1e-6);
}

TEST(IcfContact, MovingGroundCarriesWhatStandsOnIt) {
  CompliantWorld lift;
  lift.setMaterial(1e6, 5.0, 0.4);
  lift.world.addEnvironment(AssetEnvironment("lift", {{HalfSpace{}, Pose(), lift.rigid, {}}}, Vector3d::Zero(), Quaterniond::Identity(),
                                             SteadyMotion{{0.1, 0.0, 0.3}}));
  lift.addBox({0.1, 0.1, 0.05}, {0, 0, 0.05}, {0.1, 0, 0.3});
  lift.run(1.0, 0.01);
  EXPECT_NEAR(lift.body().velocity.x(), 0.1, 1e-6);
  EXPECT_NEAR(lift.body().position.z() - 0.35, -kG / 4e6, 1e-7);
}

// Two balls that hit off centre, without gravity, turning.
TEST(IcfContact, CollisionKeepsMomentumAndAngularMomentum) {
  for (const IcfFriction law : {IcfFriction::lagged, IcfFriction::similar, IcfFriction::sap}) {
    CompliantWorld space;
    space.options.friction_law = law;
    space.setMaterial(1e4, 1.0, 0.7);
    space.world.gravity.setZero();
    space.addSphere(0.1, {-0.15, 0.03, 0}, {1.0, 0, 0}, {1.0, 2.0, 3.0}, 1.0);
    space.addBox({0.1, 0.05, 0.12}, {0.15, 0, 0.02}, {-0.5, 0.1, 0}, {-2.0, 1.0, 1.0}, 2.0);
    space.begin();
    const auto momenta = [&] {
      Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
      for (int i = 0; i < 2; ++i) {
        const InertialState body = space.body(i);
        const Vector3d P = space.world.body(i).mass().mass * body.velocity;
        sum.head<3>() += P;
        sum.tail<3>() += body.position.cross(P) + space.world.body(i).inertia().calcMomentum(body.orientation, body.omega);
      }
      return sum;
    };
    const auto before = momenta();
    int closed = 0;
    for (int k = 0; k < 300; ++k) closed += space.step(1e-3).closed;
    EXPECT_GT(closed, 0);
    EXPECT_LT((momenta() - before).norm(), 1e-12);
    EXPECT_EQ(space.inaccurate, 0) << space.describe();
  }
}

// Three feet at R hold a turn of Mz < μ m g R, each with the force Mz/(3R).
TEST(IcfContact, ThreeFeetHoldATurnUpToTheirFriction) {
  const double m = 3.0, R = 1.5, mu = 2.0 / 3.0, g = 10.0;
  for (const double torque : {25.0, 35.0}) {
    CompliantWorld stool;
    stool.setMaterial(1e5, 5.0, mu);
    stool.addFloor();
    stool.world.gravity = {0, 0, -g};
    std::vector<AssetShape> feet;
    for (int k = 0; k < 3; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / 3.0;
      AssetShape foot = test::part(Sphere{0.05});
      foot.X_BS.p = {R * std::cos(angle), R * std::sin(angle), 0.0};
      feet.push_back(foot);
    }
    AssetInertial body("stool", MassProperties{m, Matrix3d(Vector3d(2.0, 2.0, 4.0).asDiagonal())}, feet);
    stool.world.addBody(body.place({0, 0, 0.05 - m * g / 3e5}));
    stool.world.addLoad({.body = 0, .torque = {0, 0, torque}});
    stool.run(1.0, 0.01);
    if (torque < mu * m * g * R) {
      for (const ContactOutcome& contact : stool.simulator->contacts()) EXPECT_NEAR(contact.tangentImpulse().norm() / 0.01, torque / (3.0 * R), 1e-4);
      const double rho = torque / (mu * m * g * R);
      EXPECT_NEAR(stool.body().omega.z() * R, 1e-4 * rho / std::sqrt(1.0 - rho * rho), 1e-7);
    } else {
      EXPECT_NEAR(stool.body().omega.z(), (torque - mu * m * g * R) / 4.0, 1e-2);
    }
  }
}

TEST(IcfContact, ReportedImpulsesAreWhatMovedTheBodies) {
  CompliantWorld floor;
  floor.setMaterial(1e8, 20.0, 0.4);
  floor.addFloor();
  floor.addBox({0.1, 0.15, 0.05}, {0, 0, 0.06}, {1.0, 0.3, -1.0}, {1.0, -2.0, 3.0}, 2.0);
  floor.begin();
  for (int k = 0; k < 200; ++k) {
    const InertialState before = floor.body();
    floor.step(2e-3);
    Vector3d impulse = 2.0 * 2e-3 * floor.world.gravity, moment = Vector3d::Zero();
    double size = 2.0;
    for (const ContactOutcome& contact : floor.simulator->contacts()) {
      const double sign = contact.b == 0 ? 1.0 : -1.0;
      impulse += sign * contact.impulse;
      moment += (contact.b == 0 ? contact.arm_b : contact.arm_a).cross(sign * contact.impulse);
      size += contact.impulse.norm();
    }
    const PrincipalInertia& inertia = floor.world.body(0).inertia();
    const Vector3d turned = inertia.calcMomentum(floor.body().orientation, floor.body().omega) - inertia.calcMomentum(before.orientation, before.omega);
    EXPECT_LT((2.0 * (floor.body().velocity - before.velocity) - impulse).norm(), 1e-13 * size);
    EXPECT_LT((turned - moment).norm(), 1e-13 * size);
    EXPECT_TRUE(floor.last.isAccurate()) << floor.describe();
  }
}

TEST(IcfContact, FreeFlightAndFreeRotationKeepTheirMomenta) {
  CompliantWorld space;
  space.world.gravity.setZero();
  space.addBox({0.1, 0.2, 0.3}, {0, 0, 0}, {1, 2, 3}, {5.0, 0.1, -4.0});
  space.begin();
  const auto momentum = [&] { return space.world.body(0).inertia().calcMomentum(space.body().orientation, space.body().omega); };
  const Vector3d before = momentum();
  const double energy = space.energy();
  space.run(20.0, 0.1);
  EXPECT_NEAR(space.body().orientation.norm(), 1.0, 1e-15);
  EXPECT_LT((momentum() - before).norm(), 1e-12 * before.norm());
  EXPECT_NEAR(space.energy(), energy, 1e-5 * energy);
  EXPECT_LT((space.body().position - Vector3d(20, 40, 60)).norm(), 1e-12 * 60);
}

}  // namespace
}  // namespace cornet
