// 40,000 poses of two boxes in each of five sets whose faces are nearly parallel, where iterative
// methods lose contacts; against all fifteen directions in extended precision.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "cornet/collision/narrow_phase.h"
#include "support/effort.h"
#include "support/random_shapes.h"

namespace cornet {
namespace {

using test::Random;
using test::randomDirection;
using test::randomRotation;
using test::uniform;
using Vector3l = Eigen::Matrix<long double, 3, 1>;
using Matrix3l = Eigen::Matrix<long double, 3, 3>;

struct Set {
  std::string name;
  Vector3d half_a, half_b;
  double tilt_low, tilt_high;  // powers of ten; 0: turned anyhow
  bool aligned = false;
};
void PrintTo(const Set& set, std::ostream* out) { *out << set.name; }

struct PlacedBoxes {
  Box a, b;
  Pose X_WA, X_WB;
};

// The largest separation over the fifteen directions, > 0 only a lower bound of the distance.
long double oracle(const PlacedBoxes& pair) {
  // Rotations made orthogonal beyond the rounding of their entries would be other poses: used as given.
  const Matrix3l A = pair.X_WA.R.cast<long double>();
  const Matrix3l B = pair.X_WB.R.cast<long double>();
  const Vector3l t = pair.X_WB.p.cast<long double>() - pair.X_WA.p.cast<long double>();
  const Vector3l ha = pair.a.half().cast<long double>();
  const Vector3l hb = pair.b.half().cast<long double>();
  long double best = -1e30L;
  const auto offer = [&](const Vector3l& direction) {
    const long double length = direction.norm();
    if (length < 1e-9L) return;
    const Vector3l n = direction / length;
    const long double reach = (A.transpose() * n).cwiseAbs().dot(ha) + (B.transpose() * n).cwiseAbs().dot(hb);
    best = std::max(best, std::abs(n.dot(t)) - reach);
  };
  for (int i = 0; i < 3; ++i) {
    offer(A.col(i));
    offer(B.col(i));
    for (int j = 0; j < 3; ++j) offer(A.col(i).cross(B.col(j)));
  }
  return best;
}

// B over a face of A, with the lowest corner at the gap; or turned anyhow and brought there.
PlacedBoxes place(const Set& set, double gap, Random& random) {
  PlacedBoxes pair{Box(set.half_a), Box(set.half_b), {}, {}};
  const bool turned = set.tilt_high == 0.0 && !set.aligned;
  Matrix3d R = Matrix3d::Identity();
  if (turned) R = randomRotation(random);
  if (!turned && !set.aligned) {
    const double tilt = std::pow(10.0, uniform(random, set.tilt_low, set.tilt_high));
    const double lean = uniform(random, 0.0, 6.3);
    R = expMap(tilt * Vector3d(std::cos(lean), std::sin(lean), 0.0)).toRotationMatrix() *
        expMap(Vector3d(0.0, 0.0, uniform(random, 0.0, 6.3))).toRotationMatrix();
  }
  const double lowest = R.row(2).cwiseAbs().dot(set.half_b);
  pair.X_WB = Pose(R, {uniform(random, -0.7, 0.7) * set.half_a.x(),
                       uniform(random, -0.7, 0.7) * set.half_a.y(), set.half_a.z() + gap + lowest});
  if (set.aligned) return pair;
  const Pose X(randomRotation(random), set.half_a.norm() * randomDirection(random));
  pair.X_WA = X;
  pair.X_WB = X * pair.X_WB;
  return pair;
}

class NearlyParallelBoxes : public testing::TestWithParam<Set> {};

INSTANTIATE_TEST_SUITE_P(
    Sets, NearlyParallelBoxes,
    testing::Values(Set{"Turned", {0.5, 0.4, 0.3}, {0.3, 0.5, 0.2}, 0.0, 0.0},
                    Set{"SmallOnUnit", {0.5, 0.5, 0.5}, {0.1, 0.08, 0.12}, -9.0, -3.0},
                    Set{"OnASlab", {2.0, 2.0, 0.02}, {0.2, 0.3, 0.2}, -9.0, -3.0},
                    Set{"Millimetres", {1e-3, 1.2e-3, 0.8e-3}, {0.7e-3, 0.5e-3, 0.6e-3}, -9.0, -3.0},
                    Set{"Aligned", {0.5, 0.4, 0.3}, {0.3, 0.5, 0.2}, 0.0, 0.0, true}),
    [](const auto& of) { return of.param.name; });

TEST_P(NearlyParallelBoxes, NoContactIsMissedAndDepthsAreExact) {
  const Set& set = GetParam();
  const double size = set.half_a.norm() + set.half_b.norm();
  Random random(43);
  NarrowPhase narrow;
  Manifold manifold;
  int missed = 0, overlapping = 0;
  double worst = 0.0, worst_gap = 0.0;
  for (int k = 0; k < test::effort(40000); ++k) {
    // Up to a millimetre; small boxes up to a tenth of their size.
    const double magnitude = std::min(std::pow(10.0, uniform(random, -7.0, -3.0)), 0.1 * size);
    const PlacedBoxes pair = place(set, k % 2 == 0 ? magnitude : -magnitude, random);
    const auto exact = static_cast<double>(oracle(pair));
    narrow.collide(pair.a, pair.X_WA, pair.b, pair.X_WB, {exact < 0.0 ? 0.0 : 0.2 * size, 8}, manifold);
    missed += manifold.empty();
    if (manifold.empty()) continue;
    const double found = std::ranges::min(manifold, {}, &ManifoldPoint::gap).gap;
    overlapping += exact < 0.0;
    // Apart, the distance may exceed every separation; it is proved in narrow_phase_test.cc.
    double& error = exact < 0.0 ? worst : worst_gap;
    error = std::max(error, exact < 0.0 ? std::abs(found - exact) : exact - found);
  }
  EXPECT_EQ(missed, 0);
  EXPECT_LT(worst, 1e-12 * size);
  EXPECT_LT(worst_gap, 1e-12 * size);
  EXPECT_GT(overlapping, test::effort(10000));
}

}  // namespace
}  // namespace cornet
