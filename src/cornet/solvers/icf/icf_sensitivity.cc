#include "cornet/solvers/icf/icf_sensitivity.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

using ContactItem = PatchConstraintsPool::Item;

// How the impulse of a contact answers to its parameters, its velocity held.
struct ContactSensitivity {
  Vector3d f = Vector3d::Zero(), k = Vector3d::Zero(), d = Vector3d::Zero();
  Vector3d mu_static = Vector3d::Zero(), mu_dynamic = Vector3d::Zero();
  Vector3d w_n = Vector3d::Zero(), w_t = Vector3d::Zero();
  Matrix3d v0 = Matrix3d::Zero();  // to the velocity of the start
};

// dn of (ICF-3) by f, k and d at the speed v.
struct NormalSensitivity {
  double f = 0.0, k = 0.0, d = 0.0;
};

NormalSensitivity calcNormalSensitivity(const ContactLaw& law, double v) {
  const double force = law.elastic_force - law.h * law.stiffness * v;
  const double factor = 1.0 - law.dissipation * v;
  if (force <= 0.0 || factor <= 0.0) return {};
  return {law.h * factor, -law.h * law.h * v * factor, -law.h * force * v};
}

// The part of (ICF-7): constants R_n, R_t, v̂ and μ; returns ∂γ/∂μ.
Vector3d addSap(const IcfContactOptions& options, const IcfContact& contact, const ContactItem& item, const Vector3d& v_c,
                ContactSensitivity& s) {
  const ContactLaw& law = item.law;
  const Vector3d& n = item.normal;
  const double v_n = n.dot(v_c);
  const Vector3d v_t = v_c - v_n * n;
  const double a = law.v_hat - v_n;
  const double r = v_t.norm();
  Vector3d by_v_hat = Vector3d::Zero(), by_R_n = by_v_hat, by_R_t = by_v_hat, by_mu = by_v_hat;
  if (r * law.R_n <= law.mu * a * law.R_t) {
    by_v_hat = n / law.R_n;
    by_R_n = -a / (law.R_n * law.R_n) * n;
    if (law.mu > 0.0) by_R_t = v_t / (law.R_t * law.R_t);
  } else if (a + law.mu * r > 0.0) {
    const double c = 1.0 / (law.R_n + law.mu * law.mu * law.R_t);
    const double e = a + law.mu * r;
    const Vector3d t = v_t / r;
    const Vector3d u = n - law.mu * t;
    by_v_hat = c * u;
    by_R_n = -c * c * e * u;
    by_R_t = law.mu * law.mu * by_R_n;
    by_mu = (c * r - 2.0 * law.mu * law.R_t * c * c * e) * u - c * e * t;
  }
  const double beta = options.sap_period / (2.0 * std::numbers::pi);
  const double horizon = law.h + contact.relaxation_time;
  s.f = by_v_hat / (contact.stiffness * horizon);
  s.k = -law.v_hat / contact.stiffness * by_v_hat;
  if (beta * beta * item.w_n >= 1.0 / (law.h * contact.stiffness * horizon)) {
    s.w_n = beta * beta * by_R_n;
  } else {
    s.k -= law.R_n / contact.stiffness * by_R_n;
  }
  s.w_t = options.regularization * by_R_t;
  return by_mu;
}

ContactSensitivity calcContactSensitivity(const IcfContactOptions& options, const IcfContact& contact, const ContactItem& item,
                                          const Vector3d& v_c) {
  ContactSensitivity s;
  const ContactLaw& law = item.law;
  const Vector3d& n = item.normal;
  Vector3d by_mu = Vector3d::Zero(), by_n0 = Vector3d::Zero();
  if (law.friction == IcfFriction::sap) {
    by_mu = addSap(options, contact, item, v_c, s);
  } else {
    const double v_n = n.dot(v_c);
    const Vector3d v_t = v_c - v_n * n;
    const double length = std::sqrt(v_t.squaredNorm() + law.epsilon * law.epsilon);
    const double slip = v_t.squaredNorm() / (length + law.epsilon);
    const Vector3d t = v_t / length;
    Vector3d by_epsilon, along = n;
    double z = v_n;
    if (law.friction == IcfFriction::lagged) {
      by_mu = -law.lagged_impulse * t;
      by_n0 = -law.mu * t;
      by_epsilon = law.mu * law.lagged_impulse * law.epsilon / (length * length) * t;
    } else {
      z -= law.mu * slip;
      along -= law.mu * t;
      const NormalTerms normal = calcNormal(law, z);
      by_mu = -normal.slope * slip * along - normal.impulse * t;
      by_epsilon = -law.mu * (law.epsilon / length - 1.0) * normal.slope * along +
                   law.mu * normal.impulse * law.epsilon / (length * length) * t;
    }
    const NormalSensitivity normal = calcNormalSensitivity(law, z);
    s.f = normal.f * along;
    s.k = normal.k * along;
    s.d = normal.d * along;
    // The softening follows μ, n0 and w_t where it is not that of the stiction speed.
    if (law.epsilon > options.stiction_speed) {
      by_mu += options.regularization * item.w_t * law.lagged_impulse * by_epsilon;
      by_n0 += options.regularization * item.w_t * law.mu * by_epsilon;
      s.w_t = options.regularization * law.mu * law.lagged_impulse * by_epsilon;
    }
  }
  // n0 = h f₊ (1 - d v_n0)₊ and μ of the start.
  const double v_n0 = n.dot(item.v_c0);
  const double factor = 1.0 - contact.dissipation * v_n0;
  if (contact.elastic_force > 0.0 && factor > 0.0) {
    s.f += law.h * factor * by_n0;
    s.d -= law.h * contact.elastic_force * v_n0 * by_n0;
    s.v0 -= law.h * contact.elastic_force * contact.dissipation * by_n0 * n.transpose();
  }
  const Vector3d slip0 = item.v_c0 - v_n0 * n;
  const double speed0 = slip0.norm();
  const double x = speed0 / options.stiction_speed;
  const double part = blendFriction(1.0, 0.0, x).mu;
  s.mu_static = part * by_mu;
  s.mu_dynamic = (1.0 - part) * by_mu;
  if (speed0 > 0.0) {
    const double slope = blendFriction(contact.mu_static, contact.mu_dynamic, x).slope;
    s.v0 += slope / options.stiction_speed * by_mu * (slip0 / speed0).transpose();
  }
  return s;
}

// y <- M⁻¹ y in these trees; calls visit(t, y of the tree) for each.
template <class Visitor>
void visitMassTerms(const IcfModel& model, std::span<const int> trees, VectorXd& y, Visitor&& visit) {
  for (const int t : trees) {
    auto part = y.segment(model.trees.start(t), model.trees.size(t));
    model.trees.solveLower(t, part);
    model.trees.solveUpper(t, part);
    visit(t, part);
  }
}

// Where the values of M of every tree begin in the list of all.
std::size_t massStart(const IcfModel& model, int tree) {
  std::size_t start = 0;
  for (int t = 0; t < tree; ++t) start += static_cast<std::size_t>(model.trees.size(t)) * static_cast<std::size_t>(model.trees.size(t));
  return start;
}

// A parameter of a law: a number of a contact or a gain; a rate s·V of a pair or a row under q0 or v0; an inverse mass.
// The visits below walk over all of them: sink.usePair(F, parameter) says that the parameter, by one, adds the force F at
// the point of the pair, sink.useRow(γ, parameter) that it adds γ along the row.
struct ParameterRef {
  enum Kind { number, q0_twist, v0_twist, pair_mass, q0_row, row_mass } kind;
  VectorXd IcfParameters::*list = nullptr;
  int index = 0;                          // in the list, or the row
  Vector6d s = Vector6d::Zero();
};

template <class Sink>
void visitContacts(const IcfModel& model, const IcfData& data, Sink& sink) {
  const PatchConstraintsPool& pool = model.patches;
  for (int patch = 0; patch < pool.count(); ++patch) {
    sink.beginPair(pool.pair(patch));
    for (int k = pool.begin(patch); k < pool.end(patch); ++k) {
      const ContactItem& item = pool.item(k);
      const IcfContact& contact = pool.contact(item.source);
      const ContactSensitivity s = calcContactSensitivity(pool.options(), contact, item, data.patches.velocity[k]);
      const auto at = [&](const Vector3d& force) {
        Vector6d F;
        F << force, item.p.cross(force);
        return F;
      };
      using P = IcfParameters;
      sink.usePair(at(s.f), {ParameterRef::number, &P::elastic_force, item.source, {}});
      sink.usePair(at(s.k), {ParameterRef::number, &P::stiffness, item.source, {}});
      sink.usePair(at(s.d), {ParameterRef::number, &P::dissipation, item.source, {}});
      sink.usePair(at(s.mu_static), {ParameterRef::number, &P::mu_static, item.source, {}});
      sink.usePair(at(s.mu_dynamic), {ParameterRef::number, &P::mu_dynamic, item.source, {}});
      // A gap that opens by n·dx takes k n·dx off the elastic force.
      sink.usePair(at(s.f), {ParameterRef::q0_twist, nullptr, 0, -contact.stiffness * at(item.normal)});
      for (int i = 0; i < 3; ++i) sink.usePair(at(s.v0.col(i)), {ParameterRef::v0_twist, nullptr, 0, at(Vector3d::Unit(i))});
      sink.usePair(at(s.w_n), {ParameterRef::pair_mass, nullptr, 0, at(item.normal)});
      if (s.w_t.isZero(0.0)) continue;
      // w_t is half the trace over all directions less that along the normal: two tangents.
      const Vector3d t1 = item.normal.unitOrthogonal();
      for (const Vector3d& t : {t1, Vector3d(item.normal.cross(t1))}) {
        sink.usePair(0.5 * at(s.w_t), {ParameterRef::pair_mass, nullptr, 0, at(t)});
      }
    }
    sink.endPair();
  }
}

template <class Sink>
void visitHolonomics(const IcfModel& model, const IcfData& data, Sink& sink) {
  const HolonomicConstraintsPool& pool = model.holonomics;
  for (int c = 0; c < pool.count(); ++c) {
    sink.beginPair(pool.pair(c));
    const Vector6d V = relativeTwist(model.bodies, pool.pair(c), data.motion);
    for (int i = 0; i < pool.constraint(c).rows; ++i) {
      const NearRigid& law = pool.law(c, i);
      const Vector6d s = pool.constraint(c).directions.col(i);
      sink.usePair(-law.stiffness / law.horizon * s, {ParameterRef::q0_twist, nullptr, 0, s});
      const double miss = -pool.constraint(c).gaps(i) / law.horizon - s.dot(V);
      sink.usePair(law.slope * miss * s, {ParameterRef::pair_mass, nullptr, 0, s});
    }
    sink.endPair();
  }
}

template <class Pool, class Sink>
void visitScalars(const Pool& pool, const ScalarConstraintsDataPool& data, Sink& sink) {
  for (int c = 0; c < pool.count(); ++c) {
    const ScalarSensitivity s = pool.law(c).sensitivity(data.rate[c]);
    sink.beginRow(pool.row(c));
    sink.useRow(s.coordinate, {ParameterRef::q0_row, nullptr, pool.row(c), {}});
    sink.useRow(s.inverse_mass, {ParameterRef::row_mass, nullptr, pool.row(c), {}});
    if (s.bias != 0.0) sink.useRow(s.bias, {ParameterRef::number, &IcfParameters::gain_bias, c, {}});
    sink.endRow();
  }
}

template <class Sink>
void visitConstraints(const IcfModel& model, const IcfData& data, Sink& sink) {
  visitContacts(model, data, sink);
  visitHolonomics(model, data, sink);
  visitScalars(model.limits, data.limits, sink);
  visitScalars(model.couplers, data.couplers, sink);
  visitScalars(model.gains, data.gains, sink);
}

// What both sinks share: the pair or row that is visited, and y of inverse masses.
class SensitivitySink {
 public:
  explicit SensitivitySink(const IcfModel& model) : model_(model) {}
  void beginPair(const BodyPair& pair) { pair_ = pair; }
  void beginRow(int row) { row_ = row; }

 protected:
  // Calls visit(t, y) for y = M⁻¹ Jᵀ s of each tree that the parameter touches.
  template <class Visitor>
  void visitMasses(const ParameterRef& parameter, Visitor&& visit) {
    y_.setZero(model_.trees.velocityCount());
    trees_.clear();
    const auto touch = [&](int t) {
      if (t >= 0 && std::ranges::find(trees_, t) == trees_.end()) trees_.push_back(t);
    };
    if (parameter.kind == ParameterRef::pair_mass) {
      addPairForce(model_.frame(), pair_, parameter.s, y_);
      touch(model_.bodies.tree(pair_.B));
      touch(model_.bodies.tree(pair_.A));
    } else {
      model_.rows.addForce(model_.trees, parameter.index, 1.0, y_);
      for (const auto& entry : model_.rows.entries(parameter.index)) touch(entry.tree);
    }
    visitMassTerms(model_, trees_, y_, visit);
  }

  const IcfModel& model_;
  BodyPair pair_;
  int row_ = -1;
  VectorXd y_;
  std::vector<int> trees_;
};

// dg of a direction.
class DirectionSink : public SensitivitySink {
 public:
  DirectionSink(const IcfModel& model, const IcfParameters& direction, const IcfMotion& dq, const IcfMotion& dv0, VectorXd& dg)
      : SensitivitySink(model), direction_(direction), dq_(dq), dv0_(dv0), dg_(dg) {}

  void usePair(const Vector6d& F, const ParameterRef& parameter) {
    if (!F.isZero(0.0)) force_ += value(parameter) * F;
  }
  void useRow(double gamma, const ParameterRef& parameter) {
    if (gamma != 0.0) impulse_ += value(parameter) * gamma;
  }
  void endPair() {
    addPairForce(model_.frame(), pair_, -force_, dg_);
    force_.setZero();
  }
  void endRow() {
    model_.rows.addForce(model_.trees, row_, -impulse_, dg_);
    impulse_ = 0.0;
  }

 private:
  double value(const ParameterRef& parameter) {
    switch (parameter.kind) {
      case ParameterRef::number: return (direction_.*parameter.list)(parameter.index);
      case ParameterRef::q0_twist: return parameter.s.dot(relativeTwist(model_.bodies, pair_, dq_));
      case ParameterRef::v0_twist: return parameter.s.dot(relativeTwist(model_.bodies, pair_, dv0_));
      case ParameterRef::q0_row: return model_.rows.rate(model_.trees, parameter.index, dq_.v);
      default: break;
    }
    double dw = 0.0;
    visitMasses(parameter, [&](int t, const auto& y) {
      const int n = model_.trees.size(t);
      const Eigen::Map<const MatrixXd> dM(direction_.mass.data() + massStart(model_, t), n, n);
      dw -= y.dot(dM * y);
    });
    return dw;
  }

  const IcfParameters& direction_;
  const IcfMotion &dq_, &dv0_;
  VectorXd& dg_;
  Vector6d force_ = Vector6d::Zero();
  double impulse_ = 0.0;
};

// The gradient of x·g with respect to the parameters.
class AdjointSink : public SensitivitySink {
 public:
  AdjointSink(const IcfModel& model, const IcfMotion& x, IcfParameters& bar) : SensitivitySink(model), x_(x), bar_(bar) {}

  void beginPair(const BodyPair& pair) {
    pair_ = pair;
    twist_ = relativeTwist(model_.bodies, pair, x_);
  }
  void beginRow(int row) {
    row_ = row;
    rate_ = model_.rows.rate(model_.trees, row, x_.v);
  }
  void usePair(const Vector6d& F, const ParameterRef& parameter) {
    if (!F.isZero(0.0)) add(parameter, -F.dot(twist_));
  }
  void useRow(double gamma, const ParameterRef& parameter) {
    if (gamma != 0.0) add(parameter, -gamma * rate_);
  }
  void endPair() {}
  void endRow() {}

 private:
  void add(const ParameterRef& parameter, double bar) {
    switch (parameter.kind) {
      case ParameterRef::number: (bar_.*parameter.list)(parameter.index) += bar; return;
      case ParameterRef::q0_twist: addPairForce(model_.frame(), pair_, bar * parameter.s, bar_.q0); return;
      case ParameterRef::v0_twist: addPairForce(model_.frame(), pair_, bar * parameter.s, bar_.v0); return;
      case ParameterRef::q0_row: model_.rows.addForce(model_.trees, parameter.index, bar, bar_.q0); return;
      default: break;
    }
    visitMasses(parameter, [&](int t, const auto& y) {
      const int n = model_.trees.size(t);
      Eigen::Map<MatrixXd> M_bar(bar_.mass.data() + massStart(model_, t), n, n);
      M_bar -= bar * y * y.transpose();
    });
  }

  const IcfMotion& x_;
  IcfParameters& bar_;
  Vector6d twist_ = Vector6d::Zero();
  double rate_ = 0.0;
};

void setMotion(const IcfModel& model, std::span<const int> bodies, const VectorXd& v, IcfMotion& motion) {
  motion.v = v;
  motion.twists.resize(model.bodies.count());
  calcTwists(model, bodies, motion);
}

}  // namespace

void IcfParameters::setZero(const IcfModel& model) {
  for (VectorXd* list : {&q0, &v0, &force}) list->setZero(model.trees.velocityCount());
  mass.setZero(static_cast<Eigen::Index>(massStart(model, model.trees.count())));
  for (VectorXd* list : {&elastic_force, &stiffness, &dissipation, &mu_static, &mu_dynamic}) list->setZero(model.patches.contactCount());
  gain_bias.setZero(model.gains.count());
}

void IcfParameters::check(const IcfModel& model) const {
  const Eigen::Index velocities = model.trees.velocityCount(), contacts = model.patches.contactCount();
  const auto require = [](const VectorXd& list, Eigen::Index size, std::string_view name) {
    if (list.size() != size) {
      throw std::invalid_argument(fmt::format("ICF parameters: {} has {} entries; give {}, as setZero() does", name, list.size(), size));
    }
  };
  require(q0, velocities, "q0");
  require(v0, velocities, "v0");
  require(force, velocities, "force");
  require(mass, static_cast<Eigen::Index>(massStart(model, model.trees.count())), "mass");
  require(elastic_force, contacts, "elastic_force");
  require(stiffness, contacts, "stiffness");
  require(dissipation, contacts, "dissipation");
  require(mu_static, contacts, "mu_static");
  require(mu_dynamic, contacts, "mu_dynamic");
  require(gain_bias, model.gains.count(), "gain_bias");
}

void IcfSensitivity::apply(const IcfModel& model, const IcfData& data, const IcfParameters& direction, VectorXd& dg) {
  direction.check(model);
  const IcfItems& items = all_.reset(model);
  setMotion(model, items.bodies, direction.q0, motion_);
  setMotion(model, items.bodies, direction.v0, start_);
  dg = -model.h() * direction.force;
  for (int t = 0; t < model.trees.count(); ++t) {
    const int begin = model.trees.start(t), n = model.trees.size(t);
    const Eigen::Map<const MatrixXd> dM(direction.mass.data() + massStart(model, t), n, n);
    dg.segment(begin, n) += dM * (data.v().segment(begin, n) - model.trees.v0(t)) - model.trees.A(t) * direction.v0.segment(begin, n);
  }
  DirectionSink sink(model, direction, motion_, start_, dg);
  visitConstraints(model, data, sink);
}

void IcfSensitivity::applyTransposed(const IcfModel& model, const IcfData& data, const VectorXd& x, IcfParameters& bar) {
  const IcfItems& items = all_.reset(model);
  setMotion(model, items.bodies, x, motion_);
  bar.setZero(model);
  bar.force = -model.h() * x;
  for (int t = 0; t < model.trees.count(); ++t) {
    const int begin = model.trees.start(t), n = model.trees.size(t);
    Eigen::Map<MatrixXd> M_bar(bar.mass.data() + massStart(model, t), n, n);
    const VectorXd dv = data.v().segment(begin, n) - model.trees.v0(t);
    M_bar = 0.5 * (x.segment(begin, n) * dv.transpose() + dv * x.segment(begin, n).transpose());
    bar.v0.segment(begin, n) = -(model.trees.A(t) * x.segment(begin, n));
  }
  AdjointSink sink(model, motion_, bar);
  visitConstraints(model, data, sink);
}

}  // namespace cornet
