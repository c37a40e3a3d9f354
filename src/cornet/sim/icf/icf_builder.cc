#include "cornet/sim/icf/icf_builder.h"

#include <cmath>
#include <stdexcept>

#include <Eigen/Geometry>
#include <fmt/format.h>

namespace cornet {
namespace {

constexpr double kRateStiffness = 1e6;  // σ_d: a drive is so much stiffer than what it moves in a step  (ICF-27)
constexpr double kOpposite = 1e-9;      // of a row: it pushes two bodies apart with forces that are opposite to this

// Impulses on two bodies act midway between their points, so that angular momentum stays.            (ICF-25)
void joinMoments(const InertialState& a, const InertialState& b, Eigen::Ref<MatrixXd> J) {
  for (Eigen::Index k = 0; k < J.rows(); ++k) {
    const Vector3d on_a = J.row(k).head<3>(), on_b = J.row(k).segment<3>(6);
    if ((on_a + on_b).norm() > kOpposite * on_b.norm()) continue;
    const Vector3d missing = J.row(k).tail<3>().transpose() + J.row(k).segment<3>(3).transpose() -
                             (a.position - b.position).cross(on_b);
    J.row(k).tail<3>() -= 0.5 * missing;
    J.row(k).segment<3>(3) -= 0.5 * missing;
  }
}

// The rate of a row that surroundings give it.
double calcPrescribedRate(const StepConstraint& constraint, Eigen::Index k, std::span<const StepBody> bodies) {
  double rate = 0.0;
  for (std::size_t i = 0; i < constraint.bodies.size(); ++i) {
    const StepBody& body = bodies[constraint.bodies[i]];
    if (!body.moves()) rate += constraint.J.row(k).segment<6>(static_cast<Eigen::Index>(6 * i)).dot(calcPrescribedTwist(body));
  }
  return rate;
}

Vector3d pointVelocity(const StepBody& body, const Vector3d& p_WC) {
  return body.displacement + body.turning.cross(p_WC - body.start.position);
}

}  // namespace

double IcfBuilder::impulseOf(const IcfRowPlace& place, const IcfData& data) {
  switch (place.pool) {
    case IcfRowPlace::Pool::none: return 0.0;
    case IcfRowPlace::Pool::coupler: return data.couplers.impulse[place.index];
    case IcfRowPlace::Pool::limit: return data.limits.impulse[place.index];
    case IcfRowPlace::Pool::gain: break;
  }
  return data.gains.impulse[place.index] + (place.second < 0 ? 0.0 : data.gains.impulse[place.second]);
}

bool IcfBuilder::isSameStart(const IcfWorld& step, const IcfModel& model) const {
  if (key_.model != &model || !model.isPrepared() || depends_on_h_) return false;
  if (key_.time != step.state.time || key_.q != step.state.q || key_.v != step.state.v) return false;
  if (key_.damping.size() != step.damping.size() || key_.damping != step.damping) return false;
  for (std::size_t k = 0; k < key_.controls.size(); ++k) {
    if (key_.controls[k] != step.trees[k].cache->control || key_.activations[k] != step.trees[k].cache->activation) return false;
  }
  const ContactSet& a = key_.found;
  const ContactSet& b = step.found;
  if (a.key != b.key || a.gap != b.gap || a.body_a != b.body_a || a.body_b != b.body_b || a.material_a != b.material_a || a.material_b != b.material_b) return false;
  if (a.point_a != b.point_a || a.point_b != b.point_b || a.normal != b.normal) return false;
  for (std::size_t i = 0; i < key_.forces.size(); ++i) {
    const BodyForce& force = step.bodies[i].force;
    if (key_.forces[i].force != force.force || key_.forces[i].torque != force.torque) return false;
  }
  return true;
}

void IcfBuilder::keepKey(const IcfWorld& step, const IcfModel& model) {
  key_.model = &model;
  key_.time = step.state.time;
  key_.q = step.state.q;
  key_.v = step.state.v;
  key_.damping = step.damping;
  key_.found = step.found;
  key_.controls.resize(step.trees.size());
  key_.activations.resize(step.trees.size());
  for (std::size_t k = 0; k < step.trees.size(); ++k) {
    key_.controls[k] = step.trees[k].cache->control;
    key_.activations[k] = step.trees[k].cache->activation;
  }
  key_.forces.resize(static_cast<std::size_t>(step.world.bodyCount()));
  for (std::size_t i = 0; i < key_.forces.size(); ++i) key_.forces[i] = step.bodies[i].force;
}

void IcfBuilder::build(const IcfWorld& step, IcfModel& model) {
  has_kept_ = isSameStart(step, model);
  if (has_kept_) {
    for (StepConstraint& constraint : step.constraints) {
      if (constraint.is_active) placeRows(step, constraint);
    }
    model.setTimeStep(step.h);
    return;
  }
  key_.model = nullptr;
  depends_on_h_ = false;
  model.clear();
  held_.clear();
  model.patches.setOptions({.friction = step.options.friction_law,
                            .stiction_speed = step.options.stiction_speed,
                            .regularization = step.options.softening});
  addFreeBodies(step, model);
  addTrees(step, model);
  for (int k = 0; k < step.world.environmentCount(); ++k) model.bodies.addAnchored(step.bodies[step.world.environmentBody(k)].start.position);
  addContacts(step, model);
  const bool has_constraints = !step.constraints.empty();
  rows_.assign(has_constraints ? static_cast<std::size_t>(step.constraints.back().first + step.constraints.back().law.constraint().dimension()) : 0, {});
  for (StepConstraint& constraint : step.constraints) {
    if (constraint.is_active) addConstraint(step, constraint, model);
  }
  addTreeRows(step, model);
  addRates(step.h, model);
  model.prepare(step.h);
  depends_on_h_ |= model.gains.count() > 0;  // K = h k + d
  keepKey(step, model);
}

void IcfBuilder::addFreeBodies(const IcfWorld& step, IcfModel& model) {
  k0_.resize(6);
  damping_.resize(6);
  for (int i = 0; i < step.world.freeCount(); ++i) {
    const StepBody& body = step.bodies[i];
    mass_ = step.world.freeBody(i).calcMassMatrix(body.start.orientation);
    v0_ = step.state.v.segment<6>(6 * i);
    k0_ << -body.force.force, -body.force.torque;
    damping_.head<3>().setConstant(body.asset->linearDrag());
    damping_.tail<3>().setConstant(body.asset->angularDrag());
    if (step.damping.size() > 0) damping_ += step.damping.segment<6>(6 * i);
    model.bodies.addFree(model.trees.add(mass_, v0_, k0_, damping_), body.start.position);
  }
}

void IcfBuilder::addTrees(const IcfWorld& step, IcfModel& model) {
  for (std::size_t k = 0; k < step.trees.size(); ++k) {
    StepTree& tree = step.trees[k];
    const Eigen::Index n = tree.v.size();
    k0_.setZero(n);
    tree.tree->addOwnForce(tree.v, *tree.cache, k0_);
    for (int link = 0; link < tree.tree->linkCount(); ++link) {
      const BodyForce& force = step.bodies[tree.first + link].force;
      Vector6d wrench;
      wrench << force.force, force.torque;
      k0_ += tree.cache->jacobians[static_cast<std::size_t>(link)].transpose() * wrench;
    }
    k0_ = -k0_;
    damping_.setZero(n);
    if (step.damping.size() > 0) damping_ = step.damping.segment(step.world.tree(static_cast<int>(k)).v_begin, n);
    const int number = model.trees.add(tree.cache->M, tree.v, k0_, damping_);
    for (int link = 0; link < tree.tree->linkCount(); ++link) {
      jacobian_ = tree.cache->jacobians[static_cast<std::size_t>(link)];
      model.bodies.add(number, tree.cache->links[static_cast<std::size_t>(link)].position, jacobian_);
    }
  }
}

void IcfBuilder::addContacts(const IcfWorld& step, IcfModel& model) {
  const ContactSet& found = step.found;
  for (int k = 0; k < found.size(); ++k) {
    const PairLaw& law = step.world.materials.pair(found.material_a[k], found.material_b[k]);
    if (!std::isfinite(law.stiffness)) {
      throw std::invalid_argument(fmt::format("'{}' touches '{}': materials '{}' and '{}' are both rigid: integrator = icf needs the stiffness of one",
                                              step.world.nameOf(found.body_a[k]), step.world.nameOf(found.body_b[k]),
                                              step.world.materials[found.material_a[k]].name, step.world.materials[found.material_b[k]].name));
    }
    const Vector3d point = 0.5 * (found.point_a[k] + found.point_b[k]);
    const StepBody& a = step.bodies[found.body_a[k]];
    const StepBody& b = step.bodies[found.body_b[k]];
    IcfContact contact = makePointContact(found.body_a[k], found.body_b[k], point, found.normal[k], -found.gap[k], law.stiffness);
    contact.dissipation = law.dissipation;
    contact.relaxation_time = law.relaxation_time;
    contact.mu_static = law.mu;
    contact.mu_dynamic = law.mu_dynamic;
    contact.surface_velocity = calcBelt(a, b, found.normal[k]);
    for (const StepBody* body : {&a, &b}) depends_on_h_ |= !body->moves() && !(body->displacement.isZero(0.0) && body->turning.isZero(0.0));
    if (!b.moves()) contact.surface_velocity += pointVelocity(b, point);
    if (!a.moves()) contact.surface_velocity -= pointVelocity(a, point);
    model.patches.add(contact);
  }
}

int IcfBuilder::addRow(const StepConstraint& constraint, Eigen::Index k, IcfModel& model) {
  row_.resize(static_cast<std::size_t>(constraint.J.cols()));
  for (std::size_t i = 0; i < row_.size(); ++i) row_[i] = constraint.J(k, static_cast<Eigen::Index>(i));
  return model.rows.addBodies(model.trees, model.bodies, constraint.bodies, row_);
}

// J and w of a constraint.
void IcfBuilder::placeRows(const IcfWorld& step, StepConstraint& constraint) {
  constraint.J = constraint.law.calcJacobian();
  constraint.target = constraint.law.calcTargetRate(constraint.law.time() + 0.5 * step.h);
  const MemberStates states = constraint.law.states();
  if (states.size() == 2) joinMoments(states[0], states[1], constraint.J);
}

void IcfBuilder::addConstraint(const IcfWorld& step, StepConstraint& constraint, IcfModel& model) {
  placeRows(step, constraint);
  for (Eigen::Index k = 0; k < constraint.J.rows(); ++k) {
    const int row = addRow(constraint, k, model);
    if (model.rows.entries(row).empty()) continue;  // moves nothing
    const double moving = calcPrescribedRate(constraint, k, step.bodies);
    const double rate = constraint.target[k] - moving;
    depends_on_h_ |= rate != 0.0;
    IcfRowPlace& place = rows_[static_cast<std::size_t>(constraint.first + k)];
    if (constraint.kind == LawKind::equality) {
      place = {IcfRowPlace::Pool::coupler, model.couplers.add(row, {.g0 = constraint.C[k], .rate = rate})};
    } else if (constraint.kind == LawKind::unilateral) {
      place = {IcfRowPlace::Pool::limit, model.limits.add(row, {.q0 = constraint.C[k], .lower = 0.0, .upper = kInfinity, .rate = rate})};
    } else {
      addEffort(step, constraint, k, row, moving, model);
    }
  }
}

// Bounds a clamp of any kind: the mean of the bounds, and what is left of the effort around it.
IcfRowPlace IcfBuilder::addGain(int row, double bias, double gain, double lower, double upper, IcfModel& model) const {
  if (upper == -lower) return {IcfRowPlace::Pool::gain, model.gains.add(row, {bias, gain, upper})};
  const double mean = 0.5 * (lower + upper);
  const int constant = model.gains.add(row, {.bias = mean});
  if (lower == upper) return {IcfRowPlace::Pool::gain, constant};
  return {IcfRowPlace::Pool::gain, constant, model.gains.add(row, {bias - mean, gain, 0.5 * (upper - lower)})};
}

// (ICF-27)
void IcfBuilder::addRates(double h, IcfModel& model) {
  if (held_.empty()) return;
  model.trees.factorMass();
  model.rows.prepare(model.trees);
  for (const HeldRate& held : held_) {
    const double w = model.rows.inverseMass(held.row);
    const double gain = w > 0.0 ? kRateStiffness / (h * w) : 0.0;
    IcfRowPlace& place = held.is_of_tree ? tree_gains_[held.place].place : rows_[held.place];
    place = addGain(held.row, gain * held.rate, gain, held.lower, held.upper, model);
  }
}

void IcfBuilder::addEffort(const IcfWorld& step, const StepConstraint& constraint, Eigen::Index k, int row, double moving, IcfModel& model) {
  const JointDrive* drive = constraint.drive;
  const Constraint& law = constraint.law.constraint();
  const MemberStates states = constraint.law.states();
  const LambdaBounds bounds = drive ? drive->boundsWith(constraint.input) : law.law().bounds;
  if (std::isinf(bounds.lower) != std::isinf(bounds.upper)) {
    throw std::invalid_argument(fmt::format("{}: bounds [{}, {}]: compliant steps (integrator = icf) need both finite or none",
                                            constraint.law.label(), bounds.lower, bounds.upper));
  }
  const auto place = static_cast<std::size_t>(constraint.first + k);
  const std::optional<ForceLaw> force =
      drive ? drive->forceLawWith(constraint.input, states[0], states[1]) : law.forceLawAt(states, constraint.law.time());
  if (force) {
    requireForceLaw(constraint.law.label(), *force, law.dimension());
    const double gain = step.h * force->stiffness + force->damping;
    const double bias = -force->stiffness * force->stretch + force->damping * force->rate - gain * moving;
    rows_[place] = addGain(row, bias, gain, bounds.lower, bounds.upper, model);
  } else if (bounds.lower == bounds.upper) {  // a given effort                                  (ICF-31)
    const IcfEffort own = step.efforts.empty() ? IcfEffort{} : step.efforts[static_cast<std::size_t>(constraint.index)];
    rows_[place] = {IcfRowPlace::Pool::gain, model.gains.add(row, {.bias = bounds.lower + own.gain * (own.rate - moving), .gain = own.gain})};
  } else {
    const double rate = drive ? drive->rateWith(constraint.input) : constraint.target[k];
    held_.push_back({row, false, place, rate - moving, bounds.lower, bounds.upper});
  }
}

void IcfBuilder::addTreeRows(const IcfWorld& step, IcfModel& model) {
  tree_gains_.clear();
  for (std::size_t k = 0; k < step.trees.size(); ++k) {
    StepTree& tree = step.trees[k];
    const int number = step.world.freeCount() + static_cast<int>(k);
    stiff_.clear();
    tree.tree->collectStiffTerms(tree.v, *tree.cache, stiff_);
    for (const StiffTerm& term : stiff_) {
      const double gain = step.h * term.stiffness + term.damping;
      const int row = model.rows.addTree(model.trees, number, term.g);
      const double bias = -term.stiffness * term.stretch + term.damping * term.rate;
      tree_gains_.push_back({static_cast<int>(k), addGain(row, bias, gain, term.lower, term.upper, model), term.g, term.actuator});
    }
    tree_rows_.clear();
    tree.tree->collectRows(*tree.cache, tree_rows_);
    for (const TreeRow& own : tree_rows_) {
      if (!(own.g.norm() > 0.0)) continue;
      const int row = model.rows.addTree(model.trees, number, own.g);
      if (own.kind == TreeRow::Kind::equality) model.couplers.add(row, {.g0 = own.C, .rate = 0.0});
      if (own.kind == TreeRow::Kind::limit) model.limits.add(row, {.q0 = own.C, .lower = 0.0, .upper = kInfinity, .rate = 0.0});
      if (own.kind != TreeRow::Kind::friction) continue;
      held_.push_back({row, true, tree_gains_.size(), 0.0, -own.most, own.most});
      tree_gains_.push_back({static_cast<int>(k), {}, own.g});
    }
  }
}

}  // namespace cornet
