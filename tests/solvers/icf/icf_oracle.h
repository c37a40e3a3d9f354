#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/Dense>

#include "cornet/solvers/icf/icf_model.h"
#include "hyper_dual.h"

/// ℓ(v) of a model from what was put into it, with dense matrices and textbook formulas, nothing that the pools
/// work out: for automatic differentiation and as a judge of solutions.
namespace cornet::test {

class IcfOracle {
 public:
  /// `shared`: inverse masses as the model has them. Where a row hardly moves anything they are good to a few digits
  /// only, and another rounding is another problem.
  explicit IcfOracle(const IcfModel& model, bool shared = false) : model_(model), h_(model.h()), shared_(shared) {
    const int nv = model.trees.velocityCount();
    M = MatrixXd::Zero(nv, nv);
    A = M;
    r = v0 = VectorXd::Zero(nv);
    for (int t = 0; t < model.trees.count(); ++t) {
      const int s = model.trees.start(t), n = model.trees.size(t);
      M.block(s, s, n, n) = model.trees.mass(t);
      A.block(s, s, n, n) = model.trees.mass(t);
      A.block(s, s, n, n).diagonal() += h_ * model.trees.damping(t);
      v0.segment(s, n) = model.trees.v0(t);
      r.segment(s, n) = A.block(s, s, n, n) * model.trees.v0(t) - h_ * model.trees.k0(t);
    }
    D = M.diagonal().cwiseSqrt().cwiseInverse();
    using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    M_inverse = Wide(M.cast<long double>()).ldlt().solve(Wide::Identity(nv, nv)).cast<double>();
    for (int i = 0; i < model.patches.contactCount(); ++i) addContact(i);
    for (int c = 0; c < model.holonomics.count(); ++c) addHolonomic(c);
    for (int c = 0; c < model.limits.count(); ++c) {
      const VectorXd a = rowOf(model.limits.row(c));
      const LimitLaw& law = model.limits.law(c);
      limits.push_back({a, nearRigid(shared ? model.rows.inverseMass(model.limits.row(c)) : a.dot(M_inverse * a)), law.lower - law.q0, law.upper - law.q0, law.rate});
    }
    for (int c = 0; c < model.couplers.count(); ++c) {
      const VectorXd a = rowOf(model.couplers.row(c));
      squares.push_back({a, nearRigid(shared ? model.rows.inverseMass(model.couplers.row(c)) : a.dot(M_inverse * a)), model.couplers.law(c).g0, model.couplers.law(c).rate});
    }
    for (int c = 0; c < model.gains.count(); ++c) gains.push_back({rowOf(model.gains.row(c)), model.gains.law(c)});
  }

  /// Twist of a body at a point, for unit velocities.
  MatrixXd pointJacobian(int b, const Vector3d& p_W) const {
    MatrixXd J = MatrixXd::Zero(6, M.cols());
    const int t = model_.bodies.tree(b);
    if (t < 0) return J;
    auto part = J.middleCols(model_.trees.start(t), model_.trees.size(t));
    if (model_.bodies.isFree(b)) part.setIdentity(); else part = model_.bodies.jacobian(b);
    const Vector3d p = p_W - model_.bodies.origin(b);
    for (int j = 0; j < part.cols(); ++j) part.col(j).head<3>() += Vector3d(part.col(j).tail<3>()).cross(p);
    return J;
  }
  MatrixXd pairJacobian(const BodyPair& pair) const { return pointJacobian(pair.B, pair.p_W) - pointJacobian(pair.A, pair.p_W); }

  /// T = double or HyperDual.
  template <class T>
  T cost(const std::vector<T>& v) const {
    const auto row = [&](const auto& a) {
      T y = T(0.0);
      for (std::size_t i = 0; i < v.size(); ++i) {
        if (a(static_cast<Eigen::Index>(i)) != 0.0) y += T(a(static_cast<Eigen::Index>(i))) * v[i];
      }
      return y;
    };
    T sum = T(0.0);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      sum += T(0.5) * v[i] * row(A.row(k)) - T(r(k)) * v[i];
    }
    for (const Contact& c : contacts) {
      T v_c[3];
      for (int i = 0; i < 3; ++i) v_c[i] = row(c.J.row(i)) + T(c.input.surface_velocity(i));
      sum += contactCost(c, v_c);
    }
    for (const Square& s : squares) {
      const T miss = T(s.rate - s.gap / s.law.horizon) - row(s.a);
      sum += T(0.5 * s.law.stiffness) * miss * miss;
    }
    for (const Limit& l : limits) {
      const T y = row(l.a) - T(l.rate);
      const T below = T(l.lower / l.law.horizon) - y, above = y - T(l.upper / l.law.horizon);
      if (real(below) > 0.0) sum += T(0.5 * l.law.stiffness) * below * below;
      if (real(above) > 0.0) sum += T(0.5 * l.law.stiffness) * above * above;
    }
    for (const Gain& g : gains) {
      const T y = row(g.a);
      const T wanted = T(g.law.bias) - T(g.law.gain) * y;
      const double K = g.law.gain, e = g.law.effort;
      if (K == 0.0) {
        sum += T(-h_ * std::clamp(g.law.bias, -e, e)) * y;
      } else if (real(wanted) > e) {
        sum += T(h_ * e / K) * (wanted - T(0.5 * e));
      } else if (real(wanted) < -e) {
        sum += T(-h_ * e / K) * (wanted + T(0.5 * e));
      } else {
        sum += T(h_ * 0.5 / K) * wanted * wanted;
      }
    }
    return sum;
  }
  double cost(const VectorXd& v) const { return cost(std::vector<double>(v.begin(), v.end())); }

  VectorXd gradient(const VectorXd& v) const {
    VectorXd g(v.size());
    for (Eigen::Index i = 0; i < v.size(); ++i) g(i) = second(v, VectorXd::Unit(v.size(), i), VectorXd::Zero(v.size())).a;
    return g;
  }
  MatrixXd hessian(const VectorXd& v) const {
    MatrixXd H(v.size(), v.size());
    for (Eigen::Index i = 0; i < v.size(); ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) H(i, j) = H(j, i) = second(v, VectorXd::Unit(v.size(), i), VectorXd::Unit(v.size(), j)).ab;
    }
    return H;
  }
  /// ℓ with its derivatives along x and y.
  HyperDual second(const VectorXd& v, const VectorXd& x, const VectorXd& y) const {
    std::vector<HyperDual> dual(static_cast<std::size_t>(v.size()));
    for (Eigen::Index i = 0; i < v.size(); ++i) dual[static_cast<std::size_t>(i)] = {v(i), x(i), y(i), 0.0};
    return cost(dual);
  }

  struct Contact {
    IcfContact input;
    MatrixXd J;
    double mu, n0, epsilon, w_n, w_t;
  };
  struct Law {
    double stiffness, horizon;
  };
  struct Square {
    VectorXd a;
    Law law;
    double gap;
    double rate = 0.0;
  };
  struct Limit {
    VectorXd a;
    Law law;
    double lower, upper, rate;
  };
  struct Gain {
    VectorXd a;
    GainLaw law;
  };
  MatrixXd M, A, M_inverse;
  VectorXd r, v0, D;
  std::vector<Contact> contacts;
  std::vector<Square> squares;
  std::vector<Limit> limits;
  std::vector<Gain> gains;

 private:
  static double real(double x) { return x; }
  static double real(const HyperDual& x) { return x.f; }
  static double rootOf(double x) { return std::sqrt(x); }
  static HyperDual rootOf(const HyperDual& x) { return sqrt(x); }

  static double inverse(double x) { return 1.0 / x; }
  static HyperDual inverse(const HyperDual& x) {
    const double y = 1.0 / x.f;
    return {y, -y * y * x.a, -y * y * x.b, -y * y * x.ab + 2.0 * y * y * y * x.a * x.b};
  }

  Law nearRigid(double w) const {
    const double step = std::max(h_, 1e-4), tau = 0.1 * step / std::numbers::pi;
    const double R = 0.01 * step * step * w / (4.0 * std::numbers::pi * std::numbers::pi * h_ * (h_ + tau));
    return {w > 0.0 ? 1.0 / R : 0.0, h_ + tau};
  }
  VectorXd rowOf(int row) const {
    VectorXd a = VectorXd::Zero(M.cols());
    for (const auto& entry : model_.rows.entries(row)) {
      a.segment(model_.trees.start(entry.tree) + entry.first, entry.count) += model_.rows.coefficients(entry);
    }
    return a;
  }
  void addContact(int index) {
    const IcfContact& input = model_.patches.contact(index);
    const auto& options = model_.patches.options();
    const MatrixXd J = pairJacobian({input.A, input.B, input.p_WC}).topRows(3);
    const Vector3d n = input.normal.normalized();
    const Matrix3d W = J * M_inverse * J.transpose();
    const Vector3d v_c0 = J * v0 + input.surface_velocity;
    Contact c{input, J, 0.0, 0.0, 0.0, n.dot(W * n), 0.0};
    c.input.normal = n;
    c.w_t = 0.5 * (W.trace() - c.w_n);
    if (shared_) {
      c.w_n = model_.patches.item(model_.patches.placeOf(index)).w_n;
      c.w_t = model_.patches.item(model_.patches.placeOf(index)).w_t;
    }
    const double x = (v_c0 - n.dot(v_c0) * n).norm() / options.stiction_speed;
    const auto S = [](double y) { return y / std::sqrt(1.0 + y * y); };
    c.mu = input.mu_dynamic + (input.mu_static - input.mu_dynamic) * (1.0 - S(x - 10.0)) / (1.0 + S(10.0));
    c.n0 = h_ * std::max(input.elastic_force, 0.0) * std::max(0.0, 1.0 - input.dissipation * n.dot(v_c0));
    c.epsilon = std::max(options.stiction_speed, c.mu * options.regularization * c.w_t * c.n0);
    contacts.push_back(c);
  }
  void addHolonomic(int index) {
    const IcfHolonomic& joint = model_.holonomics.constraint(index);
    const MatrixXd J = pairJacobian(joint.pair);
    for (int i = 0; i < joint.rows; ++i) {
      const VectorXd a = J.transpose() * joint.directions.col(i);
      Law law = nearRigid(shared_ ? model_.holonomics.inverseMass(index, i) : a.dot(M_inverse * a));
      const double tau = joint.damping / joint.stiffness;
      if (h_ * (h_ + tau) * joint.stiffness < law.stiffness) law = {h_ * (h_ + tau) * joint.stiffness, h_ + tau};
      squares.push_back({a, law, joint.gaps(i)});
    }
  }

  // -N(v) of the discrete Hunt-Crossley law.
  template <class T>
  T normalCost(const IcfContact& c, const T& v) const {
    const double k = c.stiffness, d = c.dissipation, f = c.elastic_force;
    if (k == 0.0 && f <= 0.0) return T(0.0);
    const double limit = std::min(k > 0.0 ? f / (h_ * k) : kInfinity, d > 0.0 ? 1.0 / d : kInfinity);
    const T x = real(v) < limit ? v : T(limit);
    const T delta = T(-h_ * k) * x;
    return T(-h_) * (x * (T(f) + T(0.5) * delta) - T(0.5 * d) * x * x * (T(f) + T(2.0 / 3.0) * delta));
  }
  template <class T>
  T contactCost(const Contact& c, const T (&v_c)[3]) const {
    T v_n = T(0.0), square = T(0.0);
    for (int i = 0; i < 3; ++i) v_n += T(c.input.normal(i)) * v_c[i];
    for (int i = 0; i < 3; ++i) {
      const T t = v_c[i] - v_n * T(c.input.normal(i));
      square += t * t;
    }
    const auto& options = model_.patches.options();
    if (options.friction == IcfFriction::sap) {
      const double horizon = h_ + c.input.relaxation_time;
      const double R_n = std::max(std::pow(options.sap_period / (2.0 * std::numbers::pi), 2) * c.w_n,
                                  1.0 / (h_ * c.input.stiffness * horizon));
      const double R_t = options.regularization * c.w_t;
      const T y_n = (T(c.input.elastic_force / (c.input.stiffness * horizon)) - v_n) * T(1.0 / R_n);
      const T y_t = rootOf(square) * T(1.0 / R_t);
      const double mu_hat = c.mu * R_t / R_n;
      if (real(y_t) <= c.mu * real(y_n)) return T(0.5 * R_n) * y_n * y_n + T(0.5 / R_t) * square;
      if (-mu_hat * real(y_t) >= real(y_n)) return T(0.0);
      const T gamma = (y_n + T(mu_hat) * y_t) * T(1.0 / (1.0 + c.mu * mu_hat));
      return T(0.5 * (R_n + c.mu * c.mu * R_t)) * gamma * gamma;
    }
    const T slip = square * inverse(rootOf(square + T(c.epsilon * c.epsilon)) + T(c.epsilon));
    if (options.friction == IcfFriction::lagged) return T(c.mu * c.n0) * slip + normalCost(c.input, v_n);
    return normalCost(c.input, v_n - T(c.mu) * slip);
  }

  const IcfModel& model_;
  double h_;
  bool shared_;
};

}  // namespace cornet::test
