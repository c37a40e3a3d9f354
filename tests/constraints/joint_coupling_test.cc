// Constraints of any number of bodies, and couplings of joints among them.
#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "cornet/constraints/constraint_solver.h"
#include "cornet/constraints/joints/joint_coupling.h"
#include "cornet/constraints/joints/joints.h"
#include "support/states.h"

namespace cornet {
namespace {

using test::randomState;

constexpr double kTurn = 2.0 * std::numbers::pi;

// The weighted sum of the heights of its bodies, of which none is special.
class Balance final : public ManyBodyConstraint {
 public:
  Balance(std::vector<std::size_t> bodies, VectorXd weights) : ManyBodyConstraint(bodies), weights_(std::move(weights)) {}
  int dimension() const override { return 1; }
  VectorXd evaluateAt(MemberStates states, double) const override {
    double sum = 0.0;
    for (std::size_t k = 0; k < states.size(); ++k) sum += weights_[static_cast<Eigen::Index>(k)] * states[k].position.z();
    return VectorXd::Constant(1, sum);
  }
  MatrixXd jacobianAt(MemberStates states, double) const override {
    MatrixXd J = MatrixXd::Zero(1, static_cast<Eigen::Index>(6 * states.size()));
    for (Eigen::Index k = 0; k < weights_.size(); ++k) J(0, 6 * k + 2) = weights_[k];
    return J;
  }
  LambdaBounds lambdaBounds() const override { return LambdaBounds::bilateral(); }
  std::string typeName() const override { return "Balance"; }

 private:
  VectorXd weights_;
};

// Weights over pulleys: m_i a_i = -m_i g + w_i λ with Σ w_i a_i = 0.
TEST(ManyBodyConstraint, HasTheForcesOfItsMultiplierOnAllOfItsBodies) {
  const double masses[] = {1.0, 2.0, 5.0, 3.0};
  const VectorXd weights = Eigen::Vector4d(1.0, 2.0, 1.0, -0.5);
  std::vector<RigidBody> bodies(5);
  double inverse = 0.0, pull = 0.0;
  for (std::size_t k = 0; k < 4; ++k) {
    RigidBody& body = bodies[k + 1];  // the first has no part in it
    body.mass = MassProperties::solidBox(masses[k], Vector3d::Ones());
    body.external.force = Vector3d(0, 0, -9.81 * masses[k]);
    const double w = weights[static_cast<Eigen::Index>(k)];
    inverse += w * w / masses[k];
    pull += 9.81 * w;
  }
  bodies[0].mass = MassProperties::solidBox(1.0, Vector3d::Ones());
  const Balance balance({1, 2, 3, 4}, weights);
  const Constraint* list[] = {&balance};
  const SolveResult result = ConstraintSolver().solve(list, bodies);
  EXPECT_NEAR(result.lambdas[0], pull / inverse, 1e-11);
  for (std::size_t k = 0; k < 4; ++k) {
    const double w = weights[static_cast<Eigen::Index>(k)];
    EXPECT_NEAR(result.accelerations[k + 1][2], -9.81 + w * pull / inverse / masses[k], 1e-11) << k;
  }
  // One step of it, beside a rod between two of the bodies.
  const MultiBodySolveResult step = ConstraintSolver().solveWithContacts(list, bodies, 0.01);
  EXPECT_TRUE(step.converged);
  double rate = 0.0;
  for (std::size_t k = 0; k < 4; ++k) rate += weights[static_cast<Eigen::Index>(k)] * step.velocities[k + 1][2];
  EXPECT_NEAR(rate, 0.0, 1e-13);
}

TEST(ManyBodyConstraint, SaysWhatIsWrongWithItsBodies) {
  std::vector<RigidBody> bodies(3);
  for (RigidBody& body : bodies) body.mass = MassProperties::solidBox(1.0, Vector3d::Ones());
  const auto refusal = [&](const std::vector<std::size_t>& members) -> std::string {
    try {
      const Balance balance(members, VectorXd::Ones(static_cast<Eigen::Index>(members.size())));
      const Constraint* list[] = {&balance};
      ConstraintSolver().solve(list, bodies);
    } catch (const std::invalid_argument& fault) {
      return fault.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal({0, 1, 2}), "accepted");
  EXPECT_EQ(refusal({2}), "accepted");
  EXPECT_EQ(refusal({0, 1, 0}), "constraint 0 (Balance): two of its bodies are body 0: expected 3 different ones");
  EXPECT_EQ(refusal({0, 1, 3}), "constraint 0 (Balance): body 3 does not exist: there are 3 bodies, counted from 0");
  EXPECT_EQ(refusal({}), "a constraint without bodies: expected at least one");
}

// Two hinges and a slider on one body, each closed: bodies 1 and 2 turn, 3 slides.
struct Mechanism {
  explicit Mechanism(std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const auto draw = [&] { return Vector3d(uniform(random), uniform(random), uniform(random)); };
    for (int k = 0; k < 4; ++k) made.push_back(randomState(random));
    for (int k = 0; k < 3; ++k) {
      anchors[k] = draw();
      axes[k] = draw().normalized();
      frames[k] = makeJointFrame("joint", made[0], made[k + 1], anchors[k], axes[k]);
    }
  }
  // Joints moved by x with rates u, on body 0 as it is.
  std::vector<InertialState> at(const InertialState& base, const Vector3d& x, const Vector3d& u) const {
    std::vector<InertialState> states = {base};
    for (int k = 0; k < 3; ++k) {
      const Vector3d axis = base.toWorld(frames[k].axis_A);
      const Vector3d anchor = base.pointToWorld(frames[k].p_AJ_A);
      const Quaterniond turned = k < 2 ? Quaterniond(Eigen::AngleAxisd(x[k], axis)) : Quaterniond::Identity();
      InertialState state;
      state.orientation = turned * base.orientation * frames[k].q_AB;
      const Vector3d slide = k < 2 ? Vector3d(Vector3d::Zero()) : Vector3d(x[k] * axis);
      state.position = anchor + slide - state.orientation * frames[k].p_BJ_B;
      state.omega = base.omega + (k < 2 ? u[k] : 0.0) * axis;
      const Vector3d at_joint = base.velocity + base.omega.cross(anchor + slide - base.position) + (k < 2 ? 0.0 : u[k]) * axis;
      state.velocity = at_joint + state.omega.cross(state.position - anchor - slide);
      states.push_back(state);
    }
    return states;
  }
  JointCoupling couple(const Vector3d& ratios, double offset = 0.0) const {
    std::vector<CouplingTerm> terms;
    for (std::size_t k = 0; k < 3; ++k) {
      terms.push_back({0, k + 1, frames[k], k < 2 ? JointAxis::angle : JointAxis::slide, ratios[static_cast<Eigen::Index>(k)]});
    }
    return JointCoupling(terms, offset);
  }

  std::vector<InertialState> made;
  Vector3d anchors[3], axes[3];
  JointFrame frames[3];
};

TEST(JointCoupling, HasTheSumOfPositionsAndRatesOfItsJoints) {
  std::mt19937 random(11);
  for (int k = 0; k < 30; ++k) {
    const Mechanism mechanism(random);
    const JointCoupling coupling = mechanism.couple({3.0, -6.0, 2.0}, 0.25);
    ASSERT_EQ(coupling.bodyCount(), 4);
    const InertialState base = randomState(random);
    const Vector3d x(0.3, 0.2, 0.1), u(2.0, -1.0, 0.5);
    const auto states = mechanism.at(base, x, u);
    EXPECT_NEAR(coupling.evaluateAt(states, 0.0)[0], (3.0 * 0.3 - 6.0 * 0.2 + 2.0 * 0.1 - 0.25) / 6.0, 1e-13);
    const MatrixXd J = calcVelocityJacobian(coupling, states, 0.0, "test");
    EXPECT_NEAR(calcRate(J, states)[0], (6.0 + 6.0 + 1.0) / 6.0, 1e-12);
    const JointReading reading = coupling.readingAt(states);
    EXPECT_NEAR(reading.position, 0.3, 1e-13);
    EXPECT_NEAR(reading.rate, 2.0, 1e-12);
  }
}

TEST(JointCoupling, ItsRowIsTheDerivativeOfItsValue) {
  std::mt19937 random(12);
  for (int k = 0; k < 30; ++k) {
    const Mechanism mechanism(random);
    const JointCoupling coupling = mechanism.couple({3.0, -6.0, 2.0});
    const auto states = mechanism.at(randomState(random), {0.3, -0.2, 0.1}, {2.0, -1.0, 0.5});
    constexpr double h = 1e-5;
    std::vector<InertialState> ahead, back;
    for (const InertialState& state : states) {
      ahead.push_back(advance(state, h));
      back.push_back(advance(state, -h));
    }
    const double rate = calcRate(calcVelocityJacobian(coupling, states, 0.0, "test"), states)[0];
    EXPECT_NEAR((coupling.evaluateAt(ahead, 0.0)[0] - coupling.evaluateAt(back, 0.0)[0]) / (2.0 * h), rate, 1e-7);
  }
}

TEST(JointCoupling, KnowsAnglesButForWholeTeeth) {
  std::mt19937 random(13);
  const Mechanism mechanism(random);
  const auto periodOf = [&](double first, double second) { return mechanism.couple({first, second, 1.0}).period(); };
  EXPECT_NEAR(periodOf(20, 30), 10 * kTurn, 1e-12);
  EXPECT_NEAR(periodOf(1, -2), kTurn, 1e-12);
  EXPECT_NEAR(periodOf(-1.0, 1.0 / 3.0), kTurn / 3.0, 1e-12);
  EXPECT_NEAR(periodOf(0.35, 1), 0.05 * kTurn, 1e-12);
  EXPECT_NEAR(periodOf(17, 9973), kTurn, 1e-12);
  EXPECT_THROW(periodOf(1.0, std::sqrt(2.0)), std::invalid_argument);
  EXPECT_THROW(periodOf(1.0, 20000.0), std::invalid_argument);
  EXPECT_THROW(periodOf(1.0, 1e-5), std::invalid_argument);
  EXPECT_THROW(periodOf(1.0, 0.33333333), std::invalid_argument);
}

TEST(JointCoupling, StaysClosedOverManyTurns) {
  std::mt19937 random(14);
  const Mechanism mechanism(random);
  const JointCoupling coupling = mechanism.couple({20.0, 30.0, 2.0});
  for (int k = 0; k < 1000; ++k) {
    const double x1 = 0.31 * k;  // 49 turns
    const double slide = 0.1 * std::sin(x1);
    const auto states = mechanism.at(mechanism.made[0], {x1, -(20.0 * x1 + 2.0 * slide) / 30.0, slide}, Vector3d::Zero());
    EXPECT_NEAR(coupling.evaluateAt(states, 0.0)[0], 0.0, 1e-13) << k;
  }
}

TEST(JointCoupling, TellsSkippedTeethByTheWayOfAStep) {
  std::mt19937 random(15);
  const Mechanism mechanism(random);
  const JointCoupling coupling = mechanism.couple({7.0, 11.0, 1.0});
  const double dt = 1e-3;
  for (const double turning : {0.0, 2000.0, -3000.0}) {  // up to half a turn a step
    for (const int skipped : {-2, 0, 1, 3}) {
      const Vector3d u(turning, -turning * 7.0 / 11.0, 0.0);
      const auto before = mechanism.at(mechanism.made[0], {1.1, -0.7, 0.0}, u);
      const Vector3d x(1.1 + dt * u[0] + skipped * kTurn / 7.0, -0.7 + dt * u[1], 0.0);
      const auto after = mechanism.at(mechanism.made[0], x, u);
      EXPECT_NEAR(coupling.evaluateAt(after, dt)[0], 0.0, 1e-13) << turning;
      EXPECT_NEAR(coupling.evaluateOver(before, after, dt, dt)[0], skipped * kTurn / 11.0, 1e-12) << turning;
    }
  }
}

}  // namespace
}  // namespace cornet
