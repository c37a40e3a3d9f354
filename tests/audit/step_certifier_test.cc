// The certificate of whole steps from hand-made evidence: each measure against its definition.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "cornet/audit/step_certifier.h"
#include "cornet/constraints/distance_constraint.h"
#include "cornet/constraints/joints/joints.h"
#include "cornet/math/rotation.h"
#include "cornet/world/constraint_error.h"

namespace cornet {
namespace {

constexpr double kCertifiedStep = 0.01;
constexpr double kRadius = 0.2;

// Two balls far apart, without gravity, and what a step is said to have done to them.
struct Evidence {
  Evidence() {
    world.gravity.setZero();
    for (const char* name : {"a", "b"}) {
      const Vector3d place(name[0] == 'a' ? 0.0 : 3.0, 0, 0);
      world.addBody(AssetInertial::fromMass(name, {{Sphere{kRadius}, Pose()}}, 1.0).place(place));
    }
    belt = world.environmentBody(world.addEnvironment(AssetEnvironment("belt", {}).setSurfaceVelocity({1, 0, 0})));
    before = after = world.calcBodies(world.makeState());
    after.time = kCertifiedStep;
    forces.resize(2);
  }
  StepCertificate judge() {
    StepCertificate certificate;
    StepCertifier(world).judge({before, after, kCertifiedStep, forces, contacts, moments, constraints, found_before, found_after, {}, {}, is_compliant},
                               certificate);
    return certificate;
  }
  double value(StepMeasure measure) { return judge()[measure].value; }

  WorldModel world;
  int belt = -1;
  BodyStates before, after;
  std::vector<BodyForce> forces;
  std::vector<ContactOutcome> contacts;
  std::vector<ContactMoment> moments;
  std::vector<ConstraintOutcome> constraints;
  ContactSet found_before, found_after;
  bool is_compliant = false;
};

TEST(StepCertifier, FindsNothingWhereNothingHappens) {
  const StepCertificate certificate = Evidence().judge();
  for (const StepMeasure measure : kStepMeasures) EXPECT_EQ(certificate[measure].value, 0.0) << nameOf(measure);
  EXPECT_TRUE(certificate.meets({}));
}

TEST(StepCertifier, MomentumThatIsMissingIsRoundingUpToTheSpeedsOfRounding) {
  Evidence step;
  step.after.bodies[0].velocity = {5e-14, 0, 0};
  EXPECT_EQ(step.value(StepMeasure::momentum), 0.0);
  step.after.bodies[0].velocity = {2e-13, 0, 0};
  EXPECT_EQ(step.value(StepMeasure::momentum), 1.0);  // all of it
  step.after.bodies[0].velocity.setZero();
  step.after.bodies[0].omega = {0, 0, 1e-11};
  EXPECT_EQ(step.value(StepMeasure::momentum), 1.0);
}

TEST(StepCertifier, MotionIsExplainedByEveryMixtureOfTheVelocities) {
  Evidence step;
  step.before.bodies[0].velocity = {1, 0, 0};
  step.after.bodies[0].velocity = {0, 2, 0};
  for (const double share : {0.0, 0.3, 0.5, 1.0}) {
    step.after.bodies[0].position = kCertifiedStep * Vector3d(1.0 - share, 2.0 * share, 0);
    EXPECT_NEAR(step.value(StepMeasure::motion), 0.0, 1e-15);
  }
  // A way beyond the faster one is not.
  step.after.bodies[0].position = kCertifiedStep * Vector3d(0, 2.5, 0);
  const double radius = 0.5 * std::sqrt(5.0);
  const double distance = std::hypot(0.5, 1.5) - radius;
  EXPECT_NEAR(step.value(StepMeasure::motion), kCertifiedStep * distance / kRadius, 1e-15);
}

// Forth in one part of a step and back in the other, as between two walls: no mixture of the velocities before and after.
TEST(StepCertifier, MotionOfAStepInPartsIsTheSumOfThatOfItsParts) {
  Evidence step;
  StepCertifier certifier(step.world);
  StepCertificate part, whole;
  const Vector3d forth(1, 0, 0);
  certifier.beginSum();
  for (const double sign : {1.0, -1.0}) {
    step.before = step.after;
    step.before.bodies[0].velocity = sign * forth;
    step.after.bodies[0].velocity = -sign * forth;
    step.after.bodies[0].position.x() += (1.0 + 0.5) * sign * 0.5 * kCertifiedStep;  // half as far again as explained
    certifier.judge({step.before, step.after, 0.5 * kCertifiedStep, step.forces, {}, {}, {}, step.found_before, step.found_after}, part);
    whole.addPart(part);
    EXPECT_NEAR(part[StepMeasure::motion].value, 0.25 * kCertifiedStep / kRadius, 1e-15);
  }
  certifier.judgeSum(whole);
  EXPECT_NEAR(whole[StepMeasure::motion].value, 0.5 * kCertifiedStep / kRadius, 1e-15);
  EXPECT_EQ(whole[StepMeasure::motion].body, 0);
}

TEST(StepCertifier, MotionIsWidenedByWhatForcesDo) {
  Evidence step;
  step.forces[0].force = {0, 0, 6};
  step.after.bodies[0].position = {0, 0, 0.5 * kCertifiedStep * kCertifiedStep * 6.0};
  EXPECT_NEAR(step.value(StepMeasure::motion), 0.0, 1e-15);
  step.after.bodies[0].position.z() *= 2.0;
  EXPECT_NEAR(step.value(StepMeasure::motion), 0.5 * kCertifiedStep * kCertifiedStep * 6.0 / kRadius, 1e-15);
}

TEST(StepCertifier, TurnsOfAFastGyratingBodyAreExplained) {
  WorldModel world;
  world.gravity.setZero();
  world.addBody(AssetInertial::fromMass("slab", {{Box(Vector3d(0.3, 0.1, 0.02)), Pose()}}, 1.0).setVelocity(Vector3d::Zero(), {60, 40, 20}));
  BodyStates before = world.calcBodies(world.makeState());
  BodyStates after = before;
  world.body(0).inertia().turnFreely(kCertifiedStep, after.bodies[0].orientation, after.bodies[0].omega);
  const std::vector<BodyForce> forces(1);
  const ContactSet none;
  StepCertificate certificate;
  StepCertifier certifier(world);
  certifier.judge({before, after, kCertifiedStep, forces, {}, {}, {}, none, none}, certificate);
  EXPECT_LT(certificate[StepMeasure::motion].value, 1e-12);
  EXPECT_LT(certificate[StepMeasure::momentum].value, 1e-12);
  // Turned a little further, it is not.
  after.bodies[0].orientation = expMap(Vector3d(0.01, 0, 0)) * after.bodies[0].orientation;
  certifier.judge({before, after, kCertifiedStep, forces, {}, {}, {}, none, none}, certificate);
  EXPECT_NEAR(certificate[StepMeasure::motion].value, 0.01, 1e-4);
}

TEST(StepCertifier, MomentumBalancesWithTheImpulsesAtTheirPoints) {
  Evidence step;
  ContactOutcome contact;
  contact.a = 0;
  contact.b = 1;
  contact.impulse = {0, 0.3, 0};
  contact.arm_a = {kRadius, 0, 0};
  contact.arm_b = {-kRadius, 0, 0};
  step.contacts = {contact};
  const double I = 0.4 * kRadius * kRadius;
  step.after.bodies[0].velocity = {0, -0.3, 0};
  step.after.bodies[1].velocity = {0, 0.3, 0};
  step.after.bodies[0].omega = step.after.bodies[1].omega = {0, 0, -kRadius * 0.3 / I};
  EXPECT_LT(step.value(StepMeasure::momentum), 1e-15);
  step.after.bodies[1].omega.z() *= 1.0 + 1e-6;
  const StepCertificate certificate = step.judge();
  EXPECT_NEAR(certificate[StepMeasure::momentum].value, 0.5e-6, 1e-10);  // of L and of the impulse's moment
  EXPECT_EQ(certificate[StepMeasure::momentum].body, 1);
}

TEST(StepCertifier, EnergyOfAMovingBeltIsItsWork) {
  Evidence step;
  ContactOutcome contact;
  contact.a = step.belt;
  contact.b = 0;
  contact.impulse = {0.5, 0, 0};
  step.contacts = {contact};
  step.after.bodies[0].velocity = {0.5, 0, 0};
  step.after.bodies[0].position = {0.5 * 0.5 * kCertifiedStep, 0, 0};
  const StepCertificate certificate = step.judge();
  EXPECT_EQ(certificate[StepMeasure::energy].value, 0.0);
  EXPECT_NEAR(certificate.energy.work_in, 0.5, 1e-15);                  // λ·v
  EXPECT_NEAR(certificate.energy.dissipated, 0.5 - 0.125, 1e-15);
  // The same impulse of something that stands gives energy from nowhere.
  step.contacts[0].a = 1;
  step.contacts[0].arm_a.setZero();
  step.contacts[0].arm_b.setZero();
  step.after.bodies[1].velocity = {-0.5, 0, 0};
  EXPECT_NEAR(step.value(StepMeasure::energy), 1.0, 1e-12);
}

// A ball of 1 kg over a contact that was pressed in by δ = 0.01 m: λ = h k (δ - h λ) of its spring.
TEST(StepCertifier, SpringsOfCompliantContactsGiveBackWhatTheyHeldAndNoMore) {
  Evidence step;
  step.is_compliant = true;
  ContactOutcome contact;
  contact.a = step.belt;
  contact.b = 0;
  contact.gap = -0.01;
  contact.stiffness = 1e4;
  const auto push = [&](const Vector3d& impulse) {
    contact.impulse = impulse;
    step.contacts = {contact};
    step.after.bodies[0].velocity = impulse;
    step.after.bodies[0].position = kCertifiedStep * impulse;
    return step.judge();
  };
  const double own = kCertifiedStep * 1e4 * 0.01 / (1.0 + kCertifiedStep * kCertifiedStep * 1e4);
  EXPECT_EQ(push({0, 0, own})[StepMeasure::energy].value, 0.0);
  // Four times as much: ½ λ² of which the spring had ½ k δ².
  const double held = 0.5 * 1e4 * 0.01 * 0.01, gained = 0.5 * 16.0 * own * own;
  EXPECT_NEAR(push({0, 0, 4.0 * own})[StepMeasure::energy].value, (gained - held) / (gained + held), 1e-12);
  EXPECT_EQ(push({0, 0, 4.0 * own})[StepMeasure::momentum].value, 0.0);
  // Friction gives nothing.
  contact.a = 1;
  step.after.bodies[1].velocity = {-own, 0, 0};
  step.after.bodies[1].position.x() -= kCertifiedStep * own;
  EXPECT_NEAR(push({own, 0, 0})[StepMeasure::energy].value, 1.0, 1e-12);
}

TEST(StepCertifier, EnergyIsBalancedGroupByGroup) {
  Evidence step;
  step.before.bodies[0].velocity = {1000, 0, 0};
  step.after.bodies[0].velocity = {999, 0, 0};  // loses far more than the other gains
  step.after.bodies[1].velocity = {0.01, 0, 0};
  const StepCertificate certificate = step.judge();
  EXPECT_NEAR(certificate[StepMeasure::energy].value, 1.0, 1e-12);
  EXPECT_EQ(certificate[StepMeasure::energy].body, 1);
}

TEST(StepCertifier, ClosureIsInSizesOfTheSmallerBody) {
  Evidence step;
  step.world.addConstraint(std::make_unique<DistanceConstraint>(0, 1, Vector3d::Zero(), Vector3d::Zero(), 3.0));
  step.constraints.resize(1);
  step.constraints[0].is_active = true;
  step.constraints[0].impulse = VectorXd::Zero(1);
  step.after.bodies[1].position.x() = 3.0 + 1e-5;
  const StepCertificate certificate = step.judge();
  EXPECT_NEAR(certificate[StepMeasure::closure].value, 1e-5 / kRadius, 1e-12);
  EXPECT_EQ(certificate[StepMeasure::closure].joint, 0);
}

TEST(StepCertifier, AHingeThatIsTurnedOverIsOpen) {
  WorldModel world;
  world.addBody(AssetInertial::fromMass("door", {{Sphere{kRadius}, Pose()}}, 1.0));
  const int frame = world.environmentBody(world.addEnvironment({"frame", {}}));
  world.addConstraint(std::make_unique<HingeJoint>(frame, 0, world.environment(0).calcState(0.0), world.body(0).initial(),
                                                   Vector3d::Zero(), Vector3d::UnitZ()));
  BodyStates state = world.calcBodies(world.makeState());
  EXPECT_EQ(calcConstraintError(world, ConstraintView(world, 0, state)).relative, 0.0);
  state.bodies[0].orientation = expMap(Vector3d(std::numbers::pi, 0, 0));
  EXPECT_EQ(calcConstraintError(world, ConstraintView(world, 0, state)).relative, 1.0);
}

TEST(StepCertifier, OverlapCountsWhatIsNew) {
  Evidence step;
  const auto add = [](ContactSet& set, int shape_a, int shape_b, double gap) {
    set.body_a.push_back(shape_a);
    set.body_b.push_back(shape_b);
    set.shape_a.push_back(shape_a);
    set.shape_b.push_back(shape_b);
    set.gap.push_back(gap);
  };
  add(step.found_before, 0, 1, -0.01);
  add(step.found_after, 0, 1, -0.008);
  EXPECT_EQ(step.value(StepMeasure::overlap), 0.0);  // lifted
  add(step.found_after, 0, 1, -0.013);
  EXPECT_NEAR(step.value(StepMeasure::overlap), 0.003 / kRadius, 1e-15);
}

TEST(StepCertificate, NamesTheMeasureFurthestBeyondItsBound) {
  StepCertificate certificate;
  certificate[StepMeasure::motion].value = 5e-3;   // five times
  certificate[StepMeasure::closure].value = 1e-6;  // a hundred times
  EXPECT_EQ(certificate.worstMeasure({}), StepMeasure::closure);
  EXPECT_FALSE(certificate.meets({}));
  EXPECT_TRUE(certificate.exceeds({}, StepMeasure::motion));
  certificate[StepMeasure::energy].value = std::nan("");
  EXPECT_TRUE(certificate.exceeds({}, StepMeasure::energy));
}

}  // namespace
}  // namespace cornet
