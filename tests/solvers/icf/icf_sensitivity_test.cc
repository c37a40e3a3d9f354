// Derivatives of solutions against central differences of solves.
#include <gtest/gtest.h>

#include "cornet/solvers/icf/icf_solver.h"
#include "random_icf.h"

namespace cornet {
namespace {

using test::RandomIcf;

// A model rebuilt with every parameter moved by `step` along a direction.
IcfModel moved(const IcfModel& model, const IcfParameters& direction, double step) {
  IcfModel other = model;
  other.trees.clear();
  other.patches.clear();
  other.limits.clear();
  other.couplers.clear();
  other.gains.clear();
  other.holonomics.clear();
  Eigen::Index mass = 0;
  for (int t = 0; t < model.trees.count(); ++t) {
    const int s = model.trees.start(t), n = model.trees.size(t);
    const Eigen::Map<const MatrixXd> dM(direction.mass.data() + mass, n, n);
    mass += n * n;
    other.trees.add(model.trees.mass(t) + step * dM, model.trees.v0(t) + step * direction.v0.segment(s, n),
                    model.trees.k0(t) - step * direction.force.segment(s, n), model.trees.damping(t));
  }
  IcfMotion dq;
  dq.v = direction.q0;
  dq.twists.resize(model.bodies.count());
  AllItems all;
  calcTwists(model, all.reset(model).bodies, dq);
  for (int i = 0; i < model.patches.contactCount(); ++i) {
    IcfContact contact = model.patches.contact(i);
    const Vector3d dx = relativeTwist(model.bodies, {contact.A, contact.B, contact.p_WC}, dq).head<3>();
    contact.elastic_force += step * (direction.elastic_force(i) - contact.stiffness * contact.normal.dot(dx));
    contact.stiffness += step * direction.stiffness(i);
    contact.dissipation += step * direction.dissipation(i);
    contact.mu_static += step * direction.mu_static(i);
    contact.mu_dynamic += step * direction.mu_dynamic(i);
    other.patches.add(contact);
  }
  for (int c = 0; c < model.holonomics.count(); ++c) {
    IcfHolonomic joint = model.holonomics.constraint(c);
    joint.gaps += step * joint.directions.transpose() * relativeTwist(model.bodies, joint.pair, dq);
    other.holonomics.add(joint);
  }
  for (int c = 0; c < model.limits.count(); ++c) {
    LimitLaw law = model.limits.law(c);
    law.q0 += step * model.rows.rate(model.trees, model.limits.row(c), direction.q0);
    other.limits.add(model.limits.row(c), law);
  }
  for (int c = 0; c < model.couplers.count(); ++c) {
    CouplerLaw law = model.couplers.law(c);
    law.g0 += step * model.rows.rate(model.trees, model.couplers.row(c), direction.q0);
    other.couplers.add(model.couplers.row(c), law);
  }
  for (int c = 0; c < model.gains.count(); ++c) {
    GainLaw law = model.gains.law(c);
    law.bias += step * direction.gain_bias(c);
    other.gains.add(model.gains.row(c), law);
  }
  other.prepare(model.h());
  return other;
}

VectorXd solveTightly(const IcfModel& model, const VectorXd& guess) {
  IcfOptions options;
  options.tolerance = 1e-15;  // down to the floor
  IcfSolver solver(options);
  IcfData data;
  data.reset(model);
  data.v() = guess;
  solver.solve(model, data);
  // Newton steps with the judge's gradient, below the floor that the solver stops at: a force of -g/h moves the solution by them.
  IcfCertifier certifier;
  for (int k = 0; k < 2; ++k) {
    certifier.judge(model, data.v(), 1e-8);
    IcfParameters direction;
    direction.setZero(model);
    direction.force = -certifier.gradient() / model.h();
    VectorXd dv;
    solver.jvp(model, data, direction, dv);
    data.v() += dv;
  }
  return data.v();
}

// A direction in one group of parameters, or in all.
IcfParameters makeDirection(RandomIcf& random, const IcfModel& model, int group) {
  IcfParameters d;
  d.setZero(model);
  const auto wanted = [&](int g) { return group < 0 || group == g; };
  const Eigen::Index n = d.v0.size();
  if (wanted(0)) d.q0 = 1e-4 * random.vector(n);
  if (wanted(1)) d.v0 = 1e-2 * random.vector(n);
  if (wanted(2)) d.force = random.vector(n);
  Eigen::Index mass = 0;
  for (int t = 0; t < model.trees.count(); ++t) {
    const int size = model.trees.size(t);
    Eigen::Map<MatrixXd> dM(d.mass.data() + mass, size, size);
    mass += size * size;
    if (!wanted(3)) continue;
    const MatrixXd S = MatrixXd::NullaryExpr(size, size, [&] { return random.normal(); });
    dM = 0.01 * model.trees.mass(t).diagonal().minCoeff() * (S + S.transpose());
  }
  for (int i = 0; i < model.patches.contactCount(); ++i) {
    const IcfContact& contact = model.patches.contact(i);
    if (wanted(4)) d.elastic_force(i) = 0.01 * std::abs(contact.elastic_force) * random.normal();
    if (wanted(5)) d.stiffness(i) = 0.01 * contact.stiffness * random.normal();
    if (wanted(6)) d.dissipation(i) = 0.01 * contact.dissipation * random.normal();
    if (wanted(7)) d.mu_dynamic(i) = 0.01 * contact.mu_dynamic * random.normal();
    if (wanted(7)) d.mu_static(i) = std::abs(d.mu_dynamic(i)) * 1.1 + 0.01 * contact.mu_static * std::abs(random.normal());
  }
  for (int c = 0; c < model.gains.count(); ++c) {
    if (wanted(8)) d.gain_bias(c) = random.normal();
  }
  return d;
}

// Contacts whose coefficients are equal or zero cannot be moved both ways.
IcfModel movable(RandomIcf& random, const IcfContactOptions& options, double speed = 1.0) {
  test::RandomIcfRanges ranges;
  ranges.speed = speed;
  IcfModel model = random.model(options, ranges);
  std::vector<IcfContact> contacts;
  for (int i = 0; i < model.patches.contactCount(); ++i) contacts.push_back(model.patches.contact(i));
  model.patches.clear();
  for (IcfContact& contact : contacts) {
    contact.mu_dynamic += 0.1;
    contact.mu_static = contact.mu_dynamic * 1.3;
    model.patches.add(contact);
  }
  model.prepare(model.h());
  return model;
}

TEST(IcfSensitivity, IsThatOfCentralDifferences) {
  int compared = 0, sticking = 0, sliding = 0, open = 0;
  for (const IcfFriction friction : {IcfFriction::lagged, IcfFriction::similar, IcfFriction::sap}) {
    RandomIcf random(21);
    for (int k = 0; k < 240; ++k) {
      IcfContactOptions options;
      options.friction = friction;
      // Soft enough for differences; half of the cases softened by R_t rather than by the stiction speed.
      options.stiction_speed = k % 2 == 0 ? 3e-2 : 1e-4;
      options.regularization = k % 2 == 0 ? 1e-3 : 10.0;
      const IcfModel model = movable(random, options, k % 4 < 2 ? 0.01 : 1.0);
      const IcfParameters direction = makeDirection(random, model, k % 10 - 1);
      IcfSolver solver;
      IcfData data;
      data.reset(model);
      data.v() = solveTightly(model, data.v());
      VectorXd dv;
      solver.jvp(model, data, direction, dv);
      // Two steps: where they differ a border of an active set lies between, or the answer bends.
      const auto difference = [&](double step) {
        return VectorXd((solveTightly(moved(model, direction, step), data.v()) - solveTightly(moved(model, direction, -step), data.v())) /
                        (2.0 * step));
      };
      const VectorXd wide = difference(2e-2), narrow = difference(1e-2);
      // Extrapolated: the error of second order is taken out.
      const VectorXd expected = (4.0 * narrow - wide) / 3.0;
      const VectorXd D_inverse = [&] {
        VectorXd s(dv.size());
        for (int t = 0; t < model.trees.count(); ++t) s.segment(model.trees.start(t), model.trees.size(t)) = model.trees.scale(t).cwiseInverse();
        return s;
      }();
      const double size = D_inverse.cwiseProduct(expected).norm();
      const double bend = D_inverse.cwiseProduct(wide - narrow).norm();
      const double noise = 1e-11 * D_inverse.cwiseProduct(data.v()).norm();
      if (bend > 1e-5 * size + noise) continue;
      ++compared;
      EXPECT_LE(D_inverse.cwiseProduct(dv - expected).norm(), 1e-6 * size + noise) << "law " << static_cast<int>(friction) << " case " << k;
      IcfData at;
      at.reset(model);
      at.v() = data.v();
      AllItems all;
      calcGradient(model, all.reset(model), at);
      for (int c = 0; c < model.patches.contactCount(); ++c) {
        const Vector3d gamma = model.patches.impulse(at.patches, c), u = model.patches.velocity(at.patches, c);
        const Vector3d n = model.patches.contact(c).normal;
        const double slip = (u - u.dot(n) * n).norm();
        open += gamma.isZero();
        sticking += !gamma.isZero() && slip < 1e-2;
        sliding += !gamma.isZero() && slip > 0.1;
      }
    }
  }
  EXPECT_GT(compared, 500);
  for (const int seen : {sticking, sliding, open}) EXPECT_GT(seen, 20);
}

TEST(IcfSensitivity, AdjointAgreesWithDirections) {
  for (const IcfFriction friction : {IcfFriction::lagged, IcfFriction::similar, IcfFriction::sap}) {
    RandomIcf random(22);
    for (int k = 0; k < 100; ++k) {
      IcfContactOptions options;
      options.friction = friction;
      const IcfModel model = movable(random, options);
      IcfSolver solver;
      IcfData data;
      data.reset(model);
      ASSERT_EQ(solver.solve(model, data), SolveStatus::solved);
      const VectorXd v_bar = random.vector(data.v().size());
      IcfParameters bar;
      solver.vjp(model, data, v_bar, bar);
      for (int group = -1; group < 9; ++group) {
        const IcfParameters d = makeDirection(random, model, group);
        VectorXd dv;
        solver.jvp(model, data, d, dv);
        double sum = 0.0, size = 0.0;
        for (const auto list : {&IcfParameters::q0, &IcfParameters::v0, &IcfParameters::force, &IcfParameters::mass, &IcfParameters::elastic_force,
                                &IcfParameters::stiffness, &IcfParameters::dissipation, &IcfParameters::mu_static, &IcfParameters::mu_dynamic,
                                &IcfParameters::gain_bias}) {
          sum += (bar.*list).dot(d.*list);
          size += (bar.*list).cwiseAbs().dot((d.*list).cwiseAbs());
        }
        EXPECT_NEAR(sum, v_bar.dot(dv), 1e-9 * (size + v_bar.cwiseAbs().dot(dv.cwiseAbs())));
      }
    }
  }
}

}  // namespace
}  // namespace cornet
