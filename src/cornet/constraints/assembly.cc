#include "cornet/constraints/assembly.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/math/tangent_basis.h"

namespace cornet {
namespace {

[[noreturn]] void refuse(const std::string& label, const std::string& fault) {
  throw std::invalid_argument(label + ": " + fault);
}

void requireVector(const std::string& label, const char* what, const VectorXd& values, int size) {
  if (values.size() != size) {
    refuse(label, fmt::format("{} has {} entries: expected {}, its dimension", what, values.size(),
                              size));
  }
  for (int k = 0; k < size; ++k) {
    if (!std::isfinite(values[k])) {
      refuse(label, fmt::format("{}[{}] is {}: expected a finite number", what, k, values[k]));
    }
  }
}

// A law that can be solved, for a constraint of so many rows.
void requireLaw(const std::string& label, const ConstraintLaw& law, int dimension) {
  if (!(law.bounds.lower <= law.bounds.upper) || law.bounds.lower == kInfinity ||
      law.bounds.upper == -kInfinity) {
    refuse(label, fmt::format("bounds [{}, {}]: expected lower ≤ upper and a finite force between "
                              "them",
                              law.bounds.lower, law.bounds.upper));
  }
  if (law.kind != LawKind::cone) return;
  if (!(law.mu >= 0.0)) refuse(label, fmt::format("mu = {}: expected a number ≥ 0", law.mu));
  const int rows = law.normal == ConstraintLaw::kOwnFirstRow ? 3 : 2;
  if (dimension != rows) {
    refuse(label, fmt::format("a friction cone {} has {} rows, this one {}",
                              rows == 3 ? "with its own normal" : "over another normal", rows,
                              dimension));
  }
}

}  // namespace

void Assembler::reset(std::span<const BodyInProblem> bodies, double dt, double time,
                      AssemblyLevel level, ContactProblem& problem) {
  if (!(dt > 0.0 && std::isfinite(dt))) {
    throw std::invalid_argument(fmt::format("time step dt = {} s: expected a number > 0", dt));
  }
  if (!std::isfinite(time)) {
    throw std::invalid_argument(fmt::format("time = {} s: expected a finite number", time));
  }
  builder_.reset(bodies, level, problem);
  problem.dt = dt;
  dt_ = dt;
  time_ = time;
  level_ = level;
  row_of_.clear();
}

Assembler::Item Assembler::makeItem(const Constraint* constraint, int index, int first_row) const {
  if (constraint == nullptr) {
    throw std::invalid_argument(fmt::format("constraint {} is a null pointer", index));
  }
  Item item{constraint, constraint->law(), index,
            fmt::format("constraint {} ({})", index, constraint->typeName()),
            {}, {}, first_row};
  const auto bodies = builder_.bodies();
  for (int k = 0; k < constraint->bodyCount(); ++k) {
    const std::size_t body = constraint->bodyIndex(k);
    if (body < bodies.size()) {
      item.bodies.push_back(static_cast<int>(body));
      continue;
    }
    refuse(item.label, fmt::format("body {} does not exist: there are {} bodies, counted from 0", body, bodies.size()));
  }
  requireMembers(item.label, *constraint);
  if (constraint->dimension() < 1) {
    refuse(item.label, fmt::format("dimension {}: expected at least 1", constraint->dimension()));
  }
  requireLaw(item.label, item.law, constraint->dimension());
  for (const int body : item.bodies) item.states.push_back(bodies[static_cast<std::size_t>(body)].state);
  item.active = constraint->isActiveAt(item.states, time_);
  return item;
}

// Finds the normal of every friction constraint and ties the two.
void Assembler::pairFriction(std::vector<Item>& items) const {
  for (Item& item : items) {
    if (item.law.kind != LawKind::cone || item.law.normal == ConstraintLaw::kOwnFirstRow) continue;
    const int normal = item.law.normal == ConstraintLaw::kPreceding ? item.index - 1
                                                                    : item.law.normal;
    if (normal < 0 || normal >= static_cast<int>(items.size())) {
      refuse(item.label, fmt::format("its normal should be constraint {}, which does not exist: put "
                                     "a ContactConstraint before it, or name one",
                                     normal));
    }
    Item& partner = items[normal];
    if (partner.law.kind != LawKind::unilateral || partner.constraint->dimension() != 1 ||
        partner.bodies != item.bodies) {
      refuse(item.label, fmt::format("{} is no normal for it: expected one unilateral row between "
                                     "bodies {} and {}",
                                     partner.label, item.constraint->bodyAIndex(),
                                     item.constraint->bodyBIndex()));
    }
    if (partner.friction >= 0) {
      refuse(item.label, fmt::format("{} has friction already, from constraint {}", partner.label,
                                     partner.friction));
    }
    partner.friction = item.index;
    item.is_friction = true;
  }
}

void Assembler::add(std::span<const Constraint* const> constraints) {
  std::vector<Item> items;
  items.reserve(constraints.size());
  int rows = 0;
  for (const Constraint* constraint : constraints) {
    items.push_back(makeItem(constraint, static_cast<int>(items.size()), rows));
    rows += constraint->dimension();
  }
  pairFriction(items);
  row_of_.assign(static_cast<std::size_t>(rows), -1);
  for (const Item& item : items) {
    if (!item.active || item.is_friction) continue;
    if (level_ == AssemblyLevel::acceleration && item.law.kind != LawKind::equality) {
      refuse(item.label, "only bilateral constraints have forces without a time step; use "
                         "solveWithContacts");
    }
    if (item.law.kind == LawKind::cone) {
      addOwnCone(item);
    } else if (item.friction >= 0 && items[item.friction].active) {
      addCone(item, items[item.friction]);
    } else {
      addRows(item);
    }
  }
}

Assembler::Values Assembler::calcValues(const Item& item, LawKind kind) const {
  Values values;
  values.J = calcVelocityJacobian(*item.constraint, item.states, time_, item.label);
  values.bias = calcBias(item, calcRate(values.J, item.states), kind);
  if (kind == LawKind::box && item.law.kind == LawKind::box) followForceLaw(item, values);
  return values;
}

// λ = dt F at the end of the step, the way taken with the velocity there.                      (ASM-6)
void Assembler::followForceLaw(const Item& item, Values& values) const {
  const std::optional<ForceLaw> force = item.constraint->forceLawAt(item.states, time_);
  if (!force) return;
  requireForceLaw(item.label, *force, item.constraint->dimension());
  values.compliance = 1.0 / (dt_ * (force->damping + dt_ * force->stiffness));
  values.bias[0] =
      values.compliance * dt_ * (force->stiffness * force->stretch - force->damping * force->rate);
}

// (ASM-1), (ASM-4).
VectorXd Assembler::calcBilateralBias(const Item& item, const VectorXd& rate, const VectorXd& C,
                                      const VectorXd& w) const {
  const Constraint& constraint = *item.constraint;
  const VectorXd bias_rate = constraint.biasRateAt(item.states, time_);
  requireVector(item.label, "biasRate()", bias_rate, constraint.dimension());
  const VectorXd acceleration =
      bias_rate + constraint.alpha() * C + constraint.beta() * (rate - w);
  if (level_ == AssemblyLevel::acceleration) return acceleration;
  return dt_ * acceleration - rate;
}

// (ASM-2).
double Assembler::calcUnilateralBias(double C, double rate, double w, double rebound,
                                     double alpha) const {
  if (rebound > 0.0 && C + dt_ * (rate - w) <= 0.0) return -w - rebound;
  return (C > 0.0 ? C / dt_ : dt_ * alpha * C) - w;
}

// (ASM-1) to (ASM-4).
VectorXd Assembler::calcBias(const Item& item, const VectorXd& rate, LawKind kind) const {
  const Constraint& constraint = *item.constraint;
  const int rows = constraint.dimension();
  const VectorXd C = constraint.evaluateAt(item.states, time_);
  const VectorXd w = constraint.targetRateAt(item.states, time_);
  requireVector(item.label, "evaluate()", C, rows);
  requireVector(item.label, "targetRate()", w, rows);
  const double alpha = constraint.alpha();
  const double beta = constraint.beta();
  if (!std::isfinite(alpha) || !std::isfinite(beta)) {
    refuse(item.label, fmt::format("alpha = {}, beta = {}: expected finite numbers", alpha, beta));
  }
  if (kind == LawKind::equality) return calcBilateralBias(item, rate, C, w);
  const VectorXd rebound = constraint.reboundRateAt(item.states, time_);
  requireVector(item.label, "reboundRate()", rebound, rows);
  VectorXd bias = dt_ * alpha * C - w;  // (ASM-3)
  const int gaps = kind == LawKind::unilateral ? rows : kind == LawKind::cone ? 1 : 0;
  for (int r = 0; r < gaps; ++r) {
    bias[r] = calcUnilateralBias(C[r], rate[r], w[r], rebound[r], alpha);
  }
  return bias;
}

void Assembler::addRows(const Item& item) {
  const Values values = calcValues(item, item.law.kind);
  ReadyRows rows{.bodies = item.bodies, .kind = item.law.kind, .J = values.J, .bias = values.bias, .origin = item.index};
  rows.impulse = {item.law.bounds.lower * dt_, item.law.bounds.upper * dt_};
  rows.compliance = values.compliance;
  addBlocks(rows, row_of_.data() + item.first_row);
}

void Assembler::add(const ReadyRows& rows, std::vector<int>& row_of) {
  row_of.assign(static_cast<std::size_t>(rows.bias.size()), -1);
  addBlocks(rows, row_of.data());
}

int Assembler::add(const BodyRows& rows, LawKind kind) {
  const Origin origin{Origin::Kind::contact, -1};
  kind == LawKind::equality ? builder_.addEquality(rows, origin) : builder_.addUnilateral(rows, origin);
  return builder_.blockCount() - 1;
}

int Assembler::add(const TreeRows& row) {
  builder_.addTreeRow(row, {Origin::Kind::joint, row.tree});
  return builder_.blockCount() - 1;
}

// Rows under bounds, in blocks of the size a block may have; those that constrain nothing are left out.
void Assembler::addBlocks(const ReadyRows& ready, int* row_of) {
  const Origin origin{Origin::Kind::constraint, ready.origin};
  const auto dimension = static_cast<int>(ready.bias.size());
  if (block_J_.rows() < BodyRows::kMax || block_J_.cols() < ready.J.cols()) block_J_.resize(BodyRows::kMax, ready.J.cols());
  if (block_bias_.size() < BodyRows::kMax) block_bias_.resize(BodyRows::kMax);
  auto block_J = block_J_.leftCols(ready.J.cols());
  for (int r = 0; r < dimension;) {
    const auto rowsOf = [&](int count) { return BodyRows{ready.bodies, block_J.topRows(count), block_bias_.head(count)}; };
    int source[BodyRows::kMax];
    int count = 0;
    for (; r < dimension && count < BodyRows::kMax; ++r) {
      block_J.row(count) = ready.J.row(r);
      block_bias_[count] = ready.bias[r];
      source[count] = r;
      // Position-level rows have the size of their unmapped entries, of order one.
      const double size = std::max(1.0, ready.J.row(r).norm());
      if (builder_.constrains(rowsOf(count + 1), count, size)) ++count;
    }
    if (count == 0) continue;
    const BodyRows rows = rowsOf(count);
    const int first = ready.kind == LawKind::equality     ? builder_.addEquality(rows, origin)
                      : ready.kind == LawKind::unilateral ? builder_.addUnilateral(rows, origin)
                                                          : builder_.addBox(rows, ready.impulse, origin, ready.compliance,
                                                                          ready.share);
    for (int k = 0; k < count; ++k) row_of[source[k]] = first + k;
  }
}

// A normal and the tangents that belong to it.
void Assembler::addCone(const Item& normal, const Item& friction) {
  const Values n = calcValues(normal, LawKind::unilateral);
  const Values t = calcValues(friction, LawKind::box);
  block_J_.resize(3, n.J.cols());
  block_J_ << n.J, t.J;
  block_bias_.resize(3);
  block_bias_ << n.bias, t.bias;
  placeCone(normal, {normal.bodies, block_J_, block_bias_}, friction.law.mu, friction.first_row);
}

void Assembler::addOwnCone(const Item& item) {
  const Values values = calcValues(item, LawKind::cone);
  block_J_ = values.J;
  placeCone(item, {item.bodies, block_J_, values.bias}, item.law.mu, item.first_row + 1);
}

void Assembler::placeCone(const Item& normal, const BodyRows& rows, double mu, int tangent_row) {
  if (!builder_.constrains(rows, 0, 1.0)) return;
  const int first = builder_.addCone(rows, mu, {Origin::Kind::contact, normal.index});
  row_of_[normal.first_row] = first;
  if (!(mu > 0.0)) return;
  row_of_[tangent_row] = first + 1;
  row_of_[tangent_row + 1] = first + 2;
}

void Assembler::add(std::span<const ContactPoint> contacts) {
  PairRows<3> rows;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactPoint& contact = contacts[i];
    const auto bodies = builder_.bodies();
    if (bodies[contact.body_a].tree < 0 && bodies[contact.body_b].tree < 0) continue;
    rows.bodies = {contact.body_a, contact.body_b};
    const Matrix3d axes = makeContactAxes(contact.normal);
    for (int k = 0; k < 3; ++k) {
      const Vector3d d = axes.col(k);
      rows.J.row(k) << -d.transpose(), -contact.p_AC_W.cross(d).transpose(), d.transpose(),
          contact.p_BC_W.cross(d).transpose();
    }
    rows.bias = contact.bias;
    builder_.addCone(rows, contact.mu, {Origin::Kind::contact, static_cast<int>(i)}, contact.key);
  }
}

}  // namespace cornet
