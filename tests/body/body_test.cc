#include <cmath>
#include <functional>
#include <random>

#include "cornet/body/free_body.h"
#include "support/states.h"

namespace cornet {
namespace {

using test::randomState;

Eigen::Matrix<double, 7, 1> coordinates(const InertialState& state) {
  Eigen::Matrix<double, 7, 1> q;
  q << state.position, state.orientation.w(), state.orientation.x(), state.orientation.y(),
      state.orientation.z();
  return q;
}

TEST(VelocityMap, IsTheDerivativeOfTheCoordinatesAlongTheMotion) {
  std::mt19937 random(1);
  for (int k = 0; k < 100; ++k) {
    const InertialState state = randomState(random);
    constexpr double kStep = 1e-5;
    const VectorXd difference = (coordinates(advance(state, kStep)) -
                                 coordinates(advance(state, -kStep))) / (2.0 * kStep);
    Eigen::Matrix<double, 6, 1> v;
    v << state.velocity, state.omega;
    EXPECT_LT((calcVelocityMap(state.orientation) * v - difference).norm(), 1e-8);
  }
}

// A body turned 60 degrees about x and spun about the world's z axis turns about that axis.
TEST(Advance, TurnsAboutTheWorldAxis) {
  InertialState state;
  state.orientation = expMap(Vector3d(M_PI / 3.0, 0.0, 0.0));
  state.omega = Vector3d(0.0, 0.0, 1.0);
  const InertialState after = advance(state, 1.0);
  const Vector3d turn = logMap(after.orientation * state.orientation.conjugate());
  EXPECT_LT((turn - Vector3d(0.0, 0.0, 1.0)).norm(), 1e-15);
}

TEST(InertialState, PointsGoToTheWorldAndBack) {
  std::mt19937 random(2);
  const InertialState state = randomState(random);
  const Vector3d point(0.3, -0.7, 1.1);
  EXPECT_LT((state.pointToBody(state.pointToWorld(point)) - point).norm(), 1e-15);
}

TEST(InertialState, RefusesWhatIsNoState) {
  InertialState state;
  state.velocity.x() = std::nan("");
  EXPECT_THROW(validate(state, "body 3"), std::invalid_argument);
  state = {};
  state.orientation = Quaterniond(1.0, 0.1, 0.0, 0.0);
  try {
    validate(state, "body 3");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("body 3"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("1.00498"), std::string::npos);
  }
}

TEST(MassProperties, OfSolidsAreThoseOfTheTextbook) {
  EXPECT_NEAR(MassProperties::solidSphere(2.0, 0.1).inertia(0, 0), 0.008, 1e-17);
  const MassProperties cube = MassProperties::solidBox(1.0, Vector3d::Ones());
  EXPECT_LT((cube.inertia - Matrix3d::Identity() / 6.0).norm(), 1e-16);
  EXPECT_NO_THROW(cube.validate("cube"));
}

TEST(MassProperties, RefuseImpossibleNumbers) {
  const auto refused = [](double mass, const Vector3d& moments, const std::string& word) {
    MassProperties properties{mass, moments.asDiagonal()};
    try {
      properties.validate("body 7");
    } catch (const std::invalid_argument& error) {
      const std::string text = error.what();
      return text.find("body 7") != std::string::npos && text.find(word) != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused(0.0, {1, 1, 1}, "mass = 0"));
  EXPECT_TRUE(refused(-2.0, {1, 1, 1}, "mass = -2"));
  EXPECT_TRUE(refused(std::nan(""), {1, 1, 1}, "nan"));
  EXPECT_TRUE(refused(1.0, {1, 1, 0}, "moments"));
  EXPECT_TRUE(refused(1.0, {1, 1, 2.1}, "exceeds the sum"));
  MassProperties skewed;
  skewed.inertia(0, 1) = 0.1;
  EXPECT_THROW(skewed.validate("body"), std::invalid_argument);
}

// d/dt (R I Rᵀ ω) = τ and d/dt (m v) = m g + F.
TEST(FreeBody, ObeysNewtonAndEuler) {
  std::mt19937 random(3);
  const FreeBody body(MassProperties::solidBox(2.0, {1.0, 0.6, 0.3}));
  const Vector3d gravity(0.0, 0.0, -9.81);
  for (int k = 0; k < 50; ++k) {
    const InertialState state = randomState(random);
    const BodyForce external{{1.0, 2.0, 3.0}, {0.1, -0.2, 0.3}};
    VectorXd v(6);
    v << state.velocity, state.omega;
    const VectorXd a = body.calcMassMatrix(state.orientation).llt().solve(body.calcSmoothForce(state, gravity, external));
    // Momentum after a short motion with this acceleration, by central differences.
    constexpr double h = 1e-5;
    const auto momentum = [&](double dt) {
      VectorXd q_dt = coordinates(state);
      body.advance(v + 0.5 * dt * a, dt, q_dt);
      return VectorXd(body.calcMassMatrix(Quaterniond(q_dt[3], q_dt[4], q_dt[5], q_dt[6])) * (v + dt * a));
    };
    VectorXd expected(6);
    expected << 2.0 * gravity + external.force, external.torque;
    EXPECT_LT(((momentum(h) - momentum(-h)) / (2.0 * h) - expected).norm(), 1e-7);
  }
}

TEST(FreeBody, IsATreeOfOneLink) {
  const FreeBody body(MassProperties{});
  EXPECT_EQ(body.makeCache()->jacobians.front(), LinkJacobian(LinkJacobian::Identity(6, 6)));
  EXPECT_EQ(body.positionCount(), 7);
  EXPECT_EQ(body.velocityCount(), 6);
  EXPECT_THROW(FreeBody(MassProperties{-1.0, Matrix3d::Identity()}), std::invalid_argument);
}

}  // namespace
}  // namespace cornet
