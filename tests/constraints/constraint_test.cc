#include <memory>
#include <numbers>

#include "support/states.h"
#include "cornet/constraints/contact_constraint.h"
#include "cornet/constraints/distance_constraint.h"
#include "cornet/constraints/joints/joint_drives.h"
#include "cornet/constraints/joints/joints.h"
#include "cornet/constraints/unit_quaternion_constraint.h"

namespace cornet {
namespace {

using test::randomState;

TEST(LambdaBounds, FactoriesAndPredicatesAgree) {
  const LambdaBounds bilateral = LambdaBounds::bilateral();
  const LambdaBounds unilateral = LambdaBounds::unilateral();
  const LambdaBounds box = LambdaBounds::boxConstrained(-2.0, 3.0);
  EXPECT_TRUE(bilateral.isBilateral() && !bilateral.isUnilateral() && !bilateral.isBoxConstrained());
  EXPECT_TRUE(unilateral.isUnilateral() && !unilateral.isBilateral() &&
              !unilateral.isBoxConstrained());
  EXPECT_TRUE(box.isBoxConstrained() && !box.isBilateral() && !box.isUnilateral());
  EXPECT_EQ(box.lower, -2.0);
  EXPECT_EQ(box.upper, 3.0);
  EXPECT_EQ(ConstraintLaw::fromBounds(bilateral).kind, LawKind::equality);
  EXPECT_EQ(ConstraintLaw::fromBounds(unilateral).kind, LawKind::unilateral);
  EXPECT_EQ(ConstraintLaw::fromBounds(box).kind, LawKind::box);
}

TEST(LambdaBounds, RefusesLowerAboveUpper) {
  EXPECT_THROW(LambdaBounds::boxConstrained(1.0, 0.0), std::invalid_argument);
  EXPECT_THROW(LambdaBounds::boxConstrained(std::nan(""), 0.0), std::invalid_argument);
}

// Every constraint that has a position to speak of, made at one pose of its bodies.
std::vector<std::unique_ptr<Constraint>> makeAll(const InertialState& a, const InertialState& b) {
  std::vector<std::unique_ptr<Constraint>> all;
  const Vector3d anchor(0.3, -0.2, 0.5);
  const Vector3d axis = Vector3d(1.0, 2.0, -0.5).normalized();
  all.push_back(std::make_unique<UnitQuaternionConstraint>(0));
  all.push_back(std::make_unique<DistanceConstraint>(0, Vector3d(0.1, 0.2, 0.3), anchor, 0.7));
  all.push_back(std::make_unique<DistanceConstraint>(0, 1, Vector3d(0.1, 0.2, 0.3),
                                                     Vector3d(-0.2, 0.1, 0.4), 0.7));
  all.push_back(std::make_unique<ContactConstraint>(
      0, 1, makeContactGeometry(a, b, anchor, anchor + 0.1 * axis, axis)));
  all.push_back(std::make_unique<BallJoint>(0, 1, a, b, anchor));
  all.push_back(std::make_unique<HingeJoint>(0, 1, a, b, anchor, axis));
  all.push_back(std::make_unique<SliderJoint>(0, 1, a, b, anchor, axis));
  all.push_back(std::make_unique<UniversalJoint>(0, 1, a, b, anchor, axis, axis.unitOrthogonal()));
  all.push_back(std::make_unique<FixedJoint>(0, 1, a, b, anchor));
  const JointFrame frame = makeJointFrame("joint", a, b, anchor, axis);
  all.push_back(std::make_unique<JointLimit>(0, 1, frame, JointAxis::slide, LimitSide::lower, 0.1));
  all.push_back(std::make_unique<JointLimit>(0, 1, frame, JointAxis::slide, LimitSide::upper, 0.1));
  return all;
}

TEST(Constraint, JacobiansAreTheDerivativesOfTheirConstraints) {
  std::mt19937 random(5);
  for (int k = 0; k < 40; ++k) {
    const InertialState made_a = randomState(random);
    const InertialState made_b = randomState(random);
    const InertialState a = randomState(random);  // far from where the joint was made
    const InertialState b = randomState(random);
    for (const auto& constraint : makeAll(made_a, made_b)) {
      constexpr double h = 1e-5;
      const VectorXd difference = (constraint->evaluate(advance(a, h), advance(b, h), 0.0) -
                                   constraint->evaluate(advance(a, -h), advance(b, -h), 0.0)) /
                                  (2.0 * h);
      const VectorXd rate =
          calcRate(calcVelocityJacobian(*constraint, a, b, 0.0, "test"), a, b);
      EXPECT_EQ(rate.size(), constraint->dimension());
      EXPECT_LT((rate - difference).norm(), 2e-8 * (1.0 + rate.norm())) << constraint->typeName();
    }
  }
}

// The angle of a hinge has an exact row only where the joint is closed.
TEST(JointLimit, AngleTurnsWithTheRelativeSpinAboutTheAxis) {
  std::mt19937 random(6);
  for (int k = 0; k < 20; ++k) {
    InertialState a = randomState(random);
    InertialState b = randomState(random);
    const Vector3d axis = Vector3d(1.0, -1.0, 0.3).normalized();
    const JointFrame frame = makeJointFrame("hinge", a, b, Vector3d::Zero(), axis);
    b.omega = a.omega + 2.0 * axis;
    const double h = 1e-4;
    EXPECT_NEAR(calcAngle(frame, advance(a, h), advance(b, h)), 2.0 * h, 1e-6);
    const double angle = 0.7;
    const JointLimit lower(0, 1, frame, JointAxis::angle, LimitSide::lower, -angle);
    const JointLimit upper(0, 1, frame, JointAxis::angle, LimitSide::upper, angle);
    EXPECT_NEAR(lower.evaluate(a, b, 0.0)[0], angle, 1e-14);
    EXPECT_NEAR(upper.evaluate(a, b, 0.0)[0], angle, 1e-14);
    EXPECT_NEAR(calcRate(lower.jacobian(a, b, 0.0), a, b)[0], 2.0, 1e-12);
    EXPECT_NEAR(calcRate(upper.jacobian(a, b, 0.0), a, b)[0], -2.0, 1e-12);
  }
}

// Circular motion about the anchor: C̈ of the rod without forces is speed²/radius.
TEST(Constraint, DefaultBiasRateIsTheCentripetalTerm) {
  InertialState state;
  state.position = Vector3d(2.0, 0.0, 0.0);
  state.velocity = Vector3d(0.0, 3.0, 0.0);
  const DistanceConstraint rod(0, Vector3d::Zero(), Vector3d::Zero(), 2.0);
  EXPECT_NEAR(rod.biasRate(state, state, 0.0)[0], 9.0 / 2.0, 1e-8);
}

TEST(Constraint, MappedUnitQuaternionRowIsZero) {
  std::mt19937 random(7);
  for (int k = 0; k < 100; ++k) {
    const InertialState state = randomState(random);
    const UnitQuaternionConstraint constraint(0);
    EXPECT_LT(calcVelocityJacobian(constraint, state, state, 0.0, "test").norm(), 1e-15);
  }
}

TEST(Constraint, BodyIndicesAndCountComeFromTheConstructor) {
  const UnitQuaternionConstraint one(4);
  EXPECT_EQ(one.bodyAIndex(), 4u);
  EXPECT_EQ(one.bodyBIndex(), 4u);
  EXPECT_EQ(one.bodyCount(), 1);
  EXPECT_EQ(one.alpha(), 10.0);
  EXPECT_EQ(one.beta(), 10.0);
  const BallJoint two(1, 2, {}, {}, Vector3d::Zero());
  EXPECT_EQ(two.bodyCount(), 2);
  EXPECT_EQ(two.bodyBIndex(), 2u);
  EXPECT_TRUE(two.isActive({}, {}, 0.0));
}

TEST(FrictionConstraint, HasTheConeOverTheConstraintBefore) {
  FrictionConstraint friction(0, 1, {}, 0.4);
  EXPECT_EQ(friction.law().kind, LawKind::cone);
  EXPECT_EQ(friction.law().mu, 0.4);
  EXPECT_EQ(friction.law().normal, ConstraintLaw::kPreceding);
  friction.setNormalForce(10.0);
  EXPECT_EQ(friction.lambdaBounds(), LambdaBounds::boxConstrained(-4.0, 4.0));
  EXPECT_EQ(friction.alpha(), 0.0);
}

TEST(Constraints, RefuseImpossibleArguments) {
  const InertialState state;
  EXPECT_THROW(FrictionConstraint(0, 1, {}, -0.1), std::invalid_argument);
  EXPECT_THROW(FrictionConstraint(0, 1, {}, std::nan("")), std::invalid_argument);
  EXPECT_THROW(ContactConstraint(0, 1, {}, 1.5), std::invalid_argument);
  EXPECT_THROW(ContactConstraint(0, 1, {}, -0.5), std::invalid_argument);
  EXPECT_THROW(makeContactGeometry(state, state, {0, 0, 0}, {0, 0, 0}, {0, 0, 2}),
               std::invalid_argument);
  EXPECT_THROW(DistanceConstraint(0, Vector3d::Zero(), Vector3d::Zero(), 0.0),
               std::invalid_argument);
  EXPECT_THROW(HingeJoint(0, 1, state, state, Vector3d::Zero(), Vector3d::Zero()),
               std::invalid_argument);
  const JointFrame frame = makeJointFrame("joint", state, state, Vector3d::Zero());
  EXPECT_THROW(JointLimit(0, 1, frame, JointAxis::angle, LimitSide::lower, 4.0),
               std::invalid_argument);
  EXPECT_THROW(JointLimit(0, 1, frame, JointAxis::angle, LimitSide::upper, std::numbers::pi),
               std::invalid_argument);
  EXPECT_THROW(JointMotor(0, 1, frame, JointAxis::angle, 1.0, -1.0), std::invalid_argument);
}

}  // namespace
}  // namespace cornet
