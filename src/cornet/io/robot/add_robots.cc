#include "cornet/io/robot/add_robots.h"

#include <algorithm>
#include <stdexcept>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cornet {
namespace {

template <class Items>
std::string listNames(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
}

template <class Items>
const auto& findNamed(const Items& items, const std::string& name, const char* kind) {
  const auto found = std::ranges::find_if(items, [&](const auto& item) { return item.name == name; });
  if (found == items.end()) throw std::invalid_argument(fmt::format("the model has no {} '{}'; {}", kind, name, listNames(items)));
  return *found;
}

}  // namespace

void RobotAdder::plan(std::shared_ptr<const MujocoModel> model, const RobotOptions& options) {
  Robot robot{model, options, model->q, model->v, {}, {}, {}};
  const auto controls = static_cast<Eigen::Index>(model->control_count);
  robot.control = VectorXd::Zero(controls);
  if (!options.keyframe.empty()) {
    const ModelKey& key = findNamed(model->keys, options.keyframe, "keyframe");
    robot.q = key.q;
    robot.v = key.v;
    robot.control = key.control;
  }
  for (const auto& [name, position] : options.joints) {
    const ModelJoint& joint = findNamed(model->joints, name, "joint");
    if (static_cast<int>(position.size()) != joint.size) {
      throw std::invalid_argument(fmt::format("joint '{}' has {} positions, expected {}", name, position.size(), joint.size));
    }
    std::ranges::copy(position, robot.q.data() + joint.q);
  }
  for (const auto& [name, value] : options.controls) {
    const ModelActuator& actuator = findNamed(model->actuators, name, "actuator");
    if (!(value >= actuator.lower && value <= actuator.upper)) {
      throw std::invalid_argument(fmt::format("control {} of actuator '{}' is not between {} and {}", value, name, actuator.lower, actuator.upper));
    }
    robot.control[actuator.control] = value;
  }
  robot.moving.assign(model->bodies.size(), -1);
  robot.standing.assign(model->bodies.size(), -1);
  robots_.push_back(std::move(robot));
}

void RobotAdder::addAll() {
  const int count = static_cast<int>(robots_.size());
  for (int k = 0; k < count; ++k) readClasses(k);
  constexpr std::size_t kClasses = 24;
  if (classes_.size() > kClasses) {
    throw std::invalid_argument(fmt::format("robots have {} classes of shapes that meet different ones, at most {} are possible", classes_.size(), kClasses));
  }
  for (int k = 0; k < count; ++k) addBodies(k);
  for (int k = 0; k < count; ++k) addTrees(k);
  for (int k = 0; k < count; ++k) addSurroundings(k);
  for (const Robot& robot : robots_) exclude(robot);
  setPairs();
}

std::vector<std::string> RobotAdder::notes() const {
  std::vector<std::string> notes;
  for (const Robot& robot : robots_) {
    const std::string title = robot.options.name.empty() ? "" : fmt::format("robot '{}': ", robot.options.name);
    std::vector<std::string> items;
    for (const NotUsed& item : robot.model->not_used) items.push_back(toString(item));
    if (!items.empty()) notes.push_back(fmt::format("{}not used: {}", title, fmt::join(items, "; ")));
    for (const std::string& warning : robot.model->warnings) notes.push_back(fmt::format("{}{}", title, warning));
  }
  return notes;
}

std::string RobotAdder::nameOf(const Robot& robot, int body) const {
  const std::string& name = robot.model->bodies[static_cast<std::size_t>(body)].name;
  return robot.options.name.empty() ? name : robot.options.name + "/" + name;
}

void RobotAdder::addBodies(int number) {
  Robot& robot = robots_[static_cast<std::size_t>(number)];
  for (const ModelTree& tree : robot.model->trees) {
    if (!tree.is_free_body) continue;
    const ModelLink& link = tree.links.front();
    const VectorXd q = robot.q(tree.q), v = robot.v(tree.v);
    const Pose X_WB = robot.options.X_WM * Pose(Quaterniond(q[3], q[4], q[5], q[6]).normalized(), Vector3d(q.head<3>()));
    const Vector3d omega = X_WB.R * v.tail<3>(), velocity = robot.options.X_WM.R * v.head<3>() + omega.cross(X_WB.R * link.centre);
    AssetInertial body(nameOf(robot, link.body), link.mass, makeShapes(number, link.body, Vector3d::Zero()), link.centre);
    body.place(X_WB.p, Quaterniond(X_WB.R)).setVelocity(velocity, omega);
    robot.moving[static_cast<std::size_t>(link.body)] = world_.addBody(std::move(body));
  }
}

void RobotAdder::addTrees(int number) {
  Robot& robot = robots_[static_cast<std::size_t>(number)];
  for (std::size_t k = 0; k < robot.model->trees.size(); ++k) {
    const ModelTree& tree = robot.model->trees[k];
    if (tree.is_free_body) continue;
    std::vector<AssetInertial> links;
    for (const ModelLink& link : tree.links) {
      links.emplace_back(nameOf(robot, link.body), link.mass, makeShapes(number, link.body, link.centre));
    }
    const ModelTreeOptions options{robot.options.X_WM, world_.gravity, robot.control};
    const int added = world_.addTree(robot.model->makeTree(static_cast<int>(k), options), std::move(links),
                                     robot.q(tree.q), robot.v(tree.v));
    for (std::size_t i = 0; i < tree.links.size(); ++i) {
      robot.moving[static_cast<std::size_t>(tree.links[i].body)] = world_.tree(added).first + static_cast<int>(i);
    }
  }
}

void RobotAdder::addSurroundings(int number) {
  Robot& robot = robots_[static_cast<std::size_t>(number)];
  const auto& bodies = robot.model->bodies;
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    if (bodies[body].tree >= 0) continue;
    std::vector<AssetShape> shapes = makeShapes(number, static_cast<int>(body), Vector3d::Zero());
    if (shapes.empty()) continue;
    const Pose& X_WM = robot.options.X_WM;
    robot.standing[body] = world_.addEnvironment({nameOf(robot, static_cast<int>(body)), std::move(shapes), X_WM.p, Quaterniond(X_WM.R)});
  }
}

// Shapes of a link, about its centre, or of one body that stands.
std::vector<AssetShape> RobotAdder::makeShapes(int number, int body, const Vector3d& centre) {
  const MujocoModel& model = *robots_[static_cast<std::size_t>(number)].model;
  std::vector<AssetShape> shapes;
  for (std::size_t k = 0; k < model.shapes.size(); ++k) {
    const ModelShape& shape = model.shapes[k];
    const ModelBody& owner = model.bodies[static_cast<std::size_t>(shape.body)];
    if ((owner.tree >= 0 ? owner.carrier : shape.body) != body || !shape.shape) continue;
    if (owner.tree >= 0 && isStatic(*shape.shape)) continue;
    AssetShape part;
    part.shape = *shape.shape;
    part.X_BS = shape.X_BS;
    part.X_BS.p -= centre;
    part.material = materialOf(number, static_cast<int>(k));
    part.filter = filterOf(number, static_cast<int>(k));
    shapes.push_back(std::move(part));
  }
  return shapes;
}

}  // namespace cornet
