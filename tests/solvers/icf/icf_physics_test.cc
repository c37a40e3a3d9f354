// Steps whose outcome is known in closed form.
#include <numbers>

#include <gtest/gtest.h>

#include "cornet/solvers/icf/icf_solver.h"
#include "random_icf.h"

namespace cornet {
namespace {

using test::RandomIcf;
constexpr double kGravity = 9.81;

// A body of mass m and moments of inertia `inertia` with its centre at p, and the ground.
struct OneBody {
  OneBody(double m, const Vector3d& inertia, const Vector6d& v0, const Vector6d& force, const Vector3d& p = Vector3d::Zero()) {
    ground = model.bodies.addAnchored(Vector3d::Zero());
    MatrixXd M = MatrixXd::Zero(6, 6);
    M.diagonal() << m, m, m, inertia;
    model.trees.add(M, v0, -force);
    body = model.bodies.addFree(0, p);
  }
  IcfContact contact(const Vector3d& p_WC, const Vector3d& n, double depth, double k, double mu) const {
    IcfContact c = makePointContact(ground, body, p_WC, n, depth, k);
    c.mu_static = c.mu_dynamic = mu;
    return c;
  }
  void solve(double h) {
    model.prepare(h);
    data.reset(model);
    IcfOptions options;
    options.tolerance = 1e-13;
    IcfSolver solver(options);
    ASSERT_EQ(solver.solve(model, data), SolveStatus::solved);
  }
  Vector3d impulse(int contact) const { return model.patches.impulse(data.patches, contact); }

  IcfModel model;
  IcfData data;
  int ground, body;
};

Vector6d weight(double m, const Vector3d& g) {
  Vector6d f;
  f << m * g, Vector3d::Zero();
  return f;
}

TEST(IcfPhysics, RestingPenetrationDoesNotDependOnTheStep) {
  for (const double h : {1e-5, 1e-3, 1e-1}) {
    const double m = 2.0, k = 1e5;
    OneBody one(m, Vector3d::Constant(0.1), Vector6d::Zero(), weight(m, {0.0, 0.0, -kGravity}));
    const double depth = m * kGravity / (4.0 * k);
    for (const auto& [x, y] : {std::pair{0.1, 0.1}, {0.1, -0.1}, {-0.1, 0.1}, {-0.1, -0.1}}) {
      one.model.patches.add(one.contact({x, y, -0.1}, Vector3d::UnitZ(), depth, k, 0.5));
    }
    one.solve(h);
    EXPECT_LT(one.data.v().norm(), 1e-12 * kGravity * h + 1e-15);
    // The force of a step is the impulse over the step: the weight, shared by four.
    for (int c = 0; c < 4; ++c) EXPECT_NEAR(one.impulse(c).z() / h, m * kGravity / 4.0, 1e-10);
  }
}

TEST(IcfPhysics, ABlockBelowTheFrictionAngleCreepsAsPredicted) {
  const double m = 1.0, k = 1e4, mu = 0.5, angle = 15.0 * std::numbers::pi / 180.0, h = 0.01;
  const Vector3d g(kGravity * std::sin(angle), 0.0, -kGravity * std::cos(angle));
  Vector6d v = Vector6d::Zero();
  for (int step = 0; step < 60; ++step) {
    OneBody one(m, Vector3d::Constant(0.1), v, weight(m, g));
    IcfContactOptions options;
    options.regularization = 1e-9;  // ε = v_s
    one.model.patches.setOptions(options);
    one.model.patches.add(one.contact(Vector3d::Zero(), Vector3d::UnitZ(), -g.z() * m / k, k, mu));
    one.solve(h);
    v = one.data.v();
  }
  const double rho = std::tan(angle) / mu;
  EXPECT_NEAR(v(0), 1e-4 * rho / std::sqrt(1.0 - rho * rho), 1e-12);
  EXPECT_NEAR(v(0), 6.35e-5, 1e-7);
}

TEST(IcfPhysics, ABlockAboveTheFrictionAngleSlides) {
  const double m = 1.0, k = 1e4, mu = 0.3, angle = 0.6, h = 0.01;
  const Vector3d g(kGravity * std::sin(angle), 0.0, -kGravity * std::cos(angle));
  for (const IcfFriction friction : {IcfFriction::lagged, IcfFriction::sap}) {
    OneBody one(m, Vector3d::Constant(0.1), 3.0 * Vector6d::Unit(0), weight(m, g));
    IcfContactOptions options;
    options.friction = friction;
    one.model.patches.setOptions(options);
    one.model.patches.add(one.contact(Vector3d::Zero(), Vector3d::UnitZ(), -g.z() * m / k, k, mu));
    one.solve(h);
    if (friction == IcfFriction::lagged) {
      EXPECT_NEAR((one.data.v()(0) - 3.0) / h, kGravity * (std::sin(angle) - mu * std::cos(angle)), 1e-6);
      EXPECT_NEAR(one.data.v()(2), 0.0, 1e-12);
    } else {
      // Friction of the cone at the normal impulse of the same step; bodies glide a little apart.
      EXPECT_NEAR(one.impulse(0).head<2>().norm(), mu * one.impulse(0).z(), 1e-12);
      EXPECT_GT(one.data.v()(2), 0.0);
    }
  }
}

// Three feet hold a disc against a torque up to μ m g R; each takes Mz/(3R).
TEST(IcfPhysics, ThreeFeetHoldATorque) {
  const double m = 3.0, R = 1.5, g = 10.0, mu = 2.0 / 3.0, k = 1e5, h = 0.01;
  for (const double torque : {6.0, 29.0}) {
    Vector6d v = Vector6d::Zero();
    Vector6d load = weight(m, {0.0, 0.0, -g});
    load(5) = torque;
    IcfData last;
    for (int step = 0; step < 100; ++step) {
      OneBody one(m, {3.0, 3.0, 3.0}, v, load);
      for (int c = 0; c < 3; ++c) {
        const double angle = 2.0 * std::numbers::pi * c / 3.0;
        one.model.patches.add(one.contact({R * std::cos(angle), R * std::sin(angle), 0.0}, Vector3d::UnitZ(), m * g / (3.0 * k), k, mu));
      }
      one.solve(h);
      v = one.data.v();
      if (step < 99) continue;
      EXPECT_EQ(one.model.patches.count(), 1);
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(one.impulse(c).head<2>().norm() / h, torque / (3.0 * R), 1e-8 * torque);
    }
    // Slip of the soft norm: ε ρ/√(1 - ρ²) with ρ the part of the friction that is used.
    const double rho = torque / (mu * m * g * R);
    const double w_t = 1.0 / m + 0.5 * R * R / 3.0;
    const double epsilon = std::max(1e-4, mu * 1e-3 * w_t * h * m * g / 3.0);
    EXPECT_NEAR(v(5) * R, epsilon * rho / std::sqrt(1.0 - rho * rho), 1e-8);
  }
}

TEST(IcfPhysics, ABeltCarriesWhatLiesOnIt) {
  const double m = 1.0, k = 1e4, h = 0.01;
  OneBody one(m, Vector3d::Constant(0.1), Vector6d::Zero(), weight(m, {0.0, 0.0, -kGravity}));
  IcfContact contact = one.contact(Vector3d::Zero(), Vector3d::UnitZ(), m * kGravity / k, k, 0.4);
  contact.surface_velocity = Vector3d(-2.0, 0.0, 0.0);  // that of the body less that of the belt, which runs along +x
  one.model.patches.add(contact);
  one.solve(h);
  EXPECT_NEAR(one.data.v()(0), 0.4 * kGravity * h, 1e-8);
}

TEST(IcfPhysics, CollisionsKeepMomentum) {
  RandomIcf random(31);
  for (const IcfFriction friction : {IcfFriction::lagged, IcfFriction::similar, IcfFriction::sap}) {
    for (int k = 0; k < 20; ++k) {
      IcfModel model;
      IcfContactOptions options;
      options.friction = friction;
      model.patches.setOptions(options);
      std::vector<MatrixXd> M;
      std::vector<VectorXd> v0;
      std::vector<Vector3d> p;
      for (int t = 0; t < 3; ++t) {
        M.push_back(random.freeMass(random.decade(-1.0, 1.0)));
        v0.push_back(random.vector(6));
        p.push_back(random.vector(3));
        model.trees.add(M[t], v0[t], VectorXd::Zero(6));
        model.bodies.addFree(t, p[t]);
      }
      for (int c = 0; c < 4; ++c) {
        IcfContact contact = makePointContact(c % 2, 1 + c % 2, random.vector(3), random.direction(), 1e-2, 1e5);
        contact.mu_static = contact.mu_dynamic = 0.5;
        model.patches.add(contact);
      }
      // Open joints: gaps of 1e-3 m are closed by impulses on one line.
      const Pose P = random.pose();
      model.holonomics.add(makeWeld({0, P}, {2, {P.R, P.p + 1e-3 * random.direction()}}));
      model.holonomics.add(makeBall({0, P}, {1, {P.R, P.p + 1e-3 * random.direction()}}));
      model.holonomics.add(makeDistance({1, random.pose()}, {2, random.pose()}, 1.0));
      model.prepare(0.01);
      IcfData data;
      data.reset(model);
      IcfOptions tight;
      tight.tolerance = 1e-15;
      IcfSolver solver(tight);
      ASSERT_EQ(solver.solve(model, data), SolveStatus::solved);
      Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero();
      double size = 0.0;
      for (int t = 0; t < 3; ++t) {
        const VectorXd change = M[t] * (data.v().segment(6 * t, 6) - v0[t]);
        linear += change.head<3>();
        angular += change.tail<3>() + p[t].cross(Vector3d(change.head<3>()));
        size += change.norm() * (1.0 + p[t].norm());
      }
      EXPECT_LT(linear.norm(), 1e-11 * size);
      EXPECT_LT(angular.norm(), 1e-11 * size);
    }
  }
}

// Held at rest by a near-rigid constraint: the gap is β² a h_e²/(4π²), a the acceleration that is held.
TEST(IcfPhysics, NearRigidConstraintsGiveByTheirPeriodAlone) {
  for (const double h : {1e-2, 1e-3, 1e-6}) {
    const double step = std::max(h, 1e-4);
    const double give = 0.01 * step * step / (4.0 * std::numbers::pi * std::numbers::pi);
    for (const double m : {1e-3, 1.0, 1e3}) {
      // Hanging from a ball at its centre.
      OneBody one(m, Vector3d::Constant(0.1 * m), Vector6d::Zero(), weight(m, {0.0, 0.0, -kGravity}));
      one.model.holonomics.add(makeBall({one.ground, {}}, {one.body, {Matrix3d::Identity(), Vector3d(0.0, 0.0, -give * kGravity)}}));
      // Centre and anchor differ by the gap alone.
      one.solve(h);
      EXPECT_LT(std::abs(one.data.v()(2)), 1e-9 * kGravity * h);

      // A slender body held against a torque about its thin axis: weighed by that moment of inertia, not by mass.
      const double inertia = 1e-4 * m, torque = 0.3 * m;
      OneBody held(m, {0.1 * m, 0.1 * m, inertia}, Vector6d::Zero(), torque * Vector6d::Unit(5));
      const double angle = give * torque / inertia;
      held.model.holonomics.add(makeWeld({held.ground, {}}, {held.body, {expMap(Vector3d(0.0, 0.0, angle)), Vector3d::Zero()}}));
      held.solve(h);
      EXPECT_LT(std::abs(held.data.v()(5)), 1e-9 * torque / inertia * h);

      // A limit pushed by a force.
      OneBody pushed(m, Vector3d::Constant(0.1 * m), Vector6d::Zero(), 10.0 * Vector6d::Unit(0));
      const int row = pushed.model.rows.addVelocity(pushed.model.trees, 0, 0);
      pushed.model.limits.add(row, {give * 10.0 / m, -kInfinity, 0.0, {}});
      pushed.solve(h);
      EXPECT_LT(std::abs(pushed.data.v()(0)), 1e-9 * 10.0 / m * h);
      EXPECT_NEAR(pushed.data.limits.impulse[0] / h, -10.0, 1e-8);
    }
  }
}

TEST(IcfPhysics, LimitsActOnBothSidesAndOnlyThere) {
  for (const auto& [q0, sign] : {std::pair{-0.3, 1.0}, {0.4, -1.0}, {0.0, 0.0}}) {
    OneBody one(2.0, Vector3d::Ones(), Vector6d::Zero(), Vector6d::Zero());
    one.model.limits.add(one.model.rows.addVelocity(one.model.trees, 0, 4), {q0, -0.2, 0.3, {}});
    one.solve(0.01);
    const double gamma = one.data.limits.impulse[0];
    EXPECT_EQ((gamma > 0.0) - (gamma < 0.0), static_cast<int>(sign));
    EXPECT_NEAR(one.data.v()(4), gamma, 1e-11 * std::abs(gamma));  // unit inertia
  }
}

TEST(IcfPhysics, CouplerImpulseIsThatOfADampedSpring) {
  IcfModel model;
  const double h = 0.01, rho = 0.5, g0 = 0.02;
  model.trees.add((MatrixXd(2, 2) << 2.0, 0.0, 0.0, 3.0).finished(), (VectorXd(2) << 0.3, -0.2).finished(), VectorXd::Zero(2));
  const int i = model.rows.addVelocity(model.trees, 0, 0), j = model.rows.addVelocity(model.trees, 0, 1);
  model.couplers.add(model.rows.addSum(model.trees, i, 1.0, j, -rho), {g0, {}});
  model.prepare(h);
  IcfData data;
  data.reset(model);
  IcfSolver solver;
  ASSERT_EQ(solver.solve(model, data), SolveStatus::solved);
  const double w = 1.0 / 2.0 + rho * rho / 3.0;
  const double K = 4.0 * std::numbers::pi * std::numbers::pi / (0.01 * h * h * w);
  const double tau = 0.1 * h / std::numbers::pi;
  const double rate = data.v()(0) - rho * data.v()(1);
  EXPECT_NEAR(data.couplers.impulse[0], -h * K * (g0 + h * rate + tau * rate), 1e-9);
}

// Gears between bodies of different trees.
TEST(IcfPhysics, CouplersTieRotationsOfDifferentBodies) {
  IcfModel model;
  const int ground = model.bodies.addAnchored(Vector3d::Zero());
  int row[2];
  for (int t = 0; t < 2; ++t) {
    model.trees.add(MatrixXd::Identity(6, 6), t == 0 ? VectorXd(VectorXd::Unit(6, 5)) : VectorXd(VectorXd::Zero(6)), VectorXd::Zero(6));
    const int body = model.bodies.addFree(t, Vector3d::Zero());
    row[t] = model.rows.addTwist(model.trees, model.bodies, {ground, body, Vector3d::Zero()}, Vector6d::Unit(5));
  }
  model.couplers.add(model.rows.addSum(model.trees, row[0], 1.0, row[1], -0.5), {0.0, {}});
  model.prepare(0.01);
  IcfData data;
  data.reset(model);
  IcfSolver solver;
  ASSERT_EQ(solver.solve(model, data), SolveStatus::solved);
  EXPECT_EQ(solver.report().islands, 1);
  // ω1 = ω2/2 up to the give of the constraint, momentum along the other direction kept: ω1/2 + ω2 = 1/2.
  const double first = data.v()(5), second = data.v()(11);
  EXPECT_NEAR(0.5 * first + second, 0.5, 1e-9);
  EXPECT_NEAR(first, 0.5 * second, 1e-3);
}

TEST(IcfPhysics, EffortsAreClampedAndReported) {
  IcfModel model;
  const MatrixXd M = (MatrixXd(2, 2) << 2.0, 0.3, 0.3, 1.0).finished();
  const VectorXd v0 = (VectorXd(2) << 0.3, -0.2).finished(), k0 = (VectorXd(2) << 0.05, -0.1).finished();
  model.trees.add(M, v0, k0);
  const double efforts[] = {0.1, 0.2}, h = 0.01;
  for (int dof = 0; dof < 2; ++dof) model.gains.add(model.rows.addVelocity(model.trees, 0, dof), {10.0, dof == 0 ? 0.0 : 3.0, efforts[dof], 0.0});
  model.prepare(h);
  IcfData data;
  data.reset(model);
  IcfSolver solver;
  ASSERT_EQ(solver.solve(model, data), SolveStatus::solved);
  const VectorXd force = M * (data.v() - v0) / h + k0;
  for (int dof = 0; dof < 2; ++dof) {
    EXPECT_NEAR(force(dof), efforts[dof], 1e-12);
    EXPECT_NEAR(data.gains.impulse[dof] / h, efforts[dof], 1e-15);
  }
}

// A servo inside its limit: (M + h K) v = M v0 + h b, implicit and stable for any gain.
TEST(IcfPhysics, GainsAreImplicit) {
  for (const double K : {1.0, 1e3, 1e9}) {
    IcfModel model;
    model.trees.add(MatrixXd::Constant(1, 1, 2.0), VectorXd::Constant(1, 0.7), VectorXd::Zero(1));
    model.gains.add(model.rows.addVelocity(model.trees, 0, 0), {5.0, K, kInfinity, 0.0});
    model.prepare(0.1);
    IcfData data;
    data.reset(model);
    IcfSolver solver;
    ASSERT_EQ(solver.solve(model, data), SolveStatus::solved);
    EXPECT_NEAR(data.v()(0), (2.0 * 0.7 + 0.1 * 5.0) / (2.0 + 0.1 * K), 1e-9);
  }
}

TEST(IcfPhysics, JointsLeaveTheirOwnMotionFree) {
  RandomIcf random(32);
  for (int k = 0; k < 20; ++k) {
    const Pose P = random.pose();
    Pose Q = P;
    const Vector3d z = P.R.col(2), x = P.R.col(0);
    Q.R = P.R;
    struct Case {
      IcfHolonomic joint;
      int rows;
      Vector6d free;
    };
    Vector6d turn, shift, second;
    turn << Vector3d::Zero(), z;
    shift << z, Vector3d::Zero();
    second << Vector3d::Zero(), x;
    for (const Case& c : {Case{makeHinge({0, P}, {1, Q}), 5, turn}, Case{makeSlider({0, P}, {1, Q}), 5, shift},
                          Case{makeUniversal({0, P}, {1, Q}), 4, turn}, Case{makeUniversal({0, P}, {1, Q}), 4, second},
                          Case{makeWeld({0, P}, {1, Q}), 6, Vector6d::Zero()}, Case{makeBall({0, P}, {1, Q}), 3, second}}) {
      EXPECT_EQ(c.joint.rows, c.rows);
      EXPECT_LT((c.joint.directions.transpose() * c.free).norm(), 1e-14);
      EXPECT_LT(c.joint.gaps.norm(), 1e-14);
      // The rows are independent.
      EXPECT_EQ(Eigen::FullPivLU<MatrixXd>(c.joint.directions.leftCols(c.rows)).rank(), c.rows);
    }
  }
}

// Gaps of joints grow at the rates of their rows: moved poses against the rows.
TEST(IcfPhysics, RatesOfRowsAreThoseOfTheirGaps) {
  RandomIcf random(33);
  constexpr double kStep = 1e-6;
  for (int k = 0; k < 30; ++k) {
    const Pose P = random.pose();
    const Vector6d V = random.vector(6);
    const auto moved = [&](double s) {
      return IcfAnchor{1, {expMap(s * V.tail<3>()).toRotationMatrix() * P.R, P.p + s * V.head<3>()}};
    };
    const auto compare = [&](auto&& make) {
      const IcfHolonomic at = make(IcfAnchor{0, P}, moved(0.0));
      const Vector6d rate = (make(IcfAnchor{0, P}, moved(kStep)).gaps - make(IcfAnchor{0, P}, moved(-kStep)).gaps) / (2.0 * kStep);
      EXPECT_LT((rate - at.directions.transpose() * V).norm(), 1e-8);
    };
    compare([](const IcfAnchor& a, const IcfAnchor& b) { return makeWeld(a, b); });
    compare([](const IcfAnchor& a, const IcfAnchor& b) { return makeBall(a, b); });
    compare([](const IcfAnchor& a, const IcfAnchor& b) { return makeHinge(a, b); });
    compare([](const IcfAnchor& a, const IcfAnchor& b) { return makeSlider(a, b); });
    compare([](const IcfAnchor& a, const IcfAnchor& b) { return makeUniversal(a, b); });
    const Vector3d offset = random.direction();
    compare([&](IcfAnchor a, const IcfAnchor& b) {
      a.X_WP.p -= offset;
      return makeDistance(a, b, 0.3);
    });
  }
}

TEST(IcfPhysics, ADistanceLeavesTheSingularPoint) {
  OneBody one(1.0, Vector3d::Ones(), Vector6d::Zero(), Vector6d::Zero());
  one.model.holonomics.add(makeDistance({one.ground, {}}, {one.body, {}}, 0.3));
  one.solve(0.01);
  EXPECT_TRUE(one.data.v().allFinite());
  EXPECT_GT(one.data.v()(0), 10.0);  // 0.3 m in about a step
}

TEST(IcfPhysics, ASpringStretchesByItsLoad) {
  const double k = 200.0, m = 1.0;
  OneBody one(m, Vector3d::Ones(), Vector6d::Zero(), weight(m, {0.0, 0.0, -kGravity}), {0.0, 0.0, -0.3 - m * kGravity / k});
  one.model.holonomics.add(makeDistance({one.ground, {}}, {one.body, {Matrix3d::Identity(), one.model.bodies.origin(one.body)}}, 0.3, k, 20.0));
  one.solve(0.01);
  EXPECT_LT(one.data.v().norm(), 1e-12);
}

TEST(IcfPhysics, TheShortestStepsAreSolved) {
  RandomIcf random(34);
  for (const double h : {1e-6, 1e-9, 1e-12}) {
    for (int k = 0; k < 20; ++k) {
      IcfModel model = random.model({}, {});
      model.setTimeStep(h);
      IcfData data;
      data.reset(model);
      IcfSolver solver;
      EXPECT_EQ(solver.solve(model, data), SolveStatus::solved);
    }
  }
}

TEST(IcfPhysics, PosesAdvanceAlongTheExponentialMap) {
  RandomIcf random(35);
  FreePose pose{expMap(Vector3d(random.vector(3))), random.vector(3)};
  const Quaterniond start = pose.q_WB;
  Vector6d V;
  V << 1.0, 2.0, 3.0, 0.4, -0.7, 0.2;
  for (int k = 0; k < 10; ++k) pose = advancePose(pose, V, 0.1);
  EXPECT_NEAR(pose.q_WB.norm(), 1.0, 10.0 * kEpsilon);
  EXPECT_LT((pose.q_WB.coeffs() - (expMap(V.tail<3>()) * start).coeffs()).norm(), 1e-14);
}

// A wave of the cases that reduced models come from: bodies that are anchored are bodies that stand still.
TEST(IcfPhysics, AnchoredBodiesAreBodiesOfInfiniteMass) {
  RandomIcf random(36);
  const MatrixXd M = random.freeMass(1.0);
  const VectorXd v0 = random.vector(6);
  IcfContact contact = makePointContact(0, 1, random.vector(3), random.direction(), 1e-2, 1e4);
  contact.mu_static = contact.mu_dynamic = 0.5;
  VectorXd v[2];
  for (int heavy = 0; heavy < 2; ++heavy) {
    IcfModel model;
    if (heavy == 1) {
      model.trees.add(1e15 * MatrixXd::Identity(6, 6), VectorXd::Zero(6), VectorXd::Zero(6));
      model.bodies.addFree(0, Vector3d::Zero());
    } else {
      model.bodies.addAnchored(Vector3d::Zero());
    }
    model.bodies.addFree(model.trees.add(M, v0, VectorXd::Zero(6)), Vector3d::Zero());
    model.patches.add(contact);
    model.prepare(0.01);
    IcfData data;
    data.reset(model);
    IcfSolver solver;
    ASSERT_EQ(solver.solve(model, data), SolveStatus::solved);
    v[heavy] = data.v().tail(6);
  }
  EXPECT_LT((v[0] - v[1]).norm(), 1e-7 * v[0].norm());
}

}  // namespace
}  // namespace cornet
