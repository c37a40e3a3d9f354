// Scenes with closed-form answers, at steps of 1, 5 and 10 ms: sliding, rolling, flight and bouncing on
// flat ground are exact to rounding at any step.
#include <cmath>

#include <gtest/gtest.h>

#include "support/gravity.h"
#include "support/stepped_world.h"

namespace cornet {
namespace {

using test::kG;
using test::part;

// Bodies on the half-space z ≤ 0.
struct Scene : test::SteppedWorld {
  explicit Scene(double mu, double restitution = 0.0, bool ground = true) {
    world.materials.add({"default", mu, restitution});
    if (ground) world.addEnvironment({"ground", {part(HalfSpace{})}});
  }
};

class ClosedForm : public testing::TestWithParam<double> {
 protected:
  double dt() const { return GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Steps, ClosedForm, testing::Values(1e-3, 5e-3, 1e-2));

TEST_P(ClosedForm, ASlidingBoxStopsWhereCoulombSays) {
  const double v0 = 2.0, mu = 0.5;
  for (const double heading : {0.0, 0.7, 2.3}) {
    Scene scene(mu);
    const Vector3d direction(std::cos(heading), std::sin(heading), 0.0);
    scene.addBox({0.1, 0.1, 0.05}, {0, 0, 0.05}, v0 * direction);
    scene.run(1.0, dt());
    EXPECT_LT((scene.body(0).position - v0 * v0 / (2.0 * mu * kG) * direction - Vector3d(0, 0, 0.05)).norm(),
              1e-12);
    EXPECT_LT(scene.body(0).velocity.norm(), 1e-12);
    EXPECT_EQ(scene.unsolved, 0);
  }
}

TEST_P(ClosedForm, ASlidingBallRollsInTheEnd) {
  const double v0 = 3.0, mu = 0.2, T = 0.8;
  Scene scene(mu);
  scene.addSphere(0.1, {0, 0, 0.1}, {v0, 0, 0});
  scene.run(T, dt());
  const double x = 12.0 * v0 * v0 / (49.0 * mu * kG) + 15.0 / 7.0 * (T - 2.0 * v0 / (7.0 * mu * kG));
  EXPECT_NEAR(scene.body(0).velocity.x(), 15.0 / 7.0, 1e-11);
  EXPECT_NEAR(scene.body(0).position.x(), x, 1e-11);
}

TEST_P(ClosedForm, ASpinningBallCurvesAlongAParabola) {
  const double mu = 0.2, R = 0.1, T = 1.0;
  Scene scene(mu);
  const Vector3d v0(3, 0, 0), omega0(20, 5, 0);
  scene.addSphere(R, {0, 0, R}, v0, omega0);
  scene.run(T, dt());
  const Vector3d u0 = v0 + omega0.cross(Vector3d(0, 0, -R));
  const double slip = 2.0 * u0.norm() / (7.0 * mu * kG);
  const Vector3d v_end = v0 - 2.0 / 7.0 * u0;
  const Vector3d x = v0 * slip - 0.5 * mu * kG * slip * slip * u0.normalized() + (T - slip) * v_end;
  EXPECT_LT((scene.body(0).velocity - v_end).norm(), 1e-11);
  EXPECT_LT((scene.body(0).position - x - Vector3d(0, 0, R)).norm(), 1e-11);
}

TEST_P(ClosedForm, ABallBouncesToHeightsOfTheRestitutionSquared) {
  const double H = 1.0, R = 0.1;
  for (const double e : {0.5, 0.8, 0.95, 1.0}) {
    Scene scene(0.5, e);
    scene.addSphere(R, {0, 0, R + H});
    double apex = 0.0;
    double expected = H;
    int bounce = 0;
    double v_before = 0.0;
    while (bounce <= 5 && scene.state.time < 8.0) {
      scene.run(dt(), dt());
      const double v = scene.body(0).velocity.z();
      if (v_before < 0.0 && v > 0.0) {
        // The apex that follows, from the exact flight.
        ++bounce;
        expected *= e * e;
        apex = scene.body(0).position.z() - R + v * v / (2.0 * kG);
        if (bounce <= 5) {
          EXPECT_NEAR(apex / expected, 1.0, 1e-10) << "e " << e << " bounce " << bounce;
        }
      }
      v_before = v;
    }
    EXPECT_GE(bounce, 5) << e;
  }
}

TEST_P(ClosedForm, AFlatCubeBouncesWithoutTurning) {
  const double e = 0.5, mu = 0.5, H = 1.0;
  for (const double v_x : {0.7, 3.0}) {
    Scene scene(mu, e);
    scene.addBox({0.1, 0.1, 0.1}, {0, 0, 0.1 + H}, {v_x, 0, 0});
    scene.run(0.5, dt());
    const double apex =
        scene.body(0).position.z() - 0.1 + std::pow(scene.body(0).velocity.z(), 2) / (2.0 * kG);
    EXPECT_NEAR(apex, e * e * H, 1e-10);
    EXPECT_LT(scene.body(0).omega.norm(), 1e-10);
    const double left = std::max(0.0, v_x - mu * (1.0 + e) * std::sqrt(2.0 * kG * H));
    EXPECT_NEAR(scene.body(0).velocity.x(), left, 1e-10);
  }
}

TEST_P(ClosedForm, ABallFromAGapRollsAtFiveSeventhsOfItsSpeed) {
  for (const double gap : {1e-4, 1e-3, 5e-3, 2e-2}) {
    Scene scene(0.2);
    scene.addSphere(0.1, {0, 0, 0.1 + gap}, {3, 0, 0});
    scene.run(0.8, dt());
    EXPECT_NEAR(scene.body(0).velocity.x() / (15.0 / 7.0), 1.0, 1e-12) << gap;
  }
}

TEST_P(ClosedForm, FreeBallsKeepTheirMomentaInAnObliqueCollision) {
  for (const double gap : {1e-3, 5e-3, 1.5e-2}) {
    Scene scene(0.5, 0.0, false);
    scene.world.gravity.setZero();
    scene.addSphere(0.1, {0, 0, 0}, {2, 0, 0});
    const double d = 0.2 + gap;
    scene.addSphere(0.1, {d * std::cos(0.5), d * std::sin(0.5), 0}, {0, 0, 0}, {0, 0, 3}, 2.0);
    const auto momentum = [&](const State& state) {
      Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
      for (int i = 0; i < 2; ++i) {
        const InertialState& s = state.body(i);
        const double m = scene.world.body(i).mass().mass;
        sum.head<3>() += m * s.velocity;
        sum.tail<3>() += m * s.position.cross(s.velocity) +
                         scene.world.body(i).inertia().calcMomentum(s.orientation, s.omega);
      }
      return sum;
    };
    const auto before = momentum(scene.world.makeState());
    scene.run(0.05, dt());
    EXPECT_LT((momentum(scene.state) - before).norm(), 1e-14) << gap;
    EXPECT_GT(scene.body(1).velocity.norm(), 0.1);
  }
}

TEST(FastBodies, ACubeAtFiftyMetresPerSecondLandsOnTheFloor) {
  Scene scene(0.5);
  scene.addBox({0.005, 0.005, 0.005}, {0, 0, 1.237}, {0, 0, -50}, {0, 0, 0}, 1e-3);
  double lowest = 1.0;
  for (int k = 0; k < 20; ++k) {
    scene.run(0.01, 0.01);
    lowest = std::min(lowest, scene.body(0).position.z() - 0.005);
  }
  EXPECT_GT(lowest, -1e-12);
  EXPECT_LT(std::abs(scene.body(0).position.z() - 0.005), 1e-12);
  EXPECT_LT(scene.body(0).velocity.norm(), 1e-12);
}

TEST(FastBodies, ABallThatPassesIsNotTouchedAndOneThatGrazesIsDeflectedExactly) {
  for (const double offset : {0.101, 0.099}) {
    for (const double x0 : {-0.15, -0.25, -0.35, -0.45}) {
      Scene scene(0.0, 0.0, false);
      scene.world.gravity.setZero();
      scene.addSphere(0.05, {x0, offset, 0}, {50, 0, 0});
      scene.world.addEnvironment({"post", {part(Sphere{0.05})}});
      scene.run(0.03, 0.01);
      Vector3d expected(50, 0, 0);
      if (offset < 0.1) {
        const Vector3d n = Vector3d(-std::sqrt(0.01 - offset * offset), offset, 0) / 0.1;
        expected -= n * n.dot(expected);
      }
      EXPECT_LT((scene.body(0).velocity - expected).norm(), 1e-9) << offset << " " << x0;
    }
  }
}

// At the velocity of the start it would meet the post after the step; its weight brings it there within.
TEST(SlowBodies, ABallThatOnlyItsWeightBringsToAPostMeetsIt) {
  const double h = 0.01, v0 = 0.1;
  for (const double share : {0.1, 0.5, 0.9}) {
    const double gap = v0 * h + share * 0.5 * kG * h * h;
    Scene scene(0.0, 1.0, false);
    scene.world.addEnvironment({"post", {part(Sphere{0.05})}});
    scene.addSphere(0.05, {0, 0, 0.1 + gap}, {0, 0, -v0});
    scene.step(h);
    // It falls to the post, leaves it as fast, and is pulled back for the rest of the step.
    const double speed = std::sqrt(v0 * v0 + 2.0 * kG * gap), time = (speed - v0) / kG;
    EXPECT_NEAR(scene.body(0).velocity.z(), speed - kG * (h - time), 1e-9) << share;
    EXPECT_GT(scene.body(0).position.z(), 0.1 - 1e-9) << share;
  }
}

TEST_P(ClosedForm, ACubeAtRestStaysToTheLastBitAndAPushBelowFrictionDoesNothing) {
  Scene scene(0.5);
  scene.addBox({0.05, 0.05, 0.05}, {0, 0, 0.05});
  scene.run(10000 * dt(), dt());
  EXPECT_LT((scene.body(0).position - Vector3d(0, 0, 0.05)).norm(), 1e-12);
  EXPECT_LT(scene.body(0).velocity.norm(), 1e-12);
  double normal = 0.0;
  for (const ContactOutcome& contact : scene.simulator->contacts()) normal += contact.impulse.z();
  EXPECT_NEAR(normal, kG * dt(), 1e-15);

  Scene pushed(0.5);
  pushed.addBox({0.05, 0.05, 0.05}, {0, 0, 0.05});
  Load load;
  load.body = 0;
  load.force = {3, 0, 0};
  pushed.world.addLoad(load);
  pushed.run(1000 * dt(), dt());
  EXPECT_LT((pushed.body(0).position - Vector3d(0, 0, 0.05)).norm(), 1e-12);
}

TEST(Penetration, IsTakenBackWithoutEnergyOrDriftOnARamp) {
  const double angle = 10.0 * M_PI / 180.0;
  Scene scene(0.5);
  scene.world.gravity = kG * Vector3d(std::sin(angle), 0, -std::cos(angle));
  scene.addBox({0.05, 0.05, 0.05}, {0, 0, 0.05 - 1e-3});
  double kinetic = 0.0;
  for (int k = 0; k < 200; ++k) {
    scene.run(0.01, 0.01);
    kinetic = std::max(kinetic, scene.last.energy().kinetic);
  }
  EXPECT_LT(kinetic, 1e-12);
  EXPECT_LT(std::abs(scene.body(0).position.z() - 0.05), 1e-12);
  EXPECT_LT(std::abs(scene.body(0).position.x()), 1e-12);
}

TEST_P(ClosedForm, ABlockOnABeltReachesItsSpeedAfterTheSlipOfTheory) {
  const double v = 1.5, mu = 0.4;
  for (const bool surface : {false, true}) {  // a moving floor, and a belt that stays
    Scene scene(mu, 0.0, false);
    AssetEnvironment belt("belt", {part(HalfSpace{})}, Vector3d::Zero(), Quaterniond::Identity(),
                          surface ? Motion(Rest{}) : Motion(SteadyMotion{{v, 0, 0}, {0, 0, 0}}));
    if (surface) belt.setSurfaceVelocity({v, 0, 0});
    scene.world.addEnvironment(std::move(belt));
    scene.addBox({0.1, 0.1, 0.05}, {0, 0, 0.05});
    const double T = 1.0;
    scene.run(T, dt());
    EXPECT_NEAR(scene.body(0).velocity.x(), v, 1e-12);
    EXPECT_NEAR(scene.body(0).position.x(), v * T - v * v / (2.0 * mu * kG), 1e-12);
  }
}

TEST_P(ClosedForm, ABlockOnAShakerBelowItsFrictionMovesWithIt) {
  Scene scene(0.5, 0.0, false);
  const Oscillation shake{{1e-3, 0, 0}, 5.0, 0.0};  // 0.99 m/s² at most
  scene.world.addEnvironment({"plate", {part(HalfSpace{})}, {0, 0, 0}, Quaterniond::Identity(), shake});
  const double v0 = 2.0 * M_PI * 5.0 * 1e-3;
  scene.addBox({0.1, 0.1, 0.05}, {0, 0, 0.05}, {v0, 0, 0});
  scene.run(1.0, dt());
  EXPECT_NEAR(scene.body(0).position.x(), 0.0, 1e-12);
  EXPECT_NEAR(scene.body(0).velocity.x(), v0, 1e-12);
}

TEST(EnergyBalance, CountsWorkOfLoadsAndOfBelts) {
  Scene scene(0.5);
  scene.addBox({0.05, 0.05, 0.05}, {0, 0, 0.05});
  Load load;
  load.body = 0;
  load.force = {6, 0, 0};
  scene.world.addLoad(load);
  double work = 0.0, dissipated = 0.0;
  for (int k = 0; k < 100; ++k) {
    scene.run(0.01, 0.01);
    work += scene.last.energy().work_in;
    dissipated += scene.last.energy().dissipated;
  }
  const double way = 0.5 * (6.0 - 0.5 * kG);
  EXPECT_NEAR(scene.body(0).position.x(), way, 1e-12);
  EXPECT_NEAR(work, 6.0 * way, 1e-12);
  EXPECT_NEAR(dissipated, 0.5 * kG * way, 1e-11);
}

TEST(SemiImplicitEuler, StopsASlidingBoxHalfAStepShort) {
  const double v0 = 1.962, mu = 0.5, h = 0.01;  // a whole number of steps
  Scene scene(mu);
  scene.options.integrator = IntegratorKind::semi_implicit_euler;
  scene.addBox({0.1, 0.1, 0.05}, {0, 0, 0.05}, {v0, 0, 0});
  scene.run(1.0, h);
  EXPECT_NEAR(scene.body(0).position.x(), v0 * v0 / (2.0 * mu * kG) - 0.5 * v0 * h, 1e-10);
  EXPECT_LT(scene.body(0).velocity.norm(), 1e-11);
}

TEST(Solvers, GaussSeidelStopsTheSlidingBoxAtTheSamePlace) {
  Scene scene(0.5);
  scene.options.solver = SolverKind::gauss_seidel;
  scene.addBox({0.1, 0.1, 0.05}, {0, 0, 0.05}, {2, 0, 0});
  scene.run(1.0, 0.005);
  EXPECT_NEAR(scene.body(0).position.x(), 4.0 / (2.0 * 0.5 * kG), 1e-7);
}

// Boxes thrown into a corner: many islands that come and go.
void throwBoxes(Scene& scene) {
  scene.world.addEnvironment({"wall", {part(HalfSpace{})}, {-0.4, 0, 0},
                              Quaterniond(Eigen::AngleAxisd(M_PI / 2, Vector3d::UnitY()))});
  for (int k = 0; k < 12; ++k) {
    scene.addBox({0.05, 0.04, 0.03}, {0.15 * (k % 4), 0.13 * (k / 4), 0.1 + 0.05 * k},
                 {-1.0 + 0.1 * k, 0.1 * (k % 3), -0.5}, {1.0 * k, 2.0, -3.0});
  }
}

TEST(Determinism, TheSameBitsForAnyNumberOfThreadsAndFromASavedState) {
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 1}) {
    Scene scene(0.4, 0.3);
    scene.options.threads = threads;
    throwBoxes(scene);
    scene.run(0.5, 5e-3);
    if (expected == 0) expected = hashOf(scene.state);
    EXPECT_EQ(hashOf(scene.state), expected) << threads;
  }
  // Forked half way: State and StepMemory are all there is.
  Scene first(0.4, 0.3);
  throwBoxes(first);
  first.run(0.25, 5e-3);
  const State state = first.state;
  const StepMemory memory = first.memory;
  Scene second(0.4, 0.3);
  throwBoxes(second);
  second.run(5e-3, 5e-3);
  second.state = state;
  second.memory = memory;
  second.run(0.25, 5e-3);
  EXPECT_EQ(hashOf(second.state), expected);
}

TEST(ThrownBoxes, GainNoEnergy) {
  for (const double e : {0.0, 0.5, 1.0}) {
    Scene scene(0.4, e);
    throwBoxes(scene);
    scene.run(1e-3, 1e-3);
    const double E0 = scene.world.calcKinetic(scene.world.makeState()) + 12.0 * kG * 0.5;
    double before = scene.energy(), worst = -1.0;
    for (int k = 0; k < 400; ++k) {
      scene.run(1e-3, 1e-3);
      worst = std::max(worst, (scene.energy() - before) / E0);
      before = scene.energy();
    }
    EXPECT_LT(worst, 1e-9) << e;
  }
}

TEST(FreeRotation, OfABodyWithThreeMomentsKeepsEnergyAndMomentum) {
  PrincipalInertia inertia(Vector3d(1, 2, 3).asDiagonal());
  Quaterniond q = Quaterniond::Identity();
  Vector3d omega = 10.0 * Vector3d(0.5, 1.0, 0.2).normalized();
  const Vector3d L0 = inertia.calcMomentum(q, omega);
  const double E0 = 0.5 * omega.dot(L0);
  double worst = 0.0;
  for (int k = 0; k < 10000; ++k) {
    inertia.turnFreely(0.01, q, omega);
    worst = std::max(worst, std::abs(0.5 * omega.dot(inertia.calcMomentum(q, omega)) / E0 - 1.0));
  }
  EXPECT_LT(worst, 1e-7);
  EXPECT_LT((inertia.calcMomentum(q, omega) - L0).norm(), 1e-10 * L0.norm());
}

}  // namespace
}  // namespace cornet
