// What every kind of tree has to get right: Jacobians, M and c against differences of its motion; drifts that keep what they should.
#include <gtest/gtest.h>

#include <random>

#include <Eigen/Cholesky>

#include "cornet/body/free_body.h"
#include "support/joint_tree.h"

namespace cornet {
namespace {

struct Kind {
  std::string name;
  std::shared_ptr<const Tree> tree;
};

std::vector<Kind> makeKinds() {
  return {{"free_body", std::make_shared<FreeBody>(MassProperties::solidBox(2.0, {1.0, 0.6, 0.3}))},
          {"double_pendulum", std::make_shared<test::JointTree>(test::makeDoublePendulum({0, 0, 2}, 0.5, 1.0, -1.0, 1.0))},
          {"two_links", std::make_shared<test::JointTree>(test::makeTwoLinks())}};
}

class TreeKinds : public testing::TestWithParam<Kind> {
 protected:
  const Tree& tree() const { return *GetParam().tree; }
  // A pose and a velocity of no particular kind.
  void draw() {
    q.setZero(tree().positionCount());
    if (tree().floats()) q[3] = 1.0;
    v.resize(tree().velocityCount());
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (double& x : v) x = number(random);
    tree().advance(v, 1.0, q);
    for (double& x : v) x = 3.0 * number(random);
  }
  double kineticAt(const VectorXd& at_q, const VectorXd& at_v) {
    tree().evaluate(at_q, TreeLevel::dynamics, *cache);
    return 0.5 * at_v.dot(cache->M * at_v);
  }

  std::mt19937 random{5};
  std::unique_ptr<TreeCache> cache = GetParam().tree->makeCache();
  VectorXd q, v;
};

TEST_P(TreeKinds, LinksMoveAsTheirJacobiansSay) {
  for (int round = 0; round < 10; ++round) {
    draw();
    constexpr double t = 1e-6;
    for (int k = 0; k < tree().linkCount(); ++k) {
      const auto poseAt = [&](double time) {
        VectorXd at = q;
        tree().advance(v, time, at);
        tree().evaluate(at, TreeLevel::poses, *cache);
        return cache->links[static_cast<std::size_t>(k)];
      };
      const LinkPose before = poseAt(-t), after = poseAt(t);
      tree().evaluate(q, TreeLevel::poses, *cache);
      const InertialState link = tree().calcLinkState(*cache, v, k);
      EXPECT_LT(((after.position - before.position) / (2.0 * t) - link.velocity).norm(), 1e-8);
      EXPECT_LT((logMap(after.orientation * before.orientation.conjugate()) / (2.0 * t) - link.omega).norm(), 1e-8);
    }
  }
}

TEST_P(TreeKinds, MassIsThatOfTheLinks) {
  draw();
  const double kinetic = kineticAt(q, v);
  double sum = 0.0;
  for (int k = 0; k < tree().linkCount(); ++k) {
    const InertialState link = tree().calcLinkState(*cache, v, k);
    const Matrix3d R = link.orientation.toRotationMatrix();
    sum += 0.5 * tree().mass(k).mass * link.velocity.squaredNorm() +
           0.5 * link.omega.dot(R * tree().mass(k).inertia * R.transpose() * link.omega);
  }
  EXPECT_NEAR(kinetic, sum, 1e-13 * sum);
}

// Without forces M v̇ = -c keeps the kinetic energy: d/dt T = 0 along the motion.
TEST_P(TreeKinds, CoriolisForcesDoNoWork) {
  for (int round = 0; round < 10; ++round) {
    draw();
    tree().evaluate(q, TreeLevel::dynamics, *cache);
    VectorXd c(v.size());
    tree().calcCoriolis(v, *cache, c);
    const VectorXd a = -cache->M.ldlt().solve(c);
    constexpr double t = 1e-5;
    const auto kineticAfter = [&](double time) {
      VectorXd at = q;
      tree().advance(v + 0.5 * time * a, time, at);
      return kineticAt(at, v + time * a);
    };
    EXPECT_NEAR((kineticAfter(t) - kineticAfter(-t)) / (2.0 * t), 0.0, 1e-7);
  }
}

// Drifts to a kick and from it are each the other one backwards, but for the turn that keeps L, of third order.
TEST_P(TreeKinds, DriftsAreReversible) {
  draw();
  const VectorXd q_start = q, v_start = v;
  const auto missAfter = [&](double t) {
    q = q_start;
    v = v_start;
    tree().evaluate(q, TreeLevel::dynamics, *cache);
    tree().driftToKick(t, *cache, q, v);
    tree().driftFromKick(-t, *cache, q, v);
    return (q - q_start).norm() + (v - v_start).norm();
  };
  EXPECT_LT(missAfter(1e-3), tree().floats() ? 1e-6 : 1e-12);
}

class FloatingKinds : public TreeKinds {};

TEST_P(FloatingKinds, KeepTheirMomenta) {
  draw();
  tree().evaluate(q, TreeLevel::dynamics, *cache);
  const TreeMomentum before = calcMomentum(tree(), *cache, v);
  const double kinetic = kineticAt(q, v);
  constexpr double h = 2e-3;
  for (int k = 0; k < 500; ++k) {
    tree().driftToKick(0.5 * h, *cache, q, v);
    tree().driftFromKick(0.5 * h, *cache, q, v);
  }
  const TreeMomentum after = calcMomentum(tree(), *cache, v);
  EXPECT_LT((after.linear - before.linear).norm(), 1e-11 * before.linear.norm());
  EXPECT_LT((after.angular - before.angular).norm(), 1e-11 * before.angular.norm());
  EXPECT_LT((after.centre - before.centre - 1.0 * before.linear / before.mass).norm(), 1e-10);
  EXPECT_NEAR(kineticAt(q, v), kinetic, 1e-4 * kinetic);
}

std::vector<Kind> makeFloatingKinds() {
  std::vector<Kind> kinds = makeKinds();
  std::erase_if(kinds, [](const Kind& kind) { return !kind.tree->floats(); });
  return kinds;
}

const auto nameOf = [](const auto& kind) { return kind.param.name; };
INSTANTIATE_TEST_SUITE_P(All, TreeKinds, testing::ValuesIn(makeKinds()), nameOf);
INSTANTIATE_TEST_SUITE_P(All, FloatingKinds, testing::ValuesIn(makeFloatingKinds()), nameOf);

}  // namespace
}  // namespace cornet
