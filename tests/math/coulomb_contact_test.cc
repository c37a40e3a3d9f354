#include "cornet/math/coulomb_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "cornet/math/friction_cone.h"

namespace cornet {
namespace {

using Random = std::mt19937;

double logUniform(Random& random, double lo, double hi) {
  return std::exp(std::uniform_real_distribution<double>(std::log(lo), std::log(hi))(random));
}

Vector3d randomDirection(Random& random) {
  std::normal_distribution<double> normal;
  return Vector3d(normal(random), normal(random), normal(random)).normalized();
}

// Q diag(1, s, t) Qᵀ with conditions up to `condition`, scaled by `size`.
Matrix3d randomBlock(Random& random, double condition, double size) {
  Matrix3d G;
  for (int c = 0; c < 3; ++c) G.col(c) = randomDirection(random);
  const Matrix3d Q = Eigen::HouseholderQR<Matrix3d>(G).householderQ();
  const Vector3d d(1.0, logUniform(random, 1.0 / condition, 1.0),
                   logUniform(random, 1.0 / condition, 1.0));
  const Matrix3d A = size * Q * d.asDiagonal() * Q.transpose();
  return 0.5 * (A + A.transpose());
}

// Natural-map residual of the law in m/s, relative to the largest velocity in the sum A λ + q, and
// to the factor μ by which the law itself multiplies rounding of u_t.
double lawError(const Matrix3d& A, const Vector3d& q, double mu, const Vector3d& lambda) {
  const Vector3d u = A * lambda + q;
  const double rho = 3.0 / A.trace();
  const double scale = q.norm() + A.norm() * lambda.norm();
  const Vector3d R =
      lambda - projectFrictionCone(lambda - rho * deSaxceVelocity(u, mu), mu);
  return R.norm() / rho / scale / std::max(1.0, mu);
}

struct Sample {
  Matrix3d A;
  Vector3d q;
  double mu;
};

Sample randomSample(Random& random, double condition) {
  Sample s;
  const double size = logUniform(random, 1e-6, 1e6);
  s.A = randomBlock(random, condition, size);
  s.q = logUniform(random, 1e-6, 1e6) * randomDirection(random);
  if (s.q[0] > 0.0 && random() % 4 != 0) s.q[0] = -s.q[0];
  s.mu = random() % 8 == 0 ? 0.0 : logUniform(random, 1e-3, 1e3);
  // Grazing, straight and nearly straight impacts; never all at once, which would underflow.
  switch (random() % 16) {
    case 0:
    case 1: s.q[0] = -logUniform(random, 1e-300, 1e-9) * s.q.norm(); break;
    case 2: s.q.tail<2>() *= logUniform(random, 1e-300, 1e-9); break;
    case 3: s.q.tail<2>().setZero(); break;
    default: break;
  }
  return s;
}

TEST(CoulombContact, ObeysTheLawOnRandomBlocks) {
  Random random(11);
  for (const double condition : {1.0, 1e2, 1e6, 1e10, 1e14}) {
    double worst = 0.0;
    for (int k = 0; k < 40000; ++k) {
      const Sample s = randomSample(random, condition);
      Vector3d lambda;
      const ContactMode mode = solveCoulombContact(s.A, s.q, s.mu, lambda);
      ASSERT_NE(mode, ContactMode::none);
      const double error = lawError(s.A, s.q, s.mu, lambda);
      ASSERT_LE(error, 1e-13) << "A\n" << s.A << "\nq " << s.q.transpose() << " mu " << s.mu
                              << " lambda " << lambda.transpose();
      worst = std::max(worst, error);
    }
    RecordProperty("worst_error_condition_" + std::to_string(static_cast<int>(std::log10(condition))),
                   std::to_string(worst));
  }
}

// q = -A λ with λ on the edge of the cone: sticking and slipping meet.
TEST(CoulombContact, ObeysTheLawAtTheEdgeOfSticking) {
  Random random(16);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (const double condition : {1e2, 1e4, 1e6, 1e8, 1e12}) {
    for (int k = 0; k < 20000; ++k) {
      const Matrix3d A = randomBlock(random, condition, 1.0);
      const double mu = logUniform(random, 0.1, 3.0);
      const double angle = M_PI * unit(random);
      const double share = 1.0 + (random() % 2 ? 1.0 : -1.0) * logUniform(random, 1e-16, 1e-1);
      const Vector3d edge(1.0, share * mu * std::cos(angle), share * mu * std::sin(angle));
      const Vector3d q = -A * edge;
      Vector3d lambda;
      solveCoulombContact(A, q, mu, lambda);
      ASSERT_LE(lawError(A, q, mu, lambda), 1e-13)
          << condition << "\n" << A << "\nq " << q.transpose() << " mu " << mu;
    }
  }
}

TEST(CoulombContact, ObeysTheLawOnUnsymmetricBlocks) {
  Random random(12);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int k = 0; k < 40000; ++k) {
    Sample s = randomSample(random, 30.0);
    const double skew = logUniform(random, 1e-6, 3e-2) * s.A.norm();
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) s.A(r, c) += skew * unit(random) / 30.0;
    }
    s.mu = std::min(s.mu, 10.0);
    Vector3d lambda;
    solveCoulombContact(s.A, s.q, s.mu, lambda);
    ASSERT_LE(lawError(s.A, s.q, s.mu, lambda), 1e-13) << s.A << "\n" << s.q.transpose() << " " << s.mu;
  }
}

// Nearly rank one, with a skew part of 1e-3: S has no definite symmetric part, one solution exists.
TEST(CoulombContact, FindsTheSolutionOfABlockThatIsNotDefinite) {
  Matrix3d A;
  A << 0.21366632811561226, 0.38088778091409908, 0.15064256548973862,  //
      0.3815573932211882, 0.67979139195369476, 0.2687128442579097,     //
      0.15038792119676467, 0.26839348427832804, 0.10615037797833746;
  const Vector3d q(-0.46073802125378333, -0.67116073368614038, 0.48253335862012897);
  Vector3d lambda;
  EXPECT_EQ(solveCoulombContact(A, q, 1.0, lambda), ContactMode::slip);
  EXPECT_LE(lawError(A, q, 1.0, lambda), 1e-13);
}

TEST(CoulombContact, SolvesExactlySingularBlocks) {  // a point on a rod: no rotation about one axis
  Random random(13);
  for (int k = 0; k < 20000; ++k) {
    Sample s = randomSample(random, 1.0);
    const Vector3d a = randomDirection(random);
    const Vector3d b = randomDirection(random);
    s.A = random() % 2 ? Matrix3d(a * a.transpose()) : Matrix3d(a * a.transpose() + b * b.transpose());
    // Where friction can jam the contact a singular block need not have a solution.
    const double jamming = s.A.block<1, 2>(0, 1).norm() / s.A(0, 0);
    s.mu = std::min(s.mu, 0.99 / jamming);
    Vector3d lambda;
    solveCoulombContact(s.A, s.q, s.mu, lambda);
    ASSERT_LE(lawError(s.A, s.q, s.mu, lambda), 1e-13)
        << s.A << "\n" << s.q.transpose() << " mu " << s.mu << " lambda " << lambda.transpose();
  }
}

// Brute force: every slip direction on a fine circle; the law holds where the part of u_t across
// the direction changes sign and friction opposes the motion.
std::vector<Vector3d> enumerateSolutions(const Matrix3d& A, const Vector3d& q, double mu) {
  std::vector<Vector3d> solutions;
  if (q[0] >= 0.0) solutions.push_back(Vector3d::Zero());
  const Vector3d stick = -A.fullPivHouseholderQr().solve(q);
  if (tangentialNorm(stick) <= mu * stick[0]) solutions.push_back(stick);
  const auto impulse = [&](double angle) -> Vector3d {
    const Vector3d e(1.0, mu * std::cos(angle), mu * std::sin(angle));
    return (-q[0] / A.row(0).dot(e)) * e;
  };
  const auto across = [&](double angle) {
    const Vector3d u = A * impulse(angle) + q;
    return -std::sin(angle) * u[1] + std::cos(angle) * u[2];
  };
  constexpr int kGrid = 20000;
  for (int k = 0; k < kGrid; ++k) {
    double lo = 2.0 * M_PI * k / kGrid;
    double hi = 2.0 * M_PI * (k + 1) / kGrid;
    if (impulse(lo)[0] <= 0.0 || impulse(hi)[0] <= 0.0) continue;
    if ((across(lo) > 0.0) == (across(hi) > 0.0)) continue;
    const bool rising = across(hi) > 0.0;
    for (int step = 0; step < 60; ++step) {
      const double mid = 0.5 * (lo + hi);
      ((across(mid) > 0.0) == rising ? hi : lo) = mid;
    }
    const Vector3d lambda = impulse(lo);
    const Vector3d u = A * lambda + q;
    if (u[1] * lambda[1] + u[2] * lambda[2] <= 0.0) solutions.push_back(lambda);
  }
  return solutions;
}

TEST(CoulombContact, AgreesWithBruteForceOverAllDirections) {
  Random random(14);
  for (int k = 0; k < 150; ++k) {
    Sample s = randomSample(random, 20.0);
    s.q /= s.q.norm();
    s.A /= s.A.norm();
    s.mu = logUniform(random, 0.05, 3.0);
    Vector3d lambda;
    solveCoulombContact(s.A, s.q, s.mu, lambda);
    double nearest = kInfinity;
    for (const Vector3d& other : enumerateSolutions(s.A, s.q, s.mu)) {
      nearest = std::min(nearest, (lambda - other).norm() / std::max(1.0, other.norm()));
    }
    ASSERT_LE(nearest, 1e-9) << s.A << "\n" << s.q.transpose() << " mu " << s.mu;
  }
}

TEST(CoulombContact, NamesTheMode) {
  const Matrix3d A = Matrix3d::Identity();
  Vector3d lambda;
  EXPECT_EQ(solveCoulombContact(A, {1.0, 5.0, 0.0}, 0.5, lambda), ContactMode::open);
  EXPECT_EQ(lambda, Vector3d::Zero());
  EXPECT_EQ(solveCoulombContact(A, {-1.0, 0.3, 0.4}, 0.5, lambda), ContactMode::stick);
  EXPECT_EQ(lambda, Vector3d(1.0, -0.3, -0.4));
  EXPECT_EQ(solveCoulombContact(A, {-1.0, 3.0, 4.0}, 0.5, lambda), ContactMode::slip);
  EXPECT_NEAR((lambda - Vector3d(1.0, -0.3, -0.4)).norm(), 0.0, 1e-15);
}

TEST(CoulombContact, InfiniteFrictionSticksOrIsOpen) {
  Matrix3d A = Matrix3d::Identity();
  Vector3d lambda;
  EXPECT_EQ(solveCoulombContact(A, {-1.0, 1e6, 0.0}, kInfinity, lambda), ContactMode::stick);
  EXPECT_EQ(lambda, Vector3d(1.0, -1e6, 0.0));
  EXPECT_EQ(solveCoulombContact(A, {0.0, 1.0, 0.0}, kInfinity, lambda), ContactMode::open);
  // Sticking would pull, opening would sink: neither is possible.
  A << 1.0, 0.9, 0.0, 0.9, 1.0, 0.0, 0.0, 0.0, 1.0;
  EXPECT_EQ(solveCoulombContact(A, {-0.1, -1.0, 0.0}, kInfinity, lambda), ContactMode::none);
}

TEST(CoulombContact, ContactWithoutNormalComplianceIsRefusedNotGuessed) {
  Vector3d lambda;
  EXPECT_EQ(solveCoulombContact(Matrix3d::Zero(), {-1.0, 0.0, 0.0}, 0.5, lambda), ContactMode::none);
  EXPECT_EQ(lambda, Vector3d::Zero());
}

// Rows of the reference table for A = 0.1 I, b = -q: the Coulomb answers, not the convex ones.
TEST(CoulombContact, MeetsTheDecoupledReferenceCases) {
  struct Case {
    Vector3d b;
    double mu;
    Vector3d lambda;
  };
  const std::vector<Case> cases = {{{1.5, -0.2, 0.0}, 0.5, {15.0, -2.0, 0.0}},
                                   {{1.5, -3.0, -4.0}, 0.3, {15.0, -2.7, -3.6}},
                                   {{1.5, -5.0, 0.0}, 0.5, {15.0, -7.5, 0.0}},
                                   {{0.001, -5.0, 0.0}, 0.5, {0.01, -0.005, 0.0}},
                                   {{0.2013, 0.2013, 0.0}, 0.5, {2.013, 1.0065, 0.0}}};
  for (const Case& c : cases) {
    Vector3d lambda;
    solveCoulombContact(0.1 * Matrix3d::Identity(), -c.b, c.mu, lambda);
    EXPECT_LE((lambda - c.lambda).norm(), 1e-14 * c.lambda.norm()) << c.b.transpose();
  }
}

TEST(CoulombContact, SaysSoWhereASingularBlockJams) {
  const Vector3d a(0.2, 1.0, 0.0);  // pushing sideways also pushes into the wall, without limit
  Vector3d lambda;
  EXPECT_EQ(solveCoulombContact(a * a.transpose(), {-1.0, 1.0, 0.0}, 1.0, lambda),
            ContactMode::none);
  EXPECT_TRUE(lambda.allFinite());
}

TEST(CoulombContact, TurningTheTangentsTurnsTheImpulse) {
  Random random(15);
  for (int k = 0; k < 2000; ++k) {
    Sample s = randomSample(random, 100.0);
    // Where friction can jam, several solutions may exist and a turn may pick another one.
    s.mu = std::min(s.mu, 0.5 * s.A(0, 0) / s.A.block<1, 2>(0, 1).norm());
    const double angle = 6.28 * k / 2000;
    Matrix3d turn = Matrix3d::Identity();
    turn.bottomRightCorner<2, 2>() << std::cos(angle), -std::sin(angle), std::sin(angle),
        std::cos(angle);
    Vector3d plain, turned;
    solveCoulombContact(s.A, s.q, s.mu, plain);
    solveCoulombContact(turn * s.A * turn.transpose(), turn * s.q, s.mu, turned);
    ASSERT_LE((turned - turn * plain).norm(), 1e-11 * (plain.norm() + 1e-300));
  }
}

}  // namespace
}  // namespace cornet
