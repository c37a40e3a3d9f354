#include "cornet/solvers/icf/patch_pool.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

void checkContact(const IcfContact& contact, int index) {
  const auto require = [&](bool holds, std::string_view what, double value, std::string_view fix) {
    if (!holds) throw std::invalid_argument(fmt::format("contact {}: {} is {}; give {}", index, what, value, fix));
  };
  require(contact.p_WC.allFinite(), "its point", contact.p_WC.norm(), "finite numbers");
  require(contact.surface_velocity.allFinite(), "its surface velocity", contact.surface_velocity.norm(), "finite numbers");
  require(std::abs(contact.normal.norm() - 1.0) <= kUnitTolerance, "the length of its normal", contact.normal.norm(), "a unit vector");
  require(std::isfinite(contact.elastic_force), "its elastic force", contact.elastic_force, "a finite number");
  require(contact.stiffness >= 0.0 && std::isfinite(contact.stiffness), "its stiffness", contact.stiffness, "a finite number, at least 0");
  require(contact.dissipation >= 0.0 && std::isfinite(contact.dissipation), "its dissipation", contact.dissipation,
          "a finite number, at least 0");
  require(contact.relaxation_time >= 0.0 && std::isfinite(contact.relaxation_time), "its relaxation time", contact.relaxation_time,
          "a finite number, at least 0");
  require(contact.mu_dynamic >= 0.0 && std::isfinite(contact.mu_dynamic), "its dynamic friction", contact.mu_dynamic,
          "a finite number, at least 0");
  require(contact.mu_static >= contact.mu_dynamic && std::isfinite(contact.mu_static), "its static friction", contact.mu_static,
          "a finite number, at least the dynamic one");
  require(contact.A != contact.B, "its body B", contact.B, "two different bodies");
}

}  // namespace

IcfContact makePointContact(int A, int B, const Vector3d& p_WC, const Vector3d& normal, double depth, double stiffness) {
  if (depth > 0.0 && !(stiffness > 0.0)) {
    throw std::invalid_argument(fmt::format("contact of bodies {} and {}: stiffness {} with a depth of {}; give a positive stiffness",
                                            A, B, stiffness, depth));
  }
  IcfContact contact;
  contact.A = A;
  contact.B = B;
  contact.p_WC = p_WC;
  contact.normal = normal;
  contact.stiffness = stiffness;
  contact.elastic_force = stiffness * depth;
  return contact;
}

IcfContact makeFaceContact(int A, int B, const Vector3d& centroid_W, const Vector3d& normal, double area, double pressure,
                           double gradient_A, double gradient_B) {
  if (!(area > 0.0) || !std::isfinite(area) || !std::isfinite(pressure)) {
    throw std::invalid_argument(fmt::format("face of bodies {} and {}: area {}, pressure {}; give a positive area and finite numbers",
                                            A, B, area, pressure));
  }
  if (!(gradient_A >= 0.0) || !(gradient_B >= 0.0) || (gradient_A == kInfinity && gradient_B == kInfinity)) {
    throw std::invalid_argument(fmt::format("face of bodies {} and {}: pressure gradients {} and {}; give at least 0, one of them finite",
                                            A, B, gradient_A, gradient_B));
  }
  IcfContact contact = makePointContact(A, B, centroid_W, normal, 0.0, 0.0);
  contact.elastic_force = area * pressure;
  contact.stiffness = gradient_A == 0.0 || gradient_B == 0.0 ? 0.0 : area / (1.0 / gradient_A + 1.0 / gradient_B);
  return contact;
}

void PatchConstraintsPool::clear() {
  contacts_.clear();
  items_.clear();
  pair_.clear();
  begin_.assign(1, 0);
}

void PatchConstraintsPool::reserve(int contacts) {
  const auto n = static_cast<std::size_t>(contacts);
  contacts_.reserve(n);
  items_.reserve(n);
  pair_.reserve(n);
  inverse_mass_.reserve(contacts);
  for (auto* list : {&order_, &place_, &begin_}) list->reserve(n + 1);
}

int PatchConstraintsPool::add(const IcfContact& contact) {
  checkContact(contact, contactCount());
  contacts_.push_back(contact);
  return contactCount() - 1;
}

void PatchConstraintsPool::setOptions(const IcfContactOptions& options) {
  const auto require = [](double value, std::string_view name) {
    if (!(value > 0.0) || !std::isfinite(value)) {
      throw std::invalid_argument(fmt::format("contact options: {} is {}; give a positive number", name, value));
    }
  };
  require(options.stiction_speed, "stiction_speed");
  require(options.regularization, "regularization");
  require(options.sap_period, "sap_period");
  options_ = options;
}

// Sorts contacts by their two bodies, whichever comes first, and opens a patch where these change.
void PatchConstraintsPool::gather(const IcfBodies& bodies) {
  const int n = contactCount();
  order_.resize(contacts_.size());
  place_.resize(contacts_.size());
  for (int i = 0; i < n; ++i) {
    const IcfContact& contact = contacts_[i];
    for (const int b : {contact.A, contact.B}) {
      if (b < 0 || b >= bodies.count()) {
        throw std::invalid_argument(fmt::format("contact {}: there is no body {}; give 0 to {}", i, b, bodies.count() - 1));
      }
    }
    if (bodies.tree(contact.A) < 0 && bodies.tree(contact.B) < 0) {
      throw std::invalid_argument(fmt::format("contact {}: bodies {} and {} are both anchored; leave it out", i, contact.A, contact.B));
    }
    order_[i] = i;
  }
  const auto key = [&](int i) {
    return std::tuple(std::min(contacts_[i].A, contacts_[i].B), std::max(contacts_[i].A, contacts_[i].B), i);
  };
  std::ranges::sort(order_, {}, key);
  pair_.clear();
  begin_.assign(1, 0);
  items_.resize(contacts_.size());
  for (int k = 0; k < n; ++k) {
    const IcfContact& contact = contacts_[order_[k]];
    const int first = std::min(contact.A, contact.B);
    const int second = std::max(contact.A, contact.B);
    if (pair_.empty() || pair_.back().A != first || pair_.back().B != second) {
      if (k > 0) begin_.push_back(k);
      // The point is that of the body that moves: lever arms are then those of the contact on the body.
      pair_.push_back({first, second, bodies.origin(bodies.tree(second) >= 0 ? second : first)});
    }
    place_[order_[k]] = k;
    Item& item = items_[k];
    item.source = order_[k];
    item.sign = contact.A == first ? 1.0 : -1.0;
    item.p = contact.p_WC - pair_.back().p_W;
    item.normal = item.sign * contact.normal.normalized();
    item.bias = item.sign * contact.surface_velocity;
  }
  if (n > 0) begin_.push_back(n);
}

void PatchConstraintsPool::prepare(const IcfTrees& trees, const IcfBodies& bodies) {
  gather(bodies);
  inverse_mass_.resize(count());
  const auto startTwist = [&](int b, const Vector3d& p_W) -> Vector6d {
    const int t = bodies.tree(b);
    if (t < 0) return Vector6d::Zero();
    return shiftTwist(bodies.twist(b, trees.v0(t)), p_W - bodies.origin(b));
  };
  for (int patch = 0; patch < count(); ++patch) {
    const BodyPair& pair = pair_[patch];
    const Matrix6d& W = inverse_mass_[patch] = calcInverseMass(trees, bodies, pair, scratch_);
    const Vector6d V0 = startTwist(pair.B, pair.p_W) - startTwist(pair.A, pair.p_W);
    for (int k = begin(patch); k < end(patch); ++k) {
      Item& item = items_[k];
      item.v_c0 = shiftTwist(V0, item.p).head<3>() + item.bias;
      Eigen::Matrix<double, 3, 6> Phi;
      Phi << Matrix3d::Identity(), -skew(item.p);
      const Matrix3d W_c = Phi * W * Phi.transpose();
      item.w_n = item.normal.dot(W_c * item.normal);
      item.w_t = std::max(0.0, 0.5 * (W_c.trace() - item.w_n));
    }
  }
}

void setContactLaw(const IcfContactOptions& options, double h, PatchConstraintsPool::Item& item) {
  ContactLaw& law = item.law;
  law.h = h;
  law.friction = options.friction;
  law.lagged_impulse = h * item.lagged_force;
  law.epsilon = std::max(options.stiction_speed, law.mu * options.regularization * item.w_t * law.lagged_impulse);
}

void PatchConstraintsPool::setTimeStep(double h) {
  for (Item& item : items_) {
    const IcfContact& contact = contacts_[item.source];
    ContactLaw& law = item.law;
    const double v_n = item.normal.dot(item.v_c0);
    const double x = (item.v_c0 - v_n * item.normal).norm() / options_.stiction_speed;
    law = {};
    law.stiffness = contact.stiffness;
    law.elastic_force = contact.elastic_force;
    law.dissipation = contact.dissipation;
    law.approach = std::max(-v_n, 0.0);
    law.mu = blendFriction(contact.mu_static, contact.mu_dynamic, x).mu;
    item.lagged_force = std::max(contact.elastic_force, 0.0) * std::max(1.0 - contact.dissipation * v_n, 0.0);
    setContactLaw(options_, h, item);
    if (options_.friction != IcfFriction::sap) continue;
    if (contact.stiffness == 0.0) {
      throw std::invalid_argument(fmt::format("contact {}: stiffness 0 with sap friction; give a positive stiffness or another friction law",
                                              item.source));
    }
    const double horizon = h + contact.relaxation_time;
    const double beta = options_.sap_period / (2.0 * std::numbers::pi);
    law.R_n = std::max(beta * beta * item.w_n, 1.0 / (h * contact.stiffness * horizon));
    law.R_t = options_.regularization * item.w_t;
    law.v_hat = contact.elastic_force / (contact.stiffness * horizon);
    if (law.R_t == 0.0) law.mu = 0.0;  // nothing moves along the tangents
  }
}

double relativeStiffness(const ContactLaw& law, double w_n) {
  const double factor = 1.0 + law.dissipation * law.approach;
  const double force = std::max(law.elastic_force + law.h * law.stiffness * law.approach, 0.0);
  return law.h * (law.h * law.stiffness * factor + law.dissipation * force) * w_n;
}

ContactLaw soften(const ContactLaw& law, double w_n, double stiffest) {
  const double stiffness = relativeStiffness(law, w_n);
  if (!(stiffness > stiffest)) return law;
  ContactLaw soft = law;
  soft.stiffness *= stiffest / stiffness;
  soft.elastic_force *= stiffest / stiffness;
  return soft;
}

void PatchConstraintsPool::resizeData(Data& data) const {
  data.stiffest.assign(static_cast<std::size_t>(count()), kInfinity);
  data.velocity.resize(contactCount());
  data.impulse.resize(contactCount());
  data.force.resize(count());
  data.hessian.resize(count());
  data.line.resize(contacts_.size());
}

double PatchConstraintsPool::calcData(const IcfFrame& frame, std::span<const int> patches, const IcfMotion& motion, Data& data) const {
  double cost = 0.0;
  for (const int patch : patches) {
    const Vector6d V = relativeTwist(frame.bodies, pair_[patch], motion);
    Vector6d& force = data.force[patch];
    Matrix6d& hessian = data.hessian[patch];
    force.setZero();
    hessian.setZero();
    for (int k = begin(patch); k < end(patch); ++k) {
      const Item& item = items_[k];
      data.velocity[k] = shiftTwist(V, item.p).head<3>() + item.bias;
      const ContactTerms terms = calcContact(soften(item.law, item.w_n, data.stiffest[patch]), item.normal, data.velocity[k]);
      data.impulse[k] = terms.impulse;
      cost += terms.cost;
      force.head<3>() += terms.impulse;
      force.tail<3>() += item.p.cross(terms.impulse);
      const Matrix3d P = skew(item.p);
      const Matrix3d PG = P * terms.hessian;
      hessian.topLeftCorner<3, 3>() += terms.hessian;
      hessian.bottomLeftCorner<3, 3>() += PG;
      hessian.bottomRightCorner<3, 3>() -= PG * P;
    }
    hessian.topRightCorner<3, 3>() = hessian.bottomLeftCorner<3, 3>().transpose();
  }
  return cost;
}

void PatchConstraintsPool::addGradient(const IcfFrame& frame, std::span<const int> patches, const Data& data, VectorXd& g) const {
  for (const int patch : patches) addPairForce(frame, pair_[patch], -data.force[patch], g);
}

void PatchConstraintsPool::addHessian(const IcfFrame& frame, std::span<const int> patches, const Data& data, IcfHessian& H) const {
  for (const int patch : patches) H.addPair(frame.bodies, pair_[patch], data.hessian[patch]);
}

void PatchConstraintsPool::startLine(const IcfFrame& frame, std::span<const int> patches, const IcfMotion& w, Data& data,
                                     LineQuadratic&) const {
  for (const int patch : patches) {
    const Vector6d U = relativeTwist(frame.bodies, pair_[patch], w);
    for (int k = begin(patch); k < end(patch); ++k) {
      const Item& item = items_[k];
      data.line[k] = makeContactLine(item.normal, data.velocity[k], shiftTwist(U, item.p).head<3>());
    }
  }
}

LineTerms PatchConstraintsPool::calcAlong(std::span<const int> patches, const Data& data, double alpha) const {
  LineTerms sum;
  for (const int patch : patches) {
    for (int k = begin(patch); k < end(patch); ++k) {
      const ContactLaw& law = items_[k].law;
      const bool given = data.stiffest[patch] == kInfinity;
      if (given) {
        sum += calcContactAlong(law, data.line[k], alpha);
      } else {
        sum += calcContactAlong(soften(law, items_[k].w_n, data.stiffest[patch]), data.line[k], alpha);
      }
    }
  }
  return sum;
}

}  // namespace cornet
