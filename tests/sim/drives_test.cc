// Drives along the free direction of hinges and sliders: servos, springs, dampers, dry friction, limits that rebound.
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "cornet/constraints/joints/joint_drives.h"
#include "cornet/constraints/joints/joints.h"
#include "cornet/sim/drive_rows.h"
#include "cornet/sim/simulator.h"
#include "support/gravity.h"

namespace cornet {
namespace {

using test::kG;

// A body of 1 kg on a slider along x, or a rod of 1 m on a hinge at its end, both on a wall; no gravity.
struct DrivenBody {
  explicit DrivenBody(JointAxis the_axis, const Vector3d& velocity = Vector3d::Zero(), double mass = 1.0) : axis(the_axis) {
    world.gravity.setZero();
    const bool slides = axis == JointAxis::slide;
    const Vector3d moments = slides ? Vector3d(0.1, 0.1, 0.1) : Vector3d(1e-3, mass / 12.0, mass / 12.0);
    AssetInertial body("body", MassProperties{mass, Matrix3d(moments.asDiagonal())});
    if (!slides) body.place({0.5, 0.0, 0.0});
    body.setVelocity(velocity, slides ? Vector3d::Zero() : Vector3d(0.0, 0.0, velocity.y() / 0.5));
    world.addBody(std::move(body));
    world.addEnvironment({"wall", {}});
    const InertialState& at = world.body(0).initial();
    if (slides) {
      auto joint = std::make_unique<SliderJoint>(1, 0, InertialState{}, at, Vector3d::Zero(), Vector3d::UnitX());
      frame = joint->frame();
      parts.push_back(std::move(joint));
    } else {
      auto joint = std::make_unique<HingeJoint>(1, 0, InertialState{}, at, Vector3d::Zero(), Vector3d::UnitZ());
      frame = joint->frame();
      parts.push_back(std::move(joint));
    }
  }
  template <class Drive, class... More>
  Drive& drive(More&&... more) {
    auto made = std::make_unique<Drive>(1, 0, frame, axis, more...);
    Drive& drive = *made;
    parts.push_back(std::move(made));
    return drive;
  }
  void begin(SimulatorOptions options = {}) {
    world.addJoint("joint", std::move(parts));
    simulator = std::make_unique<Simulator>(world, options);
    state = world.makeState();
  }
  void step(double dt) {
    report = simulator->step(dt, state, memory);
    EXPECT_EQ(report.unsolved_islands, 0) << "t = " << state.time;
    const StepMeasure worst = report.certificate.worstMeasure(StepBounds{});
    EXPECT_TRUE(!is_judged || report.certificate.meets(StepBounds{}))
        << "t = " << state.time << ", " << nameOf(worst) << " " << report.certificate[worst].value;
    const JointOutcome& joint = simulator->joints()[0];
    worst_effort = std::max(worst_effort, std::abs(joint.effort));
    worst_gain = std::max(worst_gain, report.energy().gained);
    work += joint.power * dt;
  }
  void run(double duration, double dt) {
    const auto steps = static_cast<int>(std::lround(duration / dt));
    for (int k = 0; k < steps; ++k) step(dt);
  }
  double position() const { return simulator->joints()[0].position; }
  double rate() const { return simulator->joints()[0].rate; }
  double effort() const { return simulator->joints()[0].effort; }

  JointAxis axis;
  JointFrame frame;
  std::vector<std::unique_ptr<Constraint>> parts;
  WorldModel world;
  std::unique_ptr<Simulator> simulator;
  State state;
  StepMemory memory;
  StepReport report;
  bool is_judged = true;  // a hinge off the centre gains energy in third order by itself: at 10 ms above the bound
  double worst_effort = 0.0, worst_gain = 0.0, work = 0.0;
};

// x(t) of m ẍ + d ẋ + k x = 0 from rest at x = -rest, measured from the start.
double calcOscillation(double m, double k, double d, double rest, double t) {
  const double a = 0.5 * d / m, w = std::sqrt(k / m - a * a);
  return rest - rest * std::exp(-a * t) * (std::cos(w * t) + a / w * std::sin(w * t));
}

TEST(Drives, ImplicitForceIsThatOfTheLawForAFixedBody) {
  // Against a body that nothing moves, λ with u = 0 is h F.
  const ForceLaw force{200.0, 3.0, 0.1, 0.5};
  const double h = 1e-3, rate = 2.0;
  const ImplicitForce row = calcImplicitForce(force, rate, 0.0, h, 0.5);
  const double lambda = -(rate + row.bias) / row.compliance;
  EXPECT_NEAR(lambda, h * (-200.0 * 0.1 - 3.0 * (2.0 - 0.5)), 1e-15);
}

TEST(Drives, DampingAloneIsExactAtAnyStep) {
  const double m = 2.0, u = 3.0, w = 1.0;
  for (const double h : {1e-6, 1e-3, 0.1, 10.0}) {
    for (const double d : {1e-3, 1.0, 1e4}) {
      const ImplicitForce row = calcImplicitForce({0.0, d, 0.0, w}, u, 1.0 / m, h, 0.5);
      // m (u⁺ - u) = λ, u⁺ + bias + R λ = 0
      const double after = u - (u + row.bias) / (1.0 + row.compliance * m);
      EXPECT_NEAR(after, w + (u - w) * std::exp(-h * d / m), 1e-13 * (1.0 + std::abs(row.bias))) << h << " " << d;
    }
  }
}

double oscillate(JointAxis axis, double dt) {
  const bool slides = axis == JointAxis::slide;
  const double m = slides ? 1.0 : 1.0 / 3.0, k = 400.0 * m, d = 12.0 * m;  // 20 rad/s, ζ = 0.3
  DrivenBody body(axis);
  body.drive<JointSpring>(k, 0.1);
  body.drive<JointDamper>(d);
  body.begin();
  double worst = 0.0;
  while (body.state.time < 0.5) {
    body.step(dt);
    worst = std::max(worst, std::abs(body.position() - calcOscillation(m, k, d, 0.1, body.state.time)));
  }
  return worst;
}

TEST(Drives, ADampedOscillatorIsOfSecondOrder) {
  for (const JointAxis axis : {JointAxis::slide, JointAxis::angle}) {
    const double coarse = oscillate(axis, 4e-3), middle = oscillate(axis, 2e-3), fine = oscillate(axis, 1e-3);
    EXPECT_LT(coarse, 0.1 * 0.01);  // the amplitude, (hω)²
    EXPECT_NEAR(coarse / middle, 4.0, 0.2);
    EXPECT_NEAR(middle / fine, 4.0, 0.1);
  }
}

TEST(Drives, ASpringKeepsItsEnergyAndItsWorkIsToldByItsPower) {
  const double k = 400.0, rest = 0.1;
  DrivenBody body(JointAxis::slide);
  body.drive<JointSpring>(k, rest);
  body.begin();
  const double whole = 0.5 * k * rest * rest;
  for (int i = 0; i < 10000; ++i) {
    body.step(5e-3);
    const double stretch = body.position() - rest;
    EXPECT_NEAR(body.world.calcKinetic(body.state) + 0.5 * k * stretch * stretch, whole, 1e-10 * whole);
    if (HasFailure()) return;
  }
  EXPECT_NEAR(body.work, body.world.calcKinetic(body.state), 1e-10 * whole);
  EXPECT_LT(body.worst_gain, 1e-12 * whole);
}

TEST(Drives, DryFrictionHoldsUpToItsForceAndBreaksAwayBeyond) {
  for (const double dt : {1e-3, 1e-2}) {
    for (const double push : {1.999999, 2.000001}) {
      DrivenBody body(JointAxis::slide);
      body.drive<JointFriction>(2.0);
      body.world.addLoad({.body = 0, .force = {push, 0.0, 0.0}});
      body.begin();
      body.run(10.0, dt);
      const double a = std::max(0.0, push - 2.0);
      EXPECT_NEAR(body.position(), 0.5 * a * 100.0, 1e-12) << push;
      EXPECT_NEAR(body.rate(), a * 10.0, 1e-13) << push;
      EXPECT_NEAR(body.effort(), -std::min(push, 2.0), 1e-9) << push;
    }
  }
}

TEST(Drives, DryFrictionOfAHingeBrakesEvenly) {
  const double I = 1.0 / 3.0, torque = 0.5;
  DrivenBody body(JointAxis::angle, {0.0, 0.5, 0.0});  // 1 rad/s
  body.drive<JointFriction>(torque);
  body.begin();
  body.run(0.5, 1e-3);
  EXPECT_NEAR(body.rate(), 1.0 - torque / I * 0.5, 1e-6);  // (hω)²: it turns about a point off its centre
  body.run(1.0, 1e-3);
  EXPECT_NEAR(body.rate(), 0.0, 1e-12);
  EXPECT_NEAR(body.position(), 0.5 * I / torque, 1e-6);  // the stop lies within a step
}

TEST(Drives, AServoOfAnyGainIsStableAndKeepsItsEffortLimit) {
  for (const JointAxis axis : {JointAxis::slide, JointAxis::angle}) {
    for (const double kp : {1e2, 1e5, 1e9}) {
      DrivenBody body(axis);
      body.is_judged = axis == JointAxis::slide;
      body.drive<JointServo>(kp, 0.0, 0.1, 12.0);
      body.begin();
      body.run(5.0, 1e-2);
      EXPECT_LE(body.worst_effort, 12.0 * (1.0 + 1e-14)) << kp;
      if (kp > 1e4) {
        EXPECT_NEAR(body.position(), 0.1, 1e-6) << kp;
        EXPECT_LT(std::abs(body.rate()), 1e-6) << kp;
      }
    }
  }
}

// Bang, then the linear zone: while saturated the motion is that of a constant force.
TEST(Drives, AServoAtItsLimitPushesWithExactlyIt) {
  DrivenBody body(JointAxis::slide);
  body.drive<JointServo>(1e3, 60.0, 1.0, 10.0);
  body.begin();
  for (int k = 0; k < 30; ++k) {
    body.step(1e-2);
    EXPECT_NEAR(body.effort(), 10.0, 1e-10);
    EXPECT_NEAR(body.position(), 5.0 * body.state.time * body.state.time, 1e-12);
  }
}

TEST(Drives, AServoHoldsARodLevelWithItsSag) {
  // kp (target - x) = m g l at x = 0.
  const double kp = 100.0, load = kG * 0.5;
  for (const double dt : {1e-3, 1e-2}) {
    DrivenBody body(JointAxis::angle);
    body.world.gravity = {0.0, -kG, 0.0};
    body.drive<JointServo>(kp, 10.0, load / kp, 20.0);
    body.begin();
    body.run(3.0, dt);
    EXPECT_NEAR(body.position(), 0.0, 1e-9);
    EXPECT_NEAR(body.effort(), load, 1e-8);
    EXPECT_NEAR(body.simulator->joints()[0].power, 0.0, 1e-8);
  }
}

TEST(Drives, TargetsMayChangeBetweenSteps) {
  DrivenBody body(JointAxis::slide);
  JointServo& servo = body.drive<JointServo>(1e3, 63.0, 0.1);
  JointMotor* motor = nullptr;
  body.begin();
  body.run(2.0, 2e-3);
  EXPECT_NEAR(body.position(), 0.1, 1e-9);
  servo.setTarget(-0.2);
  body.run(2.0, 2e-3);
  EXPECT_NEAR(body.position(), -0.2, 1e-9);

  DrivenBody driven(JointAxis::angle);
  motor = &driven.drive<JointMotor>(1.0, 5.0);
  driven.begin();
  driven.run(0.5, 5e-3);
  EXPECT_NEAR(driven.rate(), 1.0, 1e-10);
  motor->setSpeed(-2.0);
  motor->setMaxEffort(0.1);
  driven.run(0.5, 5e-3);
  EXPECT_NEAR(driven.rate(), 1.0 - 0.1 / (1.0 / 3.0) * 0.5, 2.5e-5);  // (hω)²
  EXPECT_NEAR(driven.effort(), -0.1, 1e-12);
}

TEST(Drives, AServoFollowsItsRate) {
  DrivenBody body(JointAxis::slide);
  body.drive<JointServo>(0.0, 50.0, 0.0).setTarget(0.0, 0.7);
  body.begin();
  for (int k = 0; k < 100; ++k) {
    body.step(1e-2);
    EXPECT_NEAR(body.rate(), 0.7 * (1.0 - std::exp(-50.0 * body.state.time)), 1e-12);
  }
}

TEST(Drives, AnAngleGoesTheShorterWayRound) {
  DrivenBody body(JointAxis::angle);
  body.is_judged = false;
  body.drive<JointServo>(100.0, 20.0, 1.5 * std::numbers::pi);
  body.begin();
  body.run(3.0, 5e-3);
  EXPECT_NEAR(body.position(), -0.5 * std::numbers::pi, 1e-6);
}

// A rod on a hinge at its end has m l²/3 there, four times what it has about its centre.
TEST(Drives, DampingSeesTheInertiaAboutTheHinge) {
  const double I = 1.0 / 3.0, d = 2.0, slow = 1e-4;  // [rad/s]: nothing turns noticeably
  for (const double dt : {1e-3, 0.1, 1.0}) {
    DrivenBody body(JointAxis::angle, {0.0, 0.5 * slow, 0.0});
    body.drive<JointDamper>(d);
    body.begin();
    body.step(dt);
    EXPECT_NEAR(body.rate() / slow, std::exp(-dt * d / I), 1e-6) << dt;
  }
}

TEST(Drives, SpringsOfAnyStiffnessAreSolved) {
  for (const double k : {1e-6, 1e-2, 1e2, 1e6, 1e12}) {
    for (const double dt : {1e-4, 1e-2}) {
      DrivenBody body(JointAxis::slide);
      body.drive<JointSpring>(k, 0.1);
      body.begin();
      const double z = dt * dt * k;
      body.is_judged = z < 1.0;  // what a step does not resolve is damped, and says so
      body.step(dt);
      if (k == 1e12) {
        EXPECT_TRUE(body.report.certificate.exceeds({}, StepMeasure::energy));
      }
      if (z < 1.0) {  // λ = -hk(x⁻ + x⁺)/2, x⁺ = hu⁺/2
        EXPECT_NEAR(body.rate(), dt * k * 0.1 / (1.0 + 0.25 * z), 1e-9 * dt * k * 0.1) << k;
      }
      for (int i = 0; i < 100; ++i) body.step(dt);
      EXPECT_LE(std::abs(body.position() - 0.1), 0.1 * (1.0 + 1e-9)) << k;
    }
  }
}

// Three links with servos that a step of 10 ms cannot resolve, without damping, under gravity.
TEST(Drives, AnArmOfStiffServosComesToRest) {
  for (const double kp : {1e4, 1e6}) {
    WorldModel world;
    for (int k = 0; k < 3; ++k) {
      AssetInertial link("link" + std::to_string(k),
                         MassProperties{1.0, Matrix3d(Vector3d(1e-3, 0.09 / 12.0, 0.09 / 12.0).asDiagonal())});
      link.place({0.15 + 0.3 * k, 0.0, 0.0});
      world.addBody(std::move(link));
    }
    world.addEnvironment({"post", {}});
    for (int k = 0; k < 3; ++k) {
      world.addHinge(k == 0 ? 3 : k - 1, k, {.anchor = {0.3 * k, 0.0, 0.0}, .axis = {0.0, -1.0, 0.0}, .servo = {.kp = kp}});
    }
    Simulator simulator(world);
    State state = world.makeState();
    StepMemory memory;
    for (int k = 0; k < 500; ++k) EXPECT_EQ(simulator.step(1e-2, state, memory).unsolved_islands, 0);
    // Each servo carries the weight of what is beyond it: m g (0.15, 0.6, 1.35) m, but for the small sag.
    const double moments[] = {1.35 * kG, 0.6 * kG, 0.15 * kG};
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(simulator.joints()[k].rate, 0.0, 1e-6) << kp;
      EXPECT_NEAR(simulator.joints()[k].effort / moments[k], 1.0, 10.0 * moments[0] * moments[0] / (kp * kp) + 1e-6) << kp;
      EXPECT_NEAR(simulator.joints()[k].position, -moments[k] / kp, 1e-2 * moments[0] / kp) << kp;
    }
  }
}

// A soft spring's row has a velocity of 4 x/h, 160 m/s in a step of 5 ms, which must not excuse that what it presses on a wall creeps.
TEST(Drives, WhatASpringPressesOnAWallRests) {
  for (const double k : {10.0, 100.0, 1e3}) {
    WorldModel world;
    world.gravity.setZero();
    AssetInertial cart = AssetInertial::fromMass("cart", {{Sphere{0.1}, Pose()}}, 1.0);
    cart.place({0.0, 0.0, 0.3});
    world.addBody(std::move(cart));
    world.addEnvironment({"wall", {{HalfSpace{}, Pose()}}});
    world.addSlider(1, 0, {.anchor = {0.0, 0.0, 0.3}, .axis = {0.0, 0.0, 1.0}, .spring = {.stiffness = k, .rest = -0.4}});
    Simulator simulator(world);
    State state = world.makeState();
    StepMemory memory;
    for (int i = 0; i < 800; ++i) {
      const StepReport report = simulator.step(5e-3, state, memory);
      const StepMeasure worst = report.certificate.worstMeasure(StepBounds{});
      EXPECT_TRUE(report.isAccurate()) << k << " at " << state.time << ", " << nameOf(worst) << " "
                                       << report.certificate[worst].value;
      if (state.time < 2.0) continue;
      // To the solver's tolerance of what the spring gives in a step.
      EXPECT_LT(state.body(0).velocity.norm(), SimulatorOptions{}.tolerance * 5e-3 * k * 0.2) << k;
      EXPECT_NEAR(simulator.joints()[0].effort, -k * 0.2, 1e-9 * k) << k;  // it pulls 0.2 m beyond the wall
    }
    EXPECT_NEAR(state.body(0).position.z(), 0.1, 1e-12) << k;
  }
}

TEST(Drives, ALimitGivesItsRestitutionBack) {
  for (const double e : {0.0, 0.5, 1.0}) {
    for (const double dt : {1e-3, 1e-2}) {
      DrivenBody body(JointAxis::slide, {1.0, 0.0, 0.0});
      body.parts.push_back(
          std::make_unique<JointLimit>(1, 0, body.frame, body.axis, LimitSide::upper, 0.1234567, e));
      body.begin();
      body.run(0.2, dt);
      EXPECT_NEAR(body.rate(), -e, 1e-12);
      EXPECT_LE(body.position(), 0.1234567 + 1e-12);
      EXPECT_NEAR(body.position(), 0.1234567 - e * (0.2 - 0.1234567), (1.0 + e) * dt);
    }
  }
}

TEST(Drives, RefuseWhatMakesNoSense) {
  DrivenBody body(JointAxis::angle);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(body.drive<JointServo>(-1.0, 0.0, 0.0), std::invalid_argument);
  EXPECT_THROW(body.drive<JointServo>(0.0, 0.0, 0.0), std::invalid_argument);
  EXPECT_THROW(body.drive<JointServo>(1.0, 0.0, nan), std::invalid_argument);
  EXPECT_THROW(body.drive<JointServo>(1.0, 0.0, 0.0, -1.0), std::invalid_argument);
  EXPECT_THROW(body.drive<JointSpring>(0.0), std::invalid_argument);
  EXPECT_THROW(body.drive<JointDamper>(-2.0), std::invalid_argument);
  EXPECT_THROW(body.drive<JointFriction>(nan), std::invalid_argument);
  EXPECT_THROW(body.drive<JointMotor>(1.0, -1.0), std::invalid_argument);
  EXPECT_THROW(JointLimit(1, 0, body.frame, body.axis, LimitSide::lower, 0.0, 1.5), std::invalid_argument);
}

}  // namespace
}  // namespace cornet
