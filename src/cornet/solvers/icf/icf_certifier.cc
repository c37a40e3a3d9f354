#include "cornet/solvers/icf/icf_certifier.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cornet {

/// The velocity of B relative to A at a point, linear and angular, and the size of the terms it is a sum of.
struct IcfCertifier::Point {
  int A, B;
  Vector3d p_W;
  Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero();
  double linear_size = 0.0, angular_size = 0.0;
  double lever = 0.0;  // of both bodies
};

namespace {

// Roundings that a sum of some terms takes.
constexpr double kRoundings = 8.0 * kEpsilon;

// Linear and angular velocity of a body for velocity j of its tree.
std::pair<Vector3d, Vector3d> unitTwist(const IcfBodies& bodies, int b, int j) {
  if (bodies.isFree(b)) {
    return j < 3 ? std::pair(Vector3d(Vector3d::Unit(j)), Vector3d(Vector3d::Zero()))
                 : std::pair(Vector3d(Vector3d::Zero()), Vector3d(Vector3d::Unit(j - 3)));
  }
  const auto J = bodies.jacobian(b);
  return {J.col(j).head<3>(), J.col(j).tail<3>()};
}

// R⁻¹ and h + τ of a constraint as stiff as the step resolves.
std::pair<double, double> stiffest(double h, double w) {
  const double period = 0.1 * std::max(h, 1e-4);
  const double tau = period / std::numbers::pi;
  const double K = w > 0.0 ? std::pow(2.0 * std::numbers::pi / period, 2) / w : 0.0;
  return {K * h * (h + tau), h + tau};
}

}  // namespace

IcfCertifier::Point IcfCertifier::locate(const IcfModel& model, int A, int B, const Vector3d& p_W, const VectorXd& v) const {
  Point point{A, B, p_W};
  point.lever = (p_W - model.bodies.origin(A)).norm() + (p_W - model.bodies.origin(B)).norm();
  for (const auto& [b, sign] : {std::pair{B, 1.0}, std::pair{A, -1.0}}) {
    const int t = model.bodies.tree(b);
    if (t < 0) continue;
    const Vector3d p = p_W - model.bodies.origin(b);
    for (int j = 0; j < model.trees.size(t); ++j) {
      const auto [linear, angular] = unitTwist(model.bodies, b, j);
      const double v_j = v(model.trees.start(t) + j);
      point.linear += sign * v_j * (linear + angular.cross(p));
      point.angular += sign * v_j * angular;
      point.linear_size += std::abs(v_j) * (linear.norm() + angular.norm() * point.lever);
      point.angular_size += std::abs(v_j) * angular.norm();
    }
  }
  return point;
}

// What roundings of velocities make of an impulse, over ε: `along` one direction (linear; angular), `across` all.
struct IcfCertifier::Slack {
  Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero();
  double along = 0.0, across = 0.0;
};

void IcfCertifier::addPoint(const IcfModel& model, const Point& point, const Vector3d& impulse, const Vector3d& torque, const Slack& slack) {
  for (const auto& [b, sign] : {std::pair{point.B, 1.0}, std::pair{point.A, -1.0}}) {
    const int t = model.bodies.tree(b);
    if (t < 0) continue;
    const Vector3d p = point.p_W - model.bodies.origin(b);
    for (int j = 0; j < model.trees.size(t); ++j) {
      const auto [linear, angular] = unitTwist(model.bodies, b, j);
      const Vector3d moved = linear + angular.cross(p);
      const int k = model.trees.start(t) + j;
      gradient_(k) -= sign * (impulse.dot(moved) + torque.dot(angular));
      size_(k) += (impulse.norm() + slack.across) * (linear.norm() + angular.norm() * point.lever) + torque.norm() * angular.norm() +
                  slack.along * std::abs(slack.linear.dot(moved) + slack.angular.dot(angular));
    }
  }
}

void IcfCertifier::addContact(const IcfModel& model, int index, const VectorXd& v) {
  const IcfContact& contact = model.patches.contact(index);
  const auto& item = model.patches.item(model.patches.placeOf(index));
  const auto& options = model.patches.options();
  const double h = model.h();
  Point point = locate(model, contact.A, contact.B, contact.p_WC, v);
  const Vector3d n = contact.normal.normalized();
  const Vector3d u = point.linear + contact.surface_velocity;
  const double u_n = u.dot(n);
  const Vector3d u_t = u - u_n * n;
  // The coefficient of friction and the normal force of the start.
  Vector3d u0 = contact.surface_velocity;
  for (const auto& [b, sign] : {std::pair{contact.B, 1.0}, std::pair{contact.A, -1.0}}) {
    const int t = model.bodies.tree(b);
    for (int j = 0; t >= 0 && j < model.trees.size(t); ++j) {
      const auto [linear, angular] = unitTwist(model.bodies, b, j);
      u0 += sign * model.trees.v0(t)(j) * (linear + angular.cross(contact.p_WC - model.bodies.origin(b)));
    }
  }
  const double u0_n = u0.dot(n);
  const double y = (u0 - u0_n * n).norm() / options.stiction_speed - 10.0;
  const double part = y > 0.0 ? 1.0 / (1.0 + y * y + y * std::sqrt(1.0 + y * y)) : 1.0 - y / std::sqrt(1.0 + y * y);
  const double mu = contact.mu_dynamic + (contact.mu_static - contact.mu_dynamic) * part / (1.0 + 10.0 / std::sqrt(101.0));

  const auto normalImpulse = [&](double speed) {
    const double pushed = contact.elastic_force - h * contact.stiffness * speed;
    const double damped = 1.0 - contact.dissipation * speed;
    return pushed > 0.0 && damped > 0.0 ? h * pushed * damped : 0.0;
  };
  const auto normalCurvature = [&](double speed) {
    const double pushed = contact.elastic_force - h * contact.stiffness * speed;
    const double damped = 1.0 - contact.dissipation * speed;
    return pushed > 0.0 && damped > 0.0 ? h * (h * contact.stiffness * damped + contact.dissipation * pushed) : 0.0;
  };
  point.linear_size += contact.surface_velocity.norm();
  Vector3d impulse = Vector3d::Zero();
  Slack slack;
  // The curvature c along a direction u, and what f is rounded to.
  const auto setAlong = [&](const Vector3d& u_i, double c, double force) {
    slack.linear = u_i;
    slack.along = c * u_i.norm() * point.linear_size + force;
  };
  if (options.friction == IcfFriction::sap) {
    const double horizon = h + contact.relaxation_time;
    const double R_n = std::max(std::pow(options.sap_period / (2.0 * std::numbers::pi), 2) * item.w_n,
                                1.0 / (h * contact.stiffness * horizon));
    const double R_t = options.regularization * item.w_t;
    const double closing = contact.elastic_force / (contact.stiffness * horizon) - u_n;
    const double slip = u_t.norm();
    const double coefficient = R_t > 0.0 ? mu : 0.0;
    if (slip * R_n <= coefficient * closing * R_t || (coefficient == 0.0 && closing > 0.0)) {
      impulse = closing / R_n * n;
      setAlong(n, 1.0 / R_n, (closing + u_n) / R_n);
      if (coefficient > 0.0) {
        impulse -= u_t / R_t;
        slack.across = point.linear_size / R_t;
      }
    } else if (closing + coefficient * slip > 0.0) {
      const double along = (closing + coefficient * slip) / (R_n + coefficient * coefficient * R_t);
      const Vector3d direction = n - coefficient * u_t / slip;
      const double c = 1.0 / (R_n + coefficient * coefficient * R_t);
      impulse = along * direction;
      setAlong(direction, c, c * std::abs(closing + u_n));
      slack.across = coefficient * along / slip * point.linear_size;
    }
  } else {
    const double n0 = h * std::max(contact.elastic_force, 0.0) * std::max(1.0 - contact.dissipation * u0_n, 0.0);
    const double epsilon = std::max(options.stiction_speed, mu * options.regularization * item.w_t * n0);
    const double s = std::hypot(u_t.norm(), epsilon);
    if (options.friction == IcfFriction::lagged) {
      impulse = normalImpulse(u_n) * n - mu * n0 / s * u_t;
      setAlong(n, normalCurvature(u_n), h * std::abs(contact.elastic_force) * (normalImpulse(u_n) > 0.0));
      slack.across = mu * n0 / s * point.linear_size;
    } else {
      const double z = u_n - mu * u_t.squaredNorm() / (s + epsilon);
      const Vector3d direction = n - mu / s * u_t;
      impulse = normalImpulse(z) * direction;
      setAlong(direction, normalCurvature(z), h * std::abs(contact.elastic_force) * (normalImpulse(z) > 0.0));
      slack.across = mu * normalImpulse(z) / s * point.linear_size;
    }
  }
  addPoint(model, point, impulse, Vector3d::Zero(), slack);
}

void IcfCertifier::addHolonomic(const IcfModel& model, int index, const VectorXd& v) {
  const IcfHolonomic& joint = model.holonomics.constraint(index);
  const Point point = locate(model, joint.pair.A, joint.pair.B, joint.pair.p_W, v);
  for (int i = 0; i < joint.rows; ++i) {
    const Vector3d s = joint.directions.col(i).head<3>();
    const Vector3d turn = joint.directions.col(i).tail<3>();
    auto [weight, horizon] = stiffest(model.h(), model.holonomics.inverseMass(index, i));
    const double tau = joint.damping / joint.stiffness;
    if (const double soft = model.h() * (model.h() + tau) * joint.stiffness; soft < weight) {
      weight = soft;
      horizon = model.h() + tau;
    }
    const double wanted = -joint.gaps(i) / horizon;
    const double impulse = weight * (wanted - s.dot(point.linear) - turn.dot(point.angular));
    const double size = weight * (std::abs(wanted) + s.norm() * point.linear_size + turn.norm() * point.angular_size);
    addPoint(model, point, impulse * s, impulse * turn, {s, turn, size, 0.0});
  }
}

void IcfCertifier::addRow(const IcfModel& model, int row, double rate_size, double impulse, double curvature) {
  for (const auto& entry : model.rows.entries(row)) {
    const auto a = model.rows.coefficients(entry);
    for (int i = 0; i < entry.count; ++i) {
      const int k = model.trees.start(entry.tree) + entry.first + i;
      gradient_(k) -= a(i) * impulse;
      size_(k) += std::abs(a(i)) * (std::abs(impulse) + curvature * rate_size);
    }
  }
}

void IcfCertifier::reset(const IcfModel& model) {
  gradient_.resize(model.trees.velocityCount());
  size_.resize(model.trees.velocityCount());
}

IcfCertificate IcfCertifier::judge(const IcfModel& model, const IcfItems& items, const VectorXd& v) {
  if (gradient_.size() != model.trees.velocityCount()) reset(model);
  const double h = model.h();
  for (const int t : items.trees) {
    const auto M = model.trees.mass(t);
    for (int i = 0; i < model.trees.size(t); ++i) {
      const int k = model.trees.start(t) + i;
      gradient_(k) = h * model.trees.k0(t)(i);
      size_(k) = std::abs(gradient_(k));
      for (int j = 0; j < model.trees.size(t); ++j) {
        const double A_ij = 0.5 * (M(i, j) + M(j, i)) + (i == j ? h * model.trees.damping(t)(i) : 0.0);
        const double v_j = v(model.trees.start(t) + j);
        const double v0_j = model.trees.v0(t)(j);
        gradient_(k) += A_ij * (v_j - v0_j);
        size_(k) += std::abs(A_ij) * (std::abs(v_j) + std::abs(v0_j));
      }
    }
  }
  for (const int patch : items.patches) {
    for (int k = model.patches.begin(patch); k < model.patches.end(patch); ++k) addContact(model, model.patches.item(k).source, v);
  }
  for (const int c : items.holonomics) addHolonomic(model, c, v);
  const auto rate = [&](int row) {
    double y = 0.0, size = 0.0;
    for (const auto& entry : model.rows.entries(row)) {
      for (int i = 0; i < entry.count; ++i) {
        const double term = model.rows.coefficients(entry)(i) * v(model.trees.start(entry.tree) + entry.first + i);
        y += term;
        size += std::abs(term);
      }
    }
    return std::pair(y, size);
  };
  for (const int c : items.limits) {
    const LimitLaw& law = model.limits.law(c);
    const auto [y, size] = rate(model.limits.row(c));
    const auto [weight, horizon] = stiffest(h, model.rows.inverseMass(model.limits.row(c)));
    const double lower = (law.lower - law.q0) / horizon, upper = (law.upper - law.q0) / horizon;
    const double wanted = y < lower ? lower : y > upper ? upper : y;
    addRow(model, model.limits.row(c), size + std::abs(wanted), weight * (wanted - y), wanted == y ? 0.0 : weight);
  }
  for (const int c : items.couplers) {
    const auto [y, size] = rate(model.couplers.row(c));
    const auto [weight, horizon] = stiffest(h, model.rows.inverseMass(model.couplers.row(c)));
    const double wanted = -model.couplers.law(c).g0 / horizon;
    addRow(model, model.couplers.row(c), size + std::abs(wanted), weight * (wanted - y), weight);
  }
  for (const int c : items.gains) {
    const GainLaw& law = model.gains.law(c);
    const auto [y, size] = rate(model.gains.row(c));
    const double effort = std::clamp(law.bias - law.gain * y, -law.effort, law.effort);
    addRow(model, model.gains.row(c), size, h * effort, std::abs(effort) < law.effort ? h * law.gain : 0.0);
  }

  IcfCertificate certificate;
  double error = 0.0;
  for (const int t : items.trees) {
    const auto M = model.trees.mass(t);
    const int start = model.trees.start(t);
    for (int i = 0; i < model.trees.size(t); ++i) {
      const double D_squared = 1.0 / M(i, i);
      certificate.residual += D_squared * gradient_(start + i) * gradient_(start + i);
      certificate.scale += D_squared * model.trees.r(t)(i) * model.trees.r(t)(i);
      certificate.floor += D_squared * size_(start + i) * size_(start + i);
    }
    auto z = size_.segment(start, model.trees.size(t));
    z = gradient_.segment(start, model.trees.size(t));
    model.trees.solveLower(t, z);
    error += z.squaredNorm();
  }
  certificate.residual = std::sqrt(certificate.residual);
  certificate.scale = std::sqrt(certificate.scale);
  certificate.floor = kRoundings * std::sqrt(certificate.floor);
  certificate.error = std::sqrt(error);
  return certificate;
}

IcfCertificate IcfCertifier::judge(const IcfModel& model, const VectorXd& v) { return judge(model, all_.reset(model), v); }

}  // namespace cornet
