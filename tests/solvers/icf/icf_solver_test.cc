// The solver against dense oracles and closed forms.
#include <thread>

#include <gtest/gtest.h>

#include "cornet/solvers/icf/icf_solver.h"
#include "icf_oracle.h"
#include "random_icf.h"

namespace cornet {
namespace {

using test::IcfOracle;
using test::RandomIcf;

IcfContactOptions lawOf(IcfFriction friction) {
  IcfContactOptions options;
  options.friction = friction;
  return options;
}
constexpr IcfFriction kAllLaws[] = {IcfFriction::lagged, IcfFriction::similar, IcfFriction::sap};

// Newton's method with dense matrices of the oracle and halved steps.
VectorXd solveDensely(const IcfOracle& oracle, VectorXd v) {
  for (int k = 0; k < 300; ++k) {
    const VectorXd g = oracle.gradient(v);
    if (oracle.D.cwiseProduct(g).norm() <= 1e-12 * oracle.D.cwiseProduct(oracle.r).norm()) break;
    const VectorXd w = -oracle.hessian(v).ldlt().solve(g);
    double alpha = 1.0;
    while (alpha > 1e-6 && oracle.gradient(v + alpha * w).dot(w) > 0.1 * std::abs(g.dot(w))) alpha *= 0.5;
    v += alpha * w;
  }
  return v;
}

TEST(IcfSolver, AgreesWithADenseOracle) {
  for (const IcfFriction friction : kAllLaws) {
    RandomIcf random(11);
    for (int k = 0; k < 60; ++k) {
      const IcfModel model = random.model(lawOf(friction), {});
      const IcfOracle oracle(model);
      IcfSolver solver;
      IcfData data;
      data.reset(model);
      ASSERT_EQ(solver.solve(model, data), SolveStatus::solved);
      const VectorXd expected = solveDensely(oracle, oracle.v0);
      // Strong convexity: ‖v - v*‖ in the norm of A is at most that of g in the norm of its inverse.
      const auto energy = [&](const VectorXd& e) { return std::sqrt(e.dot(oracle.A * e)); };
      IcfCertifier certifier;
      const double bound = certifier.judge(model, data.v(), 1e-8).error + certifier.judge(model, expected, 1e-8).error;
      EXPECT_LE(energy(data.v() - expected), bound + 1e-12 * energy(expected));
      EXPECT_LT(bound, 1e-6 * energy(expected) + 1e-9);
      // The certifier's gradient is that of automatic differentiation.
      certifier.judge(model, oracle.v0, 1e-8);
      const VectorXd g = oracle.gradient(oracle.v0);
      EXPECT_LT((certifier.gradient() - g).norm(), 1e-12 * (g.norm() + (oracle.hessian(oracle.v0).cwiseAbs() * oracle.v0.cwiseAbs()).norm()));
    }
  }
}

TEST(IcfSolver, FreeMotionTakesOneIterationAndIsExact) {
  RandomIcf random(12);
  for (int k = 0; k < 20; ++k) {
    test::RandomIcfRanges ranges;
    ranges.max_contacts = ranges.max_joints = ranges.max_scalars = 0;
    const IcfModel model = random.model({}, ranges);
    const IcfOracle oracle(model);
    IcfSolver solver;
    IcfData data;
    data.reset(model);
    EXPECT_EQ(solver.solve(model, data), SolveStatus::solved);
    EXPECT_EQ(solver.report().iterations, 1);
    EXPECT_EQ(solver.report().line_trials, solver.report().islands);
    EXPECT_LT((data.v() - oracle.A.ldlt().solve(oracle.r)).norm(), 1e-12 * data.v().norm());
  }
}

TEST(IcfSolver, OneIterationSolvesAQuadratic) {
  RandomIcf random(13);
  IcfModel model;
  model.bodies.addAnchored(Vector3d::Zero());
  for (int t = 0; t < 3; ++t) {
    model.trees.add(random.freeMass(1.0), random.vector(6), 10.0 * random.vector(6));
    model.bodies.addFree(t, random.vector(3));
    model.holonomics.add(makeWeld({t, random.pose()}, {t + 1, random.pose()}));
  }
  const int row = model.rows.addVelocity(model.trees, 0, 1);
  model.couplers.add(model.rows.addSum(model.trees, row, 1.0, model.rows.addVelocity(model.trees, 2, 4), -0.5), {0.1, {}});
  model.gains.add(row, {3.0, 20.0, kInfinity, 0.0});
  model.prepare(0.01);
  IcfOptions options;
  options.max_iterations = 1;
  IcfSolver solver(options);
  IcfData data;
  data.reset(model);
  EXPECT_EQ(solver.solve(model, data), SolveStatus::solved);
  EXPECT_EQ(solver.report().iterations, 1);
}

TEST(IcfSolver, SolvingAgainTakesNoIteration) {
  for (const IcfFriction friction : kAllLaws) {
    RandomIcf random(14);
    for (int k = 0; k < 60; ++k) {
      const IcfModel model = random.model(lawOf(friction), {});
      IcfSolver solver;
      IcfData data;
      data.reset(model);
      ASSERT_EQ(solver.solve(model, data), SolveStatus::solved);
      const VectorXd v = data.v();
      EXPECT_EQ(solver.solve(model, data), SolveStatus::solved);
      EXPECT_EQ(solver.report().iterations, 0);
      EXPECT_EQ(solver.report().factorizations, 0);
      EXPECT_EQ(data.v(), v);
    }
  }
}

// A stiff contact with friction on a heap of bodies.
IcfModel makeHeap(int bodies, double k, double d) {
  RandomIcf random(15);
  IcfModel model;
  model.bodies.addAnchored(Vector3d::Zero());
  for (int t = 0; t < bodies; ++t) {
    const MatrixXd M = random.freeMass(1.0);
    const VectorXd v0 = 0.3 * random.vector(6) - VectorXd::Unit(6, 2);
    model.trees.add(M, v0, M * (VectorXd(6) << 0.0, 0.0, 9.81, 0.0, 0.0, 0.0).finished());
    model.bodies.addFree(t, Vector3d(0.0, 0.0, 1.0 + t));
    for (int c = 0; c < 4; ++c) {
      IcfContact contact = makePointContact(t, t + 1, {0.3 * (c % 2), 0.3 * (c / 2), 0.5 + t}, Vector3d::UnitZ(), 1e-5, k);
      contact.dissipation = d;
      contact.mu_static = contact.mu_dynamic = 0.5;
      model.patches.add(contact);
    }
  }
  model.prepare(0.01);
  return model;
}

TEST(IcfSolver, CostAndResidualFallInAStiffContact) {
  const IcfModel model = makeHeap(1, 1e8, 12.1);
  IcfCertifier certifier;
  double last_cost = kInfinity;
  int needed = 0;
  IcfData data;
  data.reset(model);
  for (; needed < 100; ++needed) {
    IcfOptions options;
    options.max_iterations = 1;
    IcfSolver solver(options);
    const bool solved = solver.solve(model, data) == SolveStatus::solved;
    if (solver.report().iterations == 0) break;
    EXPECT_LE(solver.report().cost, last_cost + 1e-14 * std::abs(last_cost));
    last_cost = solver.report().cost;
    if (solved) break;
  }
  EXPECT_GE(needed, 4);
  EXPECT_LT(needed, 40);
  EXPECT_TRUE(certifier.judge(model, data.v(), 1e-8).meets(1e-8));
}

TEST(IcfSolver, SaysWhenIterationsRunOut) {
  const IcfModel model = makeHeap(1, 1e8, 12.1);
  IcfOptions options;
  options.max_iterations = 2;
  IcfSolver solver(options);
  IcfData data;
  data.reset(model);
  EXPECT_EQ(solver.solve(model, data), SolveStatus::max_iterations);
  EXPECT_FALSE(solver.report().certificate.meets(1e-8));
  // What is returned is no worse than the guess.
  IcfData guess;
  guess.reset(model);
  IcfCertifier certifier;
  EXPECT_LE(certifier.judge(model, data.v(), 1e-8).residual, certifier.judge(model, guess.v(), 1e-8).residual);
}

TEST(IcfSolver, LooserTolerancesTakeFewerIterations) {
  const IcfModel model = makeHeap(3, 1e7, 10.0);
  int last = 1000;
  for (const double tolerance : {1e-10, 1e-6, 1e-2}) {
    IcfOptions options;
    options.tolerance = tolerance;
    IcfSolver solver(options);
    IcfData data;
    data.reset(model);
    EXPECT_EQ(solver.solve(model, data), SolveStatus::solved);
    EXPECT_LE(solver.report().iterations, last);
    last = solver.report().iterations;
  }
}

TEST(IcfSolver, ConvergesForOtherStepLengths) {
  const IcfModel model = makeHeap(3, 1e7, 10.0);
  for (const double length : {0.5, 1.0, 1.5}) {
    IcfOptions options;
    options.max_length = length;
    IcfSolver solver(options);
    IcfData data;
    data.reset(model);
    EXPECT_EQ(solver.solve(model, data), SolveStatus::solved) << length;
  }
}

TEST(IcfSolver, KeptFactorsGiveTheSameAnswer) {
  const IcfModel model = makeHeap(4, 1e6, 10.0);
  IcfOptions options;
  IcfSolver plain(options);
  IcfData expected, data;
  expected.reset(model);
  plain.solve(model, expected);
  options.reuse_hessian = true;
  IcfSolver keeping(options);
  data.reset(model);
  EXPECT_EQ(keeping.solve(model, data), SolveStatus::solved);
  EXPECT_LE(keeping.report().factorizations, keeping.report().iterations);
  EXPECT_LT((data.v() - expected.v()).norm(), 1e-6 * expected.v().norm());
  // Near the solution one factor is enough for several steps.
  data.v() += 1e-6 * VectorXd::Ones(data.v().size());
  EXPECT_EQ(keeping.solve(model, data), SolveStatus::solved);
  EXPECT_LT(keeping.report().factorizations, keeping.report().iterations);
}

TEST(IcfSolver, IslandsAreSolvedAsIfAlone) {
  RandomIcf random(16);
  for (int k = 0; k < 20; ++k) {
    // Two heaps that do not touch, in one model and apart.
    IcfModel both, one[2];
    for (IcfModel* model : {&both, &one[0], &one[1]}) model->bodies.addAnchored(Vector3d::Zero());
    for (int heap = 0; heap < 2; ++heap) {
      const MatrixXd M = random.freeMass(1.0);
      const VectorXd v0 = random.vector(6), k0 = 10.0 * random.vector(6);
      const Vector3d p = random.vector(3);
      IcfContact contact = makePointContact(0, 1, random.vector(3), random.direction(), 1e-3, 1e5);
      contact.mu_static = contact.mu_dynamic = 0.5;
      for (IcfModel* model : {&both, &one[heap]}) {
        const int t = model->trees.add(M, v0, k0);
        contact.B = model->bodies.addFree(t, p);
        model->patches.add(contact);
      }
    }
    VectorXd v[3];
    for (int m = 0; m < 3; ++m) {
      IcfModel& model = m == 0 ? both : one[m - 1];
      model.prepare(0.01);
      IcfSolver solver;
      IcfData data;
      data.reset(model);
      EXPECT_EQ(solver.solve(model, data), SolveStatus::solved);
      EXPECT_EQ(solver.report().islands, m == 0 ? 2 : 1);
      v[m] = data.v();
    }
    EXPECT_EQ(v[0].head(6), v[1]);
    EXPECT_EQ(v[0].tail(6), v[2]);
  }
}

TEST(IcfSolver, GivesTheSameBitsForAnyNumberOfThreads) {
  RandomIcf random(17);
  for (int k = 0; k < 10; ++k) {
    test::RandomIcfRanges ranges;
    ranges.max_trees = 12;
    ranges.max_joints = 3;
    const IcfModel model = random.model({}, ranges);
    VectorXd expected;
    for (const int threads : {1, 2, 3}) {
      IcfSolver solver;
      if (threads > 1) {
        solver.setLoop([threads](int count, const std::function<void(int)>& body) {
          std::vector<std::thread> crew;
          for (int n = 0; n < threads; ++n) {
            crew.emplace_back([&, n] { for (int i = count - 1 - n; i >= 0; i -= threads) body(i); });
          }
          for (std::thread& thread : crew) thread.join();
        });
      }
      IcfData data;
      data.reset(model);
      EXPECT_EQ(solver.solve(model, data), SolveStatus::solved);
      if (threads == 1) expected = data.v();
      EXPECT_EQ(data.v(), expected);
    }
  }
}

TEST(IcfSolver, GivesTheSameBitsWhateverItSolvedBefore) {
  RandomIcf random(18);
  IcfSolver used;
  for (int k = 0; k < 30; ++k) {
    const IcfModel model = random.model({}, {});
    IcfSolver fresh;
    IcfData a, b;
    a.reset(model);
    b.reset(model);
    used.solve(model, a);
    fresh.solve(model, b);
    EXPECT_EQ(a.v(), b.v());
  }
}

// The same physics in other units: kilograms and metres a million times smaller.
TEST(IcfSolver, IsFreeOfScales) {
  const IcfModel model = makeHeap(2, 1e5, 1.0);
  IcfSolver solver;
  IcfData data;
  data.reset(model);
  EXPECT_EQ(solver.solve(model, data), SolveStatus::solved);
  IcfModel small;
  small.bodies.addAnchored(Vector3d::Zero());
  // A power of two keeps every rounding.
  const double mass = std::ldexp(1.0, -40);
  for (int t = 0; t < model.trees.count(); ++t) {
    small.trees.add(mass * model.trees.mass(t), model.trees.v0(t), mass * model.trees.k0(t));
    small.bodies.addFree(t, model.bodies.origin(t + 1));
  }
  for (int c = 0; c < model.patches.contactCount(); ++c) {
    IcfContact contact = model.patches.contact(c);
    contact.stiffness *= mass;
    contact.elastic_force *= mass;
    small.patches.add(contact);
  }
  small.prepare(0.01);
  IcfSolver other;
  IcfData tiny;
  tiny.reset(small);
  EXPECT_EQ(other.solve(small, tiny), SolveStatus::solved);
  EXPECT_LT((tiny.v() - data.v()).norm(), 1e-7 * data.v().norm());
  EXPECT_EQ(other.report().iterations, solver.report().iterations);
}

TEST(IcfCertifier, RefusesVelocitiesThatAreSlightlyWrong) {
  for (const IcfFriction friction : kAllLaws) {
    RandomIcf random(20);
    for (int k = 0; k < 60; ++k) {
      const IcfModel model = random.model(lawOf(friction), {});
      IcfSolver solver;
      IcfData data;
      data.reset(model);
      ASSERT_EQ(solver.solve(model, data), SolveStatus::solved);
      IcfCertifier certifier;
      EXPECT_TRUE(certifier.judge(model, data.v(), 1e-8).meets(1e-8));
      for (const double part : {1e-6, 1e-3, 1.0}) {
        VectorXd wrong = data.v();
        for (double& v : wrong) v += part * (std::abs(v) + 1e-3) * (random.coin() ? 1.0 : -1.0);
        EXPECT_FALSE(certifier.judge(model, wrong, 1e-8).meets(1e-8)) << part;
      }
      VectorXd nan = data.v();
      nan(0) = std::numeric_limits<double>::quiet_NaN();
      EXPECT_FALSE(certifier.judge(model, nan, 1e-8).meets(1e-8));
    }
  }
}

TEST(IcfSolver, StiffSimilarFrictionIsFollowedThroughSofterContacts) {
  // A softened contact ends at the same velocity, and its impulse is a fixed part.
  ContactLaw law;
  law.h = 0.01;
  law.stiffness = 1e7;
  law.elastic_force = 1e3;
  law.dissipation = 3.0;
  const ContactLaw soft = soften(law, 2.0, 10.0);
  EXPECT_NEAR(relativeStiffness(soft, 2.0), 10.0, 1e-12);
  const double part = soft.stiffness / law.stiffness;
  for (const double v : {-1.0, 0.0, 0.009, 0.011}) EXPECT_NEAR(calcNormal(soft, v).impulse, part * calcNormal(law, v).impulse, 1e-13);
  RandomIcf random(21);
  test::RandomIcfRanges ranges;
  ranges.speed = 10.0;
  ranges.stiffness_high = 9.0;
  ranges.h_high = -1.0;
  int stages = 0;
  for (int k = 0; k < 400; ++k) {
    const IcfModel model = random.model(lawOf(IcfFriction::similar), ranges);
    IcfSolver solver;
    IcfData data;
    data.reset(model);
    EXPECT_EQ(solver.solve(model, data), SolveStatus::solved);
    stages += solver.report().stages;
  }
  EXPECT_GT(stages, 0);
}

TEST(IcfSolver, AModelWithoutTreesIsSolved) {
  IcfModel model;
  model.bodies.addAnchored(Vector3d::Zero());
  model.prepare(0.01);
  IcfSolver solver;
  IcfData data;
  data.reset(model);
  EXPECT_EQ(solver.solve(model, data), SolveStatus::solved);
  EXPECT_EQ(solver.report().islands, 0);
}

TEST(IcfSolver, RestOfABodyWithoutMomentumIsSolvedToo) {
  // v0 = 0 and no forces but the contact's: ‖D r‖ = 0, the floor of rounding decides.
  IcfModel model;
  model.bodies.addAnchored(Vector3d::Zero());
  model.trees.add(MatrixXd::Identity(6, 6), VectorXd::Zero(6), VectorXd::Zero(6));
  model.bodies.addFree(0, Vector3d::UnitZ());
  IcfContact contact = makePointContact(0, 1, {0.1, 0.0, 0.5}, Vector3d::UnitZ(), 1e-3, 1e4);
  contact.mu_static = contact.mu_dynamic = 0.5;
  model.patches.add(contact);
  model.prepare(0.01);
  IcfSolver solver;
  IcfData data;
  data.reset(model);
  EXPECT_EQ(solver.solve(model, data), SolveStatus::solved);
  EXPECT_GT(data.v()(2), 0.0);
  EXPECT_EQ(solver.report().certificate.scale, 0.0);
}

TEST(IcfSolver, GuessesFarAwayConverge) {
  const IcfModel model = makeHeap(2, 1e6, 5.0);
  IcfSolver solver;
  IcfData near, far;
  near.reset(model);
  solver.solve(model, near);
  RandomIcf random(19);
  for (const double size : {1.0, 1e3, 1e6, 1e300}) {
    far.reset(model);
    far.v() = size * random.vector(far.v().size());
    EXPECT_EQ(solver.solve(model, far), SolveStatus::solved) << size;
    EXPECT_LT((near.v() - far.v()).norm(), 1e-6 * near.v().norm());
  }
}

TEST(IcfSolver, RefusesWhatMakesNoProblem) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const MatrixXd I = MatrixXd::Identity(6, 6);
  const VectorXd o = VectorXd::Zero(6);
  IcfModel model;
  EXPECT_THROW(model.trees.add(I, VectorXd::Zero(5), o), std::invalid_argument);
  EXPECT_THROW(model.trees.add(nan * I, o, o), std::invalid_argument);
  EXPECT_THROW(model.trees.add(I, o, o, -VectorXd::Ones(6)), std::invalid_argument);
  model.trees.add(I, o, o);
  const int body = model.bodies.addFree(0, Vector3d::Zero());
  const int ground = model.bodies.addAnchored(Vector3d::Zero());
  for (const double h : {0.0, -1.0, nan, kInfinity}) EXPECT_THROW(model.prepare(h), std::invalid_argument);
  EXPECT_THROW(model.rows.addVelocity(model.trees, 0, 6), std::invalid_argument);
  EXPECT_THROW(model.limits.add(0, {nan, 0.0, 1.0, {}}), std::invalid_argument);
  EXPECT_THROW(model.limits.add(0, {0.0, 1.0, 0.0, {}}), std::invalid_argument);
  EXPECT_THROW(model.couplers.add(0, {nan, {}}), std::invalid_argument);
  EXPECT_THROW(model.gains.add(0, {0.0, -1.0, 1.0, 0.0}), std::invalid_argument);
  EXPECT_THROW(model.gains.add(0, {0.0, 1.0, -1.0, 0.0}), std::invalid_argument);
  EXPECT_THROW(model.holonomics.add(makeDistance({body, {}}, {ground, {}}, 1.0, -1.0)), std::invalid_argument);
  {
    IcfModel wrong = model;
    wrong.limits.add(3, {0.0, -1.0, 1.0, {}});
    EXPECT_THROW(wrong.prepare(0.01), std::invalid_argument);
  }
  {
    IcfModel wrong = model;
    wrong.patches.add(makePointContact(ground, 7, Vector3d::Zero(), Vector3d::UnitZ(), 1e-3, 1.0));
    EXPECT_THROW(wrong.prepare(0.01), std::invalid_argument);
  }
  {
    IcfModel wrong = model;
    wrong.patches.add(makePointContact(ground, wrong.bodies.addAnchored(Vector3d::Zero()), Vector3d::Zero(), Vector3d::UnitZ(), 1e-3, 1.0));
    EXPECT_THROW(wrong.prepare(0.01), std::invalid_argument);
  }
  {
    IcfModel wrong = model;
    wrong.trees.add(-I, o, o);
    EXPECT_THROW(wrong.prepare(0.01), std::invalid_argument);
  }
  {
    IcfModel wrong = model;
    wrong.patches.setOptions(lawOf(IcfFriction::sap));
    wrong.patches.add(makeFaceContact(ground, body, Vector3d::Zero(), Vector3d::UnitZ(), 1.0, 1.0, 0.0, 1.0));
    EXPECT_THROW(wrong.prepare(0.01), std::invalid_argument);
  }
  IcfSolver solver;
  IcfData data;
  IcfModel unprepared;
  EXPECT_THROW(solver.solve(unprepared, data), std::invalid_argument);
  model.prepare(0.01);
  EXPECT_THROW(solver.solve(model, data), std::invalid_argument);
  data.reset(model);
  data.v()(2) = nan;
  EXPECT_THROW(solver.solve(model, data), std::invalid_argument);
  data.v().setZero();
  IcfParameters direction;
  VectorXd dv;
  EXPECT_THROW(solver.jvp(model, data, direction, dv), std::invalid_argument);
  EXPECT_THROW(solver.vjp(model, data, VectorXd::Zero(5), direction), std::invalid_argument);
  // What was added after the model was prepared would not count.
  model.patches.add(makePointContact(ground, body, Vector3d::Zero(), Vector3d::UnitZ(), 1e-3, 1e3));
  EXPECT_THROW(solver.solve(model, data), std::invalid_argument);
  model.prepare(0.01);
  EXPECT_EQ(solver.solve(model, data), SolveStatus::solved);  // data of the smaller model make room
  model.patches.setOptions(lawOf(IcfFriction::similar));
  EXPECT_THROW(solver.solve(model, data), std::invalid_argument);
  IcfOptions options;
  options.tolerance = 0.0;
  EXPECT_THROW(IcfSolver{options}, std::invalid_argument);
}

}  // namespace
}  // namespace cornet
