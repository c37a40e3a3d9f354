// Cost, gradient, Hessian and derivatives along lines of all pools, against automatic differentiation.
#include <gtest/gtest.h>

#include "icf_oracle.h"
#include "random_icf.h"

namespace cornet {
namespace {

using test::IcfOracle;
using test::RandomIcf;

// The whole model as one island.
struct Evaluation {
  explicit Evaluation(const IcfModel& problem) : model(problem) {
    items = all.reset(model);
    data.reset(model);
    listCoupledTrees(model, items, pairs);
    place.assign(items.trees.begin(), items.trees.end());
    H.reset(model.trees, items.trees, place, pairs, plans);
  }
  double cost(const VectorXd& v) {
    data.v() = v;
    return calcGradient(model, items, data);
  }
  MatrixXd hessian() {
    calcHessian(model, items, data, H);
    return H.makeDense();
  }

  const IcfModel& model;
  AllItems all;
  IcfItems items;
  IcfData data;
  std::vector<std::pair<int, int>> pairs;
  std::vector<int> place;
  LduPlanCache plans;
  IcfHessian H;
};

constexpr IcfFriction kLaws[] = {IcfFriction::lagged, IcfFriction::similar, IcfFriction::sap};

IcfContactOptions optionsOf(IcfFriction friction) {
  IcfContactOptions options;
  options.friction = friction;
  options.stiction_speed = 1e-2;
  return options;
}

TEST(IcfPools, GradientAndHessianAreTheDerivativesOfTheCost) {
  for (const IcfFriction friction : kLaws) {
    RandomIcf random(1);
    double worst_gradient = 0.0, worst_hessian = 0.0;
    int stuck = 0, sliding = 0, apart = 0, constant = 0, undamped = 0;
    for (int k = 0; k < 150; ++k) {
      const IcfModel model = random.model(optionsOf(friction), {});
      const IcfOracle oracle(model);
      Evaluation evaluation(model);
      // Near rest, where contacts stick, and away from it.
      const VectorXd v = k % 3 == 0 ? VectorXd(1e-3 * random.vector(oracle.v0.size()))
                                    : VectorXd(oracle.v0 + 0.3 * random.vector(oracle.v0.size()));
      evaluation.cost(v);
      for (int c = 0; c < model.patches.contactCount(); ++c) {
        const IcfContact& contact = model.patches.contact(c);
        const Vector3d gamma = model.patches.impulse(evaluation.data.patches, c);
        const Vector3d u = model.patches.velocity(evaluation.data.patches, c);
        const double slip = (u - u.dot(contact.normal) * contact.normal).norm();
        apart += gamma.isZero();
        stuck += !gamma.isZero() && slip < 1e-2;
        sliding += !gamma.isZero() && slip > 0.1;
        constant += !gamma.isZero() && contact.stiffness == 0.0;
        undamped += !gamma.isZero() && contact.dissipation == 0.0;
      }
      const VectorXd g = oracle.gradient(v);
      const MatrixXd H = oracle.hessian(v);
      // A gradient is a difference of large terms: its error is that of H v.
      const double size = g.norm() + H.cwiseAbs().rowwise().sum().norm() * v.norm();
      worst_gradient = std::max(worst_gradient, (evaluation.data.gradient - g).norm() / size);
      worst_hessian = std::max(worst_hessian, (evaluation.hessian() - H).norm() / H.norm());
    }
    EXPECT_LT(worst_gradient, 100.0 * kEpsilon) << static_cast<int>(friction);
    EXPECT_LT(worst_hessian, 12.0 * kEpsilon) << static_cast<int>(friction);
    for (const int seen : {stuck, sliding, apart, undamped}) EXPECT_GT(seen, 10);
    EXPECT_TRUE(friction == IcfFriction::sap || constant > 10);
  }
}

TEST(IcfPools, GradientAgreesWithFiniteDifferences) {
  for (const IcfFriction friction : kLaws) {
    RandomIcf random(2);
    for (int k = 0; k < 30; ++k) {
      const IcfModel model = random.model(optionsOf(friction), {});
      Evaluation evaluation(model);
      const VectorXd v = evaluation.data.v() + 0.3 * random.vector(evaluation.data.v().size());
      const VectorXd w = random.vector(v.size());
      constexpr double kStep = 1e-6;
      const double ahead = evaluation.cost(v + kStep * w);
      const VectorXd g_ahead = evaluation.data.gradient;
      const double behind = evaluation.cost(v - kStep * w);
      const VectorXd g_behind = evaluation.data.gradient;
      const double cost = evaluation.cost(v);
      const double slope = evaluation.data.gradient.dot(w);
      const VectorXd Hw = evaluation.hessian() * w;
      EXPECT_NEAR((ahead - behind) / (2.0 * kStep), slope, 1e-5 * (std::abs(slope) + std::abs(cost) + Hw.norm()));
      EXPECT_LT(((g_ahead - g_behind) / (2.0 * kStep) - Hw).norm(), 1e-3 * Hw.norm() + 1e-6 * evaluation.data.gradient.norm());
    }
  }
}

TEST(IcfPools, DerivativesAlongALineAreThoseOfTheCost) {
  for (const IcfFriction friction : kLaws) {
    RandomIcf random(3);
    for (int k = 0; k < 100; ++k) {
      const IcfModel model = random.model(optionsOf(friction), {});
      const IcfOracle oracle(model);
      Evaluation evaluation(model);
      const VectorXd v = oracle.v0 + 0.3 * random.vector(oracle.v0.size());
      const double cost = evaluation.cost(v);
      IcfMotion w;
      w.v = random.vector(v.size());
      w.twists.resize(model.bodies.count());
      calcTwists(model, evaluation.items.bodies, w);
      const LineQuadratic quadratic = startLine(model, evaluation.items, cost, w, evaluation.data);
      const double start = oracle.cost(v);
      for (const double alpha : {-0.45, 0.0, 0.15, 0.34, 0.93, 1.32}) {
        const LineTerms terms = calcAlong(model, evaluation.items, evaluation.data, quadratic, alpha);
        const VectorXd at = v + alpha * w.v;
        const auto expected = oracle.second(at, w.v, w.v);
        const double size = oracle.hessian(at).cwiseAbs().sum() * (v.squaredNorm() + w.v.squaredNorm());
        EXPECT_NEAR(terms.cost - cost, expected.f - start, 1e-13 * (size + std::abs(cost) + std::abs(start)));
        EXPECT_NEAR(terms.slope, expected.a, 1e-13 * size);
        EXPECT_NEAR(terms.curvature, expected.ab, 1e-12 * size);
      }
    }
  }
}

TEST(IcfPools, AnotherTimeStepIsTheSameAsAnotherModel) {
  RandomIcf random(4);
  for (int k = 0; k < 20; ++k) {
    IcfModel model = random.model(optionsOf(IcfFriction::lagged), {});
    IcfModel rebuilt = model;
    model.setTimeStep(0.37 * rebuilt.h());
    rebuilt.prepare(model.h());
    Evaluation a(model), b(rebuilt);
    const VectorXd v = random.vector(a.data.v().size());
    EXPECT_EQ(a.cost(v), b.cost(v));
    EXPECT_EQ(a.data.gradient, b.data.gradient);
    EXPECT_EQ(a.hessian(), b.hessian());
  }
}

// Trees of six velocities each, and one tree that has them all.
TEST(IcfPools, TreesAreAsOneTree) {
  RandomIcf random(5);
  const double masses[] = {0.3, 2.3, 1.5};
  IcfModel apart, together;
  MatrixXd M = MatrixXd::Zero(18, 18);
  const VectorXd v0 = random.vector(18), k0 = random.vector(18);
  std::vector<MatrixXd> J;
  for (int t = 0; t < 3; ++t) {
    M.block(6 * t, 6 * t, 6, 6) = random.freeMass(masses[t]);
    apart.trees.add(M.block(6 * t, 6 * t, 6, 6), v0.segment(6 * t, 6), k0.segment(6 * t, 6));
    J.push_back(t == 1 ? MatrixXd(MatrixXd::Identity(6, 6)) : MatrixXd(MatrixXd::NullaryExpr(6, 6, [&] { return random.normal(); })));
  }
  together.trees.add(M, v0, k0);
  for (int t = 0; t < 3; ++t) {
    const Vector3d p = random.vector(3);
    if (t == 1) apart.bodies.addFree(t, p); else apart.bodies.add(t, p, J[t]);
    Matrix6Xd wide = Matrix6Xd::Zero(6, 18);
    wide.middleCols(6 * t, 6) = J[t];
    together.bodies.add(0, p, wide);
  }
  for (IcfModel* model : {&apart, &together}) model->bodies.addAnchored(Vector3d::Zero());
  for (const auto& [A, B] : {std::pair{0, 1}, std::pair{1, 2}, std::pair{3, 0}, std::pair{2, 0}}) {
    IcfContact contact = makePointContact(A, B, random.vector(3), random.direction(), 1e-3, 1e4);
    contact.mu_static = contact.mu_dynamic = 0.5;
    for (IcfModel* model : {&apart, &together}) model->patches.add(contact);
  }
  for (IcfModel* model : {&apart, &together}) model->prepare(0.01);
  Evaluation a(apart), b(together);
  const VectorXd v = random.vector(18);
  EXPECT_NEAR(a.cost(v), b.cost(v), 1e-14 * std::abs(a.cost(v)) + 1e-13);
  EXPECT_LT((a.data.gradient - b.data.gradient).norm(), 1e-14 * a.data.gradient.norm());
  EXPECT_LT((a.hessian() - b.hessian()).norm(), 1e-14 * a.hessian().norm());
}

TEST(IcfPools, ContactsOfTwoBodiesAreOnePatchWhicheverComesFirst) {
  RandomIcf random(6);
  IcfModel model;
  for (int t = 0; t < 2; ++t) {
    model.trees.add(random.freeMass(1.0), random.vector(6), random.vector(6));
    model.bodies.addFree(t, random.vector(3));
  }
  IcfContact contact = makePointContact(0, 1, random.vector(3), random.direction(), 1e-3, 1e4);
  contact.mu_static = contact.mu_dynamic = 0.5;
  contact.surface_velocity = random.vector(3);
  model.patches.add(contact);
  IcfModel turned = model;
  turned.patches.clear();
  std::swap(contact.A, contact.B);
  contact.normal = -contact.normal;
  contact.surface_velocity = -contact.surface_velocity;
  turned.patches.add(contact);
  model.prepare(0.01);
  turned.prepare(0.01);
  Evaluation a(model), b(turned);
  const VectorXd v = random.vector(12);
  EXPECT_EQ(a.cost(v), b.cost(v));
  EXPECT_EQ(a.data.gradient, b.data.gradient);
  EXPECT_EQ(model.patches.impulse(a.data.patches, 0), -turned.patches.impulse(b.data.patches, 0));
  // Points in any order: still one patch.
  contact.normal = random.direction();
  model.patches.add(contact);
  model.prepare(0.01);
  EXPECT_EQ(model.patches.count(), 1);
  EXPECT_EQ(model.patches.end(0), 2);
}

}  // namespace
}  // namespace cornet
