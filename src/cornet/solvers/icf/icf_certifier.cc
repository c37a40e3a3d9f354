#include "cornet/solvers/icf/icf_certifier.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cornet {
namespace {

// Evaluations with other last bits, and what the spread of so few stands for: some hundred roundings in a row.
constexpr int kPatterns = 4;
constexpr double kRoundings = 32.0;
constexpr double kFarAbove = 1e3;

// Turns the last bit of a number up or down by a fixed pattern; the pattern 0 leaves it alone.
class Nudge {
 public:
  explicit Nudge(int pattern) : state_(static_cast<std::uint64_t>(pattern)), on_(pattern > 0) {}
  double operator()(double x) {
    if (!on_) return x;
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return (state_ >> 63) != 0 ? x * (1.0 + kEpsilon) : x * (1.0 - kEpsilon);
  }
  Vector3d operator()(const Vector3d& x) { return {(*this)(x.x()), (*this)(x.y()), (*this)(x.z())}; }

 private:
  std::uint64_t state_;
  bool on_;
};

// R⁻¹ and h + τ of a constraint as stiff as the step resolves.
std::pair<double, double> stiffest(double h, double w) {
  const double period = 0.1 * std::max(h, 1e-4);
  const double tau = period / std::numbers::pi;
  const double K = w > 0.0 ? std::pow(2.0 * std::numbers::pi / period, 2) / w : 0.0;
  return {K * h * (h + tau), h + tau};
}

// One evaluation of g.
class Balance {
 public:
  Balance(const IcfModel& model, const VectorXd& v, int pattern, VectorXd& g) : model_(model), v_(v), nudge_(pattern), g_(g) {}

  void addMomentum(int t);
  void addContact(int contact);
  void addHolonomic(int constraint);
  void addLimit(int c);
  void addCoupler(int c);
  void addGain(int c);

 private:
  struct Velocity {
    Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero();
  };

  // Of a link for velocity j of its tree, at a point `p` from its origin.
  Velocity unitVelocity(int b, int j, const Vector3d& p) {
    const auto J = model_.bodies.jacobian(b);
    Velocity unit = {J.col(j).head<3>(), J.col(j).tail<3>()};
    unit.linear = nudge_(unit.linear) + nudge_(unit.angular.cross(p));
    unit.angular = nudge_(unit.angular);
    return unit;
  }

  Vector3d cross(const Vector3d& a, const Vector3d& b) {
    return {nudge_(a.y() * b.z()) - nudge_(a.z() * b.y()), nudge_(a.z() * b.x()) - nudge_(a.x() * b.z()),
            nudge_(a.x() * b.y()) - nudge_(a.y() * b.x())};
  }
  // Both are what unit velocities say, written out for free bodies.
  Velocity relativeVelocity(int A, int B, const Vector3d& p_W) {
    Velocity sum;
    for (const auto& [b, sign] : {std::pair{B, 1.0}, std::pair{A, -1.0}}) {
      const int t = model_.bodies.tree(b);
      if (t < 0) continue;
      const int start = model_.trees.start(t);
      const Vector3d p = p_W - model_.bodies.origin(b);
      if (model_.bodies.isFree(b)) {
        const Vector3d omega = v_.segment<3>(start + 3);
        sum.linear += sign * (nudge_(Vector3d(v_.segment<3>(start))) + cross(omega, p));
        sum.angular += sign * nudge_(omega);
        continue;
      }
      for (int j = 0; j < model_.trees.size(t); ++j) {
        const Velocity unit = unitVelocity(b, j, p);
        sum.linear += nudge_(Vector3d(sign * v_(start + j) * unit.linear));
        sum.angular += nudge_(Vector3d(sign * v_(start + j) * unit.angular));
      }
    }
    return sum;
  }
  void addForce(int A, int B, const Vector3d& p_W, const Vector3d& force, const Vector3d& torque) {
    for (const auto& [b, sign] : {std::pair{B, 1.0}, std::pair{A, -1.0}}) {
      const int t = model_.bodies.tree(b);
      if (t < 0) continue;
      const int start = model_.trees.start(t);
      const Vector3d p = p_W - model_.bodies.origin(b);
      if (model_.bodies.isFree(b)) {
        g_.segment<3>(start) -= sign * nudge_(force);
        g_.segment<3>(start + 3) -= sign * (cross(p, force) + nudge_(torque));
        continue;
      }
      for (int j = 0; j < model_.trees.size(t); ++j) {
        const Velocity unit = unitVelocity(b, j, p);
        for (int i = 0; i < 3; ++i) {
          g_(start + j) -= nudge_(sign * force(i) * unit.linear(i)) + nudge_(sign * torque(i) * unit.angular(i));
        }
      }
    }
  }
  double rate(int row) {
    double y = 0.0;
    for (const auto& entry : model_.rows.entries(row)) {
      const auto a = model_.rows.coefficients(entry);
      for (int i = 0; i < entry.count; ++i) y += nudge_(a(i) * v_(model_.trees.start(entry.tree) + entry.first + i));
    }
    return y;
  }
  void addRow(int row, double impulse) {
    for (const auto& entry : model_.rows.entries(row)) {
      const auto a = model_.rows.coefficients(entry);
      for (int i = 0; i < entry.count; ++i) g_(model_.trees.start(entry.tree) + entry.first + i) -= nudge_(a(i) * impulse);
    }
  }
  double normalImpulse(const IcfContact& contact, double speed) {
    const double h = model_.h();
    const double force = nudge_(contact.elastic_force) - nudge_(h * contact.stiffness * speed);
    const double factor = 1.0 - nudge_(contact.dissipation * speed);
    return force > 0.0 && factor > 0.0 ? h * force * factor : 0.0;
  }
  double frictionOfStart(const IcfContact& contact, double& normal_speed) const;

  const IcfModel& model_;
  const VectorXd& v_;
  Nudge nudge_;
  VectorXd& g_;
};

void Balance::addMomentum(int t) {
  const double h = model_.h();
  const auto M = model_.trees.mass(t);
  const int start = model_.trees.start(t);
  for (int i = 0; i < model_.trees.size(t); ++i) {
    double& g = g_(start + i);
    g = nudge_(h * model_.trees.k0(t)(i));
    for (int j = 0; j < model_.trees.size(t); ++j) {
      const double A_ij = 0.5 * (M(i, j) + M(j, i)) + (i == j ? h * model_.trees.damping(t)(i) : 0.0);
      g += nudge_(A_ij * v_(start + j)) - nudge_(A_ij * model_.trees.v0(t)(j));
    }
  }
}

// The coefficient of friction and the normal velocity of the start.
double Balance::frictionOfStart(const IcfContact& contact, double& normal_speed) const {
  Vector3d u = contact.surface_velocity;
  for (const auto& [b, sign] : {std::pair{contact.B, 1.0}, std::pair{contact.A, -1.0}}) {
    const int t = model_.bodies.tree(b);
    if (t < 0) continue;
    const auto v0 = model_.trees.v0(t);
    const Vector3d p = contact.p_WC - model_.bodies.origin(b);
    Vector3d linear, angular;
    if (model_.bodies.isFree(b)) {
      linear = v0.head<3>();
      angular = v0.tail<3>();
    } else {
      linear = model_.bodies.jacobian(b).topRows<3>().lazyProduct(v0);
      angular = model_.bodies.jacobian(b).bottomRows<3>().lazyProduct(v0);
    }
    u += sign * (linear + angular.cross(p));
  }
  const Vector3d n = contact.normal.normalized();
  normal_speed = u.dot(n);
  const double y = (u - normal_speed * n).norm() / model_.patches.options().stiction_speed - 10.0;
  const double root = std::sqrt(1.0 + y * y);
  const double part = y > 0.0 ? 1.0 / (root * root + y * root) : 1.0 - y / root;
  return contact.mu_dynamic + (contact.mu_static - contact.mu_dynamic) * part / (1.0 + 10.0 / std::sqrt(101.0));
}

void Balance::addContact(int index) {
  const IcfContact& contact = model_.patches.contact(index);
  const auto& item = model_.patches.item(model_.patches.placeOf(index));
  const auto& options = model_.patches.options();
  const double h = model_.h();
  const Vector3d n = nudge_(Vector3d(contact.normal.normalized()));
  const Vector3d u = relativeVelocity(contact.A, contact.B, contact.p_WC).linear + nudge_(contact.surface_velocity);
  const double u_n = u.dot(n);
  const Vector3d u_t = u - nudge_(Vector3d(u_n * n));
  double u0_n = 0.0;
  const double mu = frictionOfStart(contact, u0_n);
  Vector3d impulse = Vector3d::Zero();
  if (options.friction == IcfFriction::sap) {
    const double horizon = h + contact.relaxation_time;
    const double R_n = std::max(std::pow(options.sap_period / (2.0 * std::numbers::pi), 2) * item.w_n,
                                1.0 / (h * contact.stiffness * horizon));
    const double R_t = options.regularization * item.w_t;
    const double closing = nudge_(contact.elastic_force / (contact.stiffness * horizon)) - u_n;
    const double slip = u_t.norm();
    const double grip = R_t > 0.0 ? mu : 0.0;
    if (slip * R_n <= grip * closing * R_t || (grip == 0.0 && closing > 0.0)) {
      impulse = closing / R_n * n;
      if (grip > 0.0) impulse -= u_t / R_t;
    } else if (closing + grip * slip > 0.0) {
      impulse = (closing + grip * slip) / (R_n + grip * grip * R_t) * (n - grip * u_t / slip);
    }
  } else {
    const double n0 = h * std::max(contact.elastic_force, 0.0) * std::max(1.0 - contact.dissipation * u0_n, 0.0);
    const double epsilon = std::max(options.stiction_speed, mu * options.regularization * item.w_t * n0);
    const double s = std::hypot(u_t.norm(), epsilon);
    if (options.friction == IcfFriction::lagged) {
      impulse = normalImpulse(contact, u_n) * n - mu * n0 / s * u_t;
    } else {
      impulse = normalImpulse(contact, u_n - nudge_(mu * u_t.squaredNorm() / (s + epsilon))) * (n - mu / s * u_t);
    }
  }
  addForce(contact.A, contact.B, contact.p_WC, impulse, Vector3d::Zero());
}

void Balance::addHolonomic(int index) {
  const IcfHolonomic& joint = model_.holonomics.constraint(index);
  const double h = model_.h();
  const Velocity u = relativeVelocity(joint.pair.A, joint.pair.B, joint.pair.p_W);
  for (int i = 0; i < joint.rows; ++i) {
    const Vector3d shift = joint.directions.col(i).head<3>();
    const Vector3d turn = joint.directions.col(i).tail<3>();
    auto [weight, horizon] = stiffest(h, model_.holonomics.inverseMass(index, i));
    const double tau = joint.damping / joint.stiffness;
    if (const double soft = h * (h + tau) * joint.stiffness; soft < weight) {
      weight = soft;
      horizon = h + tau;
    }
    double miss = -nudge_(joint.gaps(i) / horizon);
    for (int k = 0; k < 3; ++k) miss -= nudge_(shift(k) * u.linear(k)) + nudge_(turn(k) * u.angular(k));
    addForce(joint.pair.A, joint.pair.B, joint.pair.p_W, weight * miss * shift, weight * miss * turn);
  }
}

void Balance::addLimit(int c) {
  const LimitLaw& law = model_.limits.law(c);
  const int row = model_.limits.row(c);
  const double y = rate(row);
  const auto [weight, horizon] = stiffest(model_.h(), model_.rows.inverseMass(row));
  const double lower = law.rate + nudge_((law.lower - law.q0) / horizon), upper = law.rate + nudge_((law.upper - law.q0) / horizon);
  if (y < lower) addRow(row, weight * (lower - y));
  if (y > upper) addRow(row, weight * (upper - y));
}

void Balance::addCoupler(int c) {
  const int row = model_.couplers.row(c);
  const auto [weight, horizon] = stiffest(model_.h(), model_.rows.inverseMass(row));
  const CouplerLaw& law = model_.couplers.law(c);
  addRow(row, weight * (law.rate - nudge_(law.g0 / horizon) - rate(row)));
}

void Balance::addGain(int c) {
  const GainLaw& law = model_.gains.law(c);
  const int row = model_.gains.row(c);
  addRow(row, model_.h() * std::clamp(nudge_(law.bias) - nudge_(law.gain * rate(row)), -law.effort, law.effort));
}

void evaluate(const IcfModel& model, const IcfItems& items, const VectorXd& v, int pattern, VectorXd& g) {
  Balance balance(model, v, pattern, g);
  for (const int t : items.trees) balance.addMomentum(t);
  for (const int patch : items.patches) {
    for (int k = model.patches.begin(patch); k < model.patches.end(patch); ++k) balance.addContact(model.patches.item(k).source);
  }
  for (const int c : items.holonomics) balance.addHolonomic(c);
  for (const int c : items.limits) balance.addLimit(c);
  for (const int c : items.couplers) balance.addCoupler(c);
  for (const int c : items.gains) balance.addGain(c);
}

}  // namespace

void IcfCertifier::reset(const IcfModel& model) {
  gradient_.resize(model.trees.velocityCount());
  nudged_.resize(model.trees.velocityCount());
}

IcfCertificate IcfCertifier::judge(const IcfModel& model, const IcfItems& items, const VectorXd& v, double tolerance) {
  if (gradient_.size() != model.trees.velocityCount()) reset(model);
  evaluate(model, items, v, 0, gradient_);
  IcfCertificate certificate;
  double error = 0.0;
  for (const int t : items.trees) {
    const auto M = model.trees.mass(t);
    const int start = model.trees.start(t), n = model.trees.size(t);
    for (int i = 0; i < n; ++i) {
      certificate.residual += gradient_(start + i) * gradient_(start + i) / M(i, i);
      certificate.scale += model.trees.r(t)(i) * model.trees.r(t)(i) / M(i, i);
    }
    auto z = nudged_.segment(start, n);
    z = gradient_.segment(start, n);
    model.trees.solveLower(t, z);
    error += z.squaredNorm();
  }
  certificate.residual = std::sqrt(certificate.residual);
  certificate.scale = std::sqrt(certificate.scale);
  certificate.error = std::sqrt(error);
  if (certificate.residual <= tolerance * certificate.scale) return certificate;
  for (int pattern = 1; pattern <= kPatterns; ++pattern) {
    evaluate(model, items, v, pattern, nudged_);
    double spread = 0.0;
    for (const int t : items.trees) {
      const auto M = model.trees.mass(t);
      for (int i = 0; i < model.trees.size(t); ++i) {
        const double difference = nudged_(model.trees.start(t) + i) - gradient_(model.trees.start(t) + i);
        spread += difference * difference / M(i, i);
      }
    }
    certificate.floor = std::max(certificate.floor, kRoundings * std::sqrt(spread));
    // Far above the floor of two patterns the others change nothing; a single one may cancel.
    if (pattern >= 2 && certificate.residual > kFarAbove * certificate.floor) break;
  }
  return certificate;
}

IcfCertificate IcfCertifier::judge(const IcfModel& model, const VectorXd& v, double tolerance) {
  return judge(model, all_.reset(model), v, tolerance);
}

}  // namespace cornet
