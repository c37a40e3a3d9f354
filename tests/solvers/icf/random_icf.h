#pragma once

#include <cmath>
#include <random>

#include "cornet/solvers/icf/icf_model.h"

/// Random ICF problems with a few trees and every kind of constraint.
namespace cornet::test {

struct RandomIcfRanges {
  double decades_mass = 1.0;       // masses 10^±this
  double flattest = 0.0;           // M of trees has eigenvalues down to 10^-this of the largest, about
  double speed = 1.0;              // [m/s]
  double stiffness_low = 2.0, stiffness_high = 5.0;  // decades [N/m]
  double dissipation_high = 2.0;   // decade [s/m]
  double h_low = -3.0, h_high = -1.5;                // decades [s]
  double mu_high = 1.0;
  int max_trees = 4, max_contacts = 8, max_joints = 2, max_scalars = 4;
};

class RandomIcf {
 public:
  explicit RandomIcf(std::uint64_t seed) : random_(seed) {}

  double uniform(double low, double high) { return low + (high - low) * std::uniform_real_distribution<double>(0.0, 1.0)(random_); }
  double normal() { return normal_(random_); }
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool coin(double p = 0.5) { return uniform(0.0, 1.0) < p; }
  double decade(double low, double high) { return std::pow(10.0, uniform(low, high)); }
  VectorXd vector(Eigen::Index n) {
    VectorXd x(n);
    for (double& entry : x) entry = normal();
    return x;
  }
  Vector3d direction() {
    Vector3d n;
    do n = vector(3);
    while (n.norm() < 0.1);
    return n.normalized();
  }
  Pose pose() { return {expMap(Vector3d(vector(3))), Vector3d(vector(3))}; }

  /// A free body of any shape: diag(m I, inertia about its centre).
  MatrixXd freeMass(double m) {
    MatrixXd M = MatrixXd::Zero(6, 6);
    M.topLeftCorner(3, 3).setIdentity();
    M.topLeftCorner(3, 3) *= m;
    const double radius = uniform(0.05, 0.5);
    const Matrix3d R = expMap(Vector3d(vector(3))).toRotationMatrix();
    const Vector3d moments = m * radius * radius * Vector3d(uniform(0.2, 0.5), uniform(0.2, 0.5), uniform(0.2, 0.4));
    M.bottomRightCorner(3, 3) = R * moments.asDiagonal() * R.transpose();
    return 0.5 * (M + M.transpose());
  }

  IcfModel model(const IcfContactOptions& options, const RandomIcfRanges& ranges) {
    IcfModel model;
    model.patches.setOptions(options);
    const int trees = 1 + below(ranges.max_trees);
    model.bodies.addAnchored(Vector3d::Zero());
    for (int t = 0; t < trees; ++t) addTree(model, ranges);
    const double h = decade(ranges.h_low, ranges.h_high);
    const int contacts = below(ranges.max_contacts + 1);
    for (int c = 0; c < contacts; ++c) addContact(model, ranges);
    const int joints = below(ranges.max_joints + 1);
    for (int c = 0; c < joints; ++c) addJoint(model, ranges);
    const int scalars = below(ranges.max_scalars + 1);
    for (int c = 0; c < scalars; ++c) addScalar(model, ranges);
    model.prepare(h);
    return model;
  }

 private:
  void addTree(IcfModel& model, const RandomIcfRanges& ranges) {
    const double m = decade(-ranges.decades_mass, ranges.decades_mass);
    const bool free = coin(0.7);
    const int n = free ? 6 : 1 + below(8);
    MatrixXd M = freeMass(m);
    if (!free) {
      const MatrixXd S = MatrixXd::NullaryExpr(n, n, [&] { return normal(); });
      M = m * (S * S.transpose() / n + decade(-ranges.flattest, 0.0) * MatrixXd::Identity(n, n));
    }
    const VectorXd v0 = ranges.speed * vector(n);
    VectorXd k0 = M * (10.0 * vector(n));
    const VectorXd damping = coin() ? VectorXd(VectorXd::Zero(n)) : VectorXd(m * vector(n).cwiseAbs());
    k0 += damping.cwiseProduct(v0);
    const int t = model.trees.add(M, v0, k0, damping);
    const Vector3d p_WB = vector(3);
    if (free) {
      model.bodies.addFree(t, p_WB);
    } else {
      const int links = 1 + below(2);
      for (int k = 0; k < links; ++k) model.bodies.add(t, p_WB, MatrixXd::NullaryExpr(6, n, [&] { return normal(); }));
    }
  }
  // Two bodies, not both anchored.
  std::pair<int, int> twoBodies(const IcfModel& model) {
    const int A = below(model.bodies.count());
    int B = below(model.bodies.count() - 1);
    if (B >= A) ++B;
    return {A, B};
  }
  void addContact(IcfModel& model, const RandomIcfRanges& ranges) {
    const auto [A, B] = twoBodies(model);
    const Vector3d p_WC = 0.5 * (model.bodies.origin(A) + model.bodies.origin(B)) + 0.3 * Vector3d(vector(3));
    const double k = decade(ranges.stiffness_low, ranges.stiffness_high);
    const double depth = coin(0.8) ? decade(-6.0, -2.0) : -decade(-5.0, -1.0);
    IcfContact contact = makePointContact(A, B, p_WC, direction(), depth, k);
    // Faces whose pressure does not change with the gap; the law sap has none.
    if (coin(0.1) && model.patches.options().friction != IcfFriction::sap) contact.stiffness = 0.0;
    contact.dissipation = coin(0.2) ? 0.0 : decade(-1.0, ranges.dissipation_high);
    contact.relaxation_time = coin(0.3) ? 0.0 : decade(-4.0, -1.0);
    contact.mu_dynamic = coin(0.1) ? 0.0 : uniform(0.0, ranges.mu_high);
    contact.mu_static = contact.mu_dynamic * (coin() ? 1.0 : 1.3);
    if (coin(0.2)) contact.surface_velocity = ranges.speed * Vector3d(vector(3));
    model.patches.add(contact);
  }
  void addJoint(IcfModel& model, const RandomIcfRanges& ranges) {
    const auto [A, B] = twoBodies(model);
    const IcfAnchor P{A, pose()};
    const IcfAnchor Q{B, {expMap(0.01 * Vector3d(vector(3))).toRotationMatrix() * P.X_WP.R, P.X_WP.p + 1e-3 * Vector3d(vector(3))}};
    switch (below(7)) {
      case 0: model.holonomics.add(makeWeld(P, Q)); break;
      case 1: model.holonomics.add(makeBall(P, Q)); break;
      case 2: model.holonomics.add(makeDistance(P, Q, 0.3)); break;
      case 3: model.holonomics.add(makeDistance(P, Q, 0.3, decade(ranges.stiffness_low, ranges.stiffness_high), decade(-1.0, 1.0))); break;
      case 4: model.holonomics.add(makeHinge(P, Q)); break;
      case 5: model.holonomics.add(makeSlider(P, Q)); break;
      default: model.holonomics.add(makeUniversal(P, Q)); break;
    }
  }
  int addRow(IcfModel& model) {
    if (coin()) {
      const int t = below(model.trees.count());
      return model.rows.addVelocity(model.trees, t, below(model.trees.size(t)));
    }
    const auto [A, B] = twoBodies(model);
    Vector6d s;
    if (coin()) s << Vector3d::Zero(), direction();
    else s << direction(), Vector3d::Zero();
    return model.rows.addTwist(model.trees, model.bodies, {A, B, 0.5 * (model.bodies.origin(A) + model.bodies.origin(B))}, s);
  }
  void addScalar(IcfModel& model, const RandomIcfRanges& ranges) {
    const int row = addRow(model);
    switch (below(3)) {
      case 0: {
        const double q0 = normal();
        model.limits.add(row, {q0, q0 + uniform(-0.3, 0.01), coin() ? kInfinity : q0 + uniform(0.01, 0.3), coin(0.3) ? normal() : 0.0, {}});
        break;
      }
      case 1: {
        const int other = addRow(model);
        model.couplers.add(model.rows.addSum(model.trees, row, 1.0, other, uniform(-2.0, 2.0)), {0.01 * normal(), coin(0.3) ? normal() : 0.0, {}});
        break;
      }
      default: {
        const double effort = coin(0.3) ? kInfinity : decade(-2.0, 2.0);
        model.gains.add(row, {10.0 * normal(), coin(0.3) ? 0.0 : decade(-2.0, ranges.decades_mass + 2.0), effort, 0.0});
        break;
      }
    }
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

}  // namespace cornet::test
