#include "cornet/world/world_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/constraints/unit_quaternion_constraint.h"

namespace cornet {
namespace {

// Mean of the load's factor over the step: exact for a constant one, at the middle for a sine.
double calcFactor(const Load& load, double t, double dt) {
  const double begin = std::max(t, load.begin);
  const double end = std::min(t + dt, load.end);
  if (!(end > begin)) return 0.0;
  const double share = begin == t && end == t + dt ? 1.0 : (end - begin) / dt;
  if (load.frequency == 0.0) return share;
  return share * std::sin(2.0 * std::numbers::pi * load.frequency * 0.5 * (begin + end) + load.phase);
}

// The first part of this name, of all trees.
template <class PartsOf>
TreePart findPart(std::span<const WorldTree> trees, std::string_view name, const PartsOf& partsOf) {
  for (std::size_t k = 0; k < trees.size(); ++k) {
    const auto parts = partsOf(*trees[k].tree);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].name == name) return {static_cast<int>(k), static_cast<int>(i)};
    }
  }
  return {};
}

}  // namespace

void WorldModel::requireName(const std::string& name) const {
  if (name.empty()) throw std::invalid_argument("a body has no name");
  if (find(name) >= 0) throw std::invalid_argument(fmt::format("body '{}' exists twice", name));
  if (constraints_.empty() && excluded_.empty()) return;
  throw std::invalid_argument(fmt::format(
      "body '{}' comes after a constraint or excluded pair, which would then name other bodies; add all "
      "bodies first",
      name));
}

void WorldModel::requireMaterials(const std::string& name, const std::vector<AssetShape>& shapes) const {
  for (const AssetShape& part : shapes) {
    if (part.material >= 0 && part.material < materials.size()) continue;
    throw std::invalid_argument(fmt::format("body '{}': material {} does not exist, there are {}", name,
                                            part.material, materials.size()));
  }
}

int WorldModel::addBody(AssetInertial body) {
  requireName(body.name());
  if (!trees_.empty()) {
    throw std::invalid_argument(fmt::format("body '{}' comes after a tree, whose links it would renumber; add free bodies first", body.name()));
  }
  requireMaterials(body.name(), body.shapes());
  body.own(std::make_shared<UnitQuaternionConstraint>(bodies_.size()));
  free_trees_.emplace_back(body.mass());
  bodies_.push_back(std::move(body));
  return free_count_++;
}

void WorldModel::requireTree(const Tree* tree, const std::vector<AssetInertial>& links, const VectorXd& q,
                             const VectorXd& v, const VectorXd& activation) const {
  if (tree == nullptr) throw std::invalid_argument("a tree is a null pointer");
  const std::string name = links.empty() ? "without links" : fmt::format("of '{}'", links.front().name());
  const auto require = [&](const char* what, Eigen::Index has, int wants) {
    if (has != wants) throw std::invalid_argument(fmt::format("tree {}: {} {}, expected {}", name, has, what, wants));
  };
  require("links", static_cast<Eigen::Index>(links.size()), tree->linkCount());
  require("positions", q.size(), tree->positionCount());
  require("velocities", v.size(), tree->velocityCount());
  if (activation.size() > 0) require("activations", activation.size(), tree->activationCount());
  if (!q.allFinite() || !v.allFinite() || !activation.allFinite()) throw std::invalid_argument(fmt::format("tree {}: a number is not finite", name));
  for (std::size_t k = 0; k < links.size(); ++k) {
    constexpr double kSame = 1e-9;
    const MassProperties& wanted = tree->mass(static_cast<int>(k));
    const MassProperties& has = links[k].mass();
    if (!(std::abs(has.mass - wanted.mass) <= kSame * wanted.mass)) {
      throw std::invalid_argument(
          fmt::format("link '{}': mass {} kg, but its tree says {} kg", links[k].name(), has.mass, wanted.mass));
    }
    if (!((has.inertia - wanted.inertia).norm() <= kSame * wanted.inertia.norm())) {
      throw std::invalid_argument(fmt::format("link '{}': its inertia is not that of its tree", links[k].name()));
    }
  }
}

int WorldModel::addTree(std::shared_ptr<const Tree> tree, std::vector<AssetInertial> links, const VectorXd& q,
                        const VectorXd& v, const VectorXd& activation) {
  requireTree(tree.get(), links, q, v, activation);
  for (std::size_t k = 0; k < links.size(); ++k) {
    requireName(links[k].name());
    requireMaterials(links[k].name(), links[k].shapes());
    const auto isNamed = [&](const AssetInertial& other) { return other.name() == links[k].name(); };
    if (std::any_of(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(k), isNamed)) {
      throw std::invalid_argument(fmt::format("body '{}' exists twice", links[k].name()));
    }
  }
  const int activations = tree->activationCount();
  WorldTree added{std::move(tree), bodyCount(), 7 * free_count_, 6 * free_count_, 0, q, v, activation};
  if (activation.size() == 0) added.activation.setZero(activations);
  for (const WorldTree& earlier : trees_) {
    added.q_begin += earlier.tree->positionCount();
    added.v_begin += earlier.tree->velocityCount();
    added.activation_begin += earlier.tree->activationCount();
  }
  for (AssetInertial& link : links) {
    bodies_.push_back(std::move(link));
    tree_of_.push_back(treeCount());
  }
  trees_.push_back(std::move(added));
  return treeCount() - 1;
}

void WorldModel::setControl(const TreePart& actuator, ControlSchedule schedule) {
  if (actuator.tree < 0 || actuator.tree >= treeCount() || actuator.index < 0 ||
      actuator.index >= static_cast<int>(trees_[actuator.tree].tree->actuators().size())) {
    throw std::invalid_argument(fmt::format("control of actuator {} of tree {}: there is none", actuator.index, actuator.tree));
  }
  WorldTree& own = trees_[actuator.tree];
  validate(schedule, fmt::format("control of actuator '{}'", own.tree->actuators()[static_cast<std::size_t>(actuator.index)].name));
  std::erase_if(own.schedules, [&](const auto& earlier) { return earlier.first == actuator.index; });
  own.schedules.emplace_back(actuator.index, std::move(schedule));
}

int WorldModel::addEnvironment(AssetEnvironment environment) {
  requireName(environment.name());
  requireMaterials(environment.name(), environment.shapes());
  guided_.push_back(std::holds_alternative<Guided>(environment.motion()) ? guided_count_++ : -1);
  environments_.push_back(std::move(environment));
  return environmentCount() - 1;
}

void WorldModel::requireBodies(const Constraint* constraint) const {
  if (constraint == nullptr) throw std::invalid_argument("a constraint is a null pointer");
  for (int k = 0; k < std::max(1, constraint->bodyCount()); ++k) {
    const std::size_t body = constraint->bodyIndex(k);
    if (body < static_cast<std::size_t>(totalCount())) continue;
    throw std::invalid_argument(fmt::format("{}: body {} does not exist, there are {}",
                                            constraint->typeName(), body, totalCount()));
  }
}

int WorldModel::addConstraint(std::unique_ptr<Constraint> constraint) {
  requireBodies(constraint.get());
  const auto index = static_cast<int>(constraints_.size());
  const std::string type = constraint->typeName();
  joints_.push_back({fmt::format("{} {}", type, index), type, index, 1});
  constraints_.push_back(std::move(constraint));
  return index;
}

int WorldModel::addJoint(std::string name, std::vector<std::unique_ptr<Constraint>> constraints) {
  if (constraints.empty()) throw std::invalid_argument(fmt::format("joint '{}' has no constraints", name));
  if (findJoint(name) >= 0) throw std::invalid_argument(fmt::format("joint '{}' exists twice", name));
  for (const std::unique_ptr<Constraint>& constraint : constraints) requireBodies(constraint.get());
  joints_.push_back({std::move(name), constraints.front()->typeName(), static_cast<int>(constraints_.size()),
                     static_cast<int>(constraints.size())});
  for (std::unique_ptr<Constraint>& constraint : constraints) constraints_.push_back(std::move(constraint));
  return static_cast<int>(joints_.size()) - 1;
}

int WorldModel::findJoint(std::string_view name) const {
  const auto found = std::ranges::find(joints_, name, &WorldJoint::name);
  return found == joints_.end() ? -1 : static_cast<int>(found - joints_.begin());
}

void WorldModel::addLoad(const Load& load) {
  if (load.body < 0 || load.body >= bodyCount()) {
    throw std::invalid_argument(
        fmt::format("load on body {}: there are {} moving bodies", load.body, bodyCount()));
  }
  if (!load.force.allFinite() || !load.torque.allFinite() || !load.point.allFinite() ||
      !std::isfinite(load.begin) || !std::isfinite(load.frequency) || !std::isfinite(load.phase) ||
      !(load.end > load.begin)) {
    throw std::invalid_argument(fmt::format("load on body '{}': expected finite numbers, begin < end",
                                            body(load.body).name()));
  }
  loads_.push_back(load);
}

void WorldModel::excludeBodies(int body_a, int body_b) {
  if (body_a < 0 || body_b < 0 || body_a >= totalCount() || body_b >= totalCount()) {
    throw std::invalid_argument(fmt::format("excluded bodies {} and {}: there are {}", body_a, body_b,
                                            totalCount()));
  }
  excluded_.emplace_back(body_a, body_b);
}

const std::string& WorldModel::nameOf(int number) const {
  return number < bodyCount() ? bodies_[number].name() : environments_[number - bodyCount()].name();
}

int WorldModel::find(std::string_view name) const {
  for (int i = 0; i < totalCount(); ++i) {
    if (nameOf(i) == name) return i;
  }
  return -1;
}

TreePart WorldModel::findTreeJoint(std::string_view name) const {
  return findPart(trees_, name, [](const Tree& tree) { return tree.joints(); });
}

TreePart WorldModel::findActuator(std::string_view name) const {
  return findPart(trees_, name, [](const Tree& tree) { return tree.actuators(); });
}

void WorldModel::calcControls(int tree, double t, double dt, VectorXd& control) const {
  const WorldTree& own = trees_[tree];
  control = own.tree->controls();
  for (const auto& [actuator, schedule] : own.schedules) control[actuator] = calcMean(schedule, t, dt);
}

State WorldModel::makeState() const {
  std::vector<InertialState> free_bodies;
  for (int i = 0; i < free_count_; ++i) free_bodies.push_back(bodies_[i].initial());
  State state(0.0, free_bodies);
  state.guided.resize(7 * guided_count_);
  for (int k = 0; k < environmentCount(); ++k) {
    if (guided_[k] >= 0) state.setGuided(guided_[k], environments_[k].calcState(0.0));
  }
  if (trees_.empty()) return state;
  const WorldTree& last = trees_.back();
  state.q.conservativeResize(last.q_begin + last.q.size());
  state.v.conservativeResize(last.v_begin + last.v.size());
  state.activation.resize(last.activation_begin + last.activation.size());
  for (const WorldTree& tree : trees_) {
    state.q.segment(tree.q_begin, tree.q.size()) = tree.q;
    state.v.segment(tree.v_begin, tree.v.size()) = tree.v;
    state.activation.segment(tree.activation_begin, tree.activation.size()) = tree.activation;
  }
  return state;
}

std::vector<std::unique_ptr<TreeCache>> WorldModel::makeCaches() const {
  std::vector<std::unique_ptr<TreeCache>> caches;
  for (const WorldTree& tree : trees_) caches.push_back(tree.tree->makeCache());
  return caches;
}

void WorldModel::calcBodies(const State& state, std::span<const std::unique_ptr<TreeCache>> caches, BodyStates& at) const {
  at.time = state.time;
  at.bodies.resize(bodies_.size());
  for (int i = 0; i < free_count_; ++i) at.bodies[i] = state.body(i);
  at.guided.resize(static_cast<std::size_t>(guided_count_));
  for (int i = 0; i < guided_count_; ++i) at.guided[i] = state.guidedPose(i);
  for (std::size_t k = 0; k < trees_.size(); ++k) {
    const Tree& tree = *trees_[k].tree;
    tree.evaluate(state.q.segment(trees_[k].q_begin, tree.positionCount()), TreeLevel::poses, *caches[k]);
    const auto v = state.v.segment(trees_[k].v_begin, tree.velocityCount());
    for (int link = 0; link < tree.linkCount(); ++link) {
      at.bodies[trees_[k].first + link] = tree.calcLinkState(*caches[k], v, link);
    }
  }
}

BodyStates WorldModel::calcBodies(const State& state) const {
  BodyStates at;
  calcBodies(state, makeCaches(), at);
  return at;
}

InertialState WorldModel::calcBodyState(int number, const State& state) const {
  if (number < free_count_) return state.body(number);
  if (number >= bodyCount()) {
    const int guided = guided_[number - bodyCount()];
    return guided < 0 ? environments_[number - bodyCount()].calcState(state.time) : state.guidedPose(guided);
  }
  return calcBodies(state).bodies[number];
}

Detector WorldModel::makeDetector() const {
  Detector detector;
  for (int i = 0; i < totalCount(); ++i) {
    const bool moves = i < bodyCount();
    const auto& shapes = moves ? bodies_[i].shapes() : environments_[i - bodyCount()].shapes();
    for (const AssetShape& part : shapes) {
      Pose X_BS = part.X_BS;
      if (moves) X_BS.p -= bodies_[i].centre();
      detector.addShape(i, part.shape, X_BS, part.material, part.filter);
    }
  }
  for (const auto& [a, b] : excluded_) detector.excludeBodies(a, b);
  for (int a = bodyCount(); a < totalCount(); ++a) {
    for (int b = a + 1; b < totalCount(); ++b) detector.excludeBodies(a, b);
  }
  return detector;
}

void WorldModel::calcOwnForces(const BodyStates& at, double dt, std::span<BodyForce> forces) const {
  for (int i = 0; i < bodyCount(); ++i) {
    const InertialState& body = at.bodies[i];
    forces[i].force = bodies_[i].mass().mass * gravity - bodies_[i].linearDrag() * body.velocity;
    forces[i].torque = -bodies_[i].angularDrag() * body.omega;
  }
  for (const Load& load : loads_) {
    const double factor = calcFactor(load, at.time, dt);
    if (factor == 0.0) continue;
    const InertialState& body = at.bodies[load.body];
    const Vector3d force = load.in_body_axes ? body.toWorld(load.force) : load.force;
    const Vector3d torque = load.in_body_axes ? body.toWorld(load.torque) : load.torque;
    forces[load.body].force += factor * force;
    forces[load.body].torque += factor * (torque + body.toWorld(load.point).cross(force));
  }
}

void WorldModel::calcForces(const State& state, const BodyStates& at, double dt, std::span<BodyForce> forces) const {
  calcOwnForces(at, dt, forces);
  if (forces_) forces_(state.time, state, forces);
}

double WorldModel::calcPotential(const BodyStates& at) const {
  double energy = 0.0;
  for (int i = 0; i < bodyCount(); ++i) {
    energy -= bodies_[i].mass().mass * gravity.dot(at.bodies[i].position);
  }
  return energy;
}

double WorldModel::calcKinetic(const BodyStates& at) const {
  double energy = 0.0;
  for (int i = 0; i < bodyCount(); ++i) {
    const InertialState& body = at.bodies[i];
    const Vector3d L = bodies_[i].inertia().calcMomentum(body.orientation, body.omega);
    energy += 0.5 * bodies_[i].mass().mass * body.velocity.squaredNorm() + 0.5 * body.omega.dot(L);
  }
  return energy;
}

}  // namespace cornet
