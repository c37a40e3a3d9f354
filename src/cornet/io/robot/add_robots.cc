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

// An actuator that does something.
const ModelActuator& findActuator(const MujocoModel& model, const std::string& name) {
  const ModelActuator& actuator = findNamed(model.actuators, name, "actuator");
  if (actuator.not_used.empty()) return actuator;
  throw std::invalid_argument(fmt::format("actuator '{}' is not used: {}", name, actuator.not_used));
}

// The servo that holds a joint.
const ModelActuator& findServo(const MujocoModel& model, const std::string& name) {
  const auto joint = static_cast<int>(&findNamed(model.joints, name, "joint") - model.joints.data());
  std::vector<std::string> held;
  for (const ModelActuator& actuator : model.actuators) {
    if (!actuator.controlFor(0.0)) continue;
    if (actuator.joint == joint) return actuator;
    held.push_back(model.joints[static_cast<std::size_t>(actuator.joint)].name);
  }
  throw std::invalid_argument(fmt::format("no servo holds joint '{}'; {}", name,
                                          held.empty() ? "the model has none that hold positions" : fmt::format("servos hold {}", fmt::join(held, ", "))));
}

// In world axes what is said in those of the model.
Motion turned(Motion motion, const Matrix3d& R) {
  if (auto* steady = std::get_if<SteadyMotion>(&motion)) {
    steady->velocity = R * steady->velocity;
    steady->omega = R * steady->omega;
  } else if (auto* oscillation = std::get_if<Oscillation>(&motion)) {
    oscillation->amplitude = R * oscillation->amplitude;
  } else if (auto* path = std::get_if<Path>(&motion)) {
    for (Vector3d& way : path->displacements) way = R * way;
  }
  return motion;
}

void requireControl(const ModelActuator& actuator, double value, const std::string& what) {
  if (value >= actuator.lower && value <= actuator.upper) return;
  throw std::invalid_argument(fmt::format("control {} of actuator '{}'{} is not between {} and {}", value, actuator.name, what, actuator.lower, actuator.upper));
}

}  // namespace

void RobotAdder::plan(std::shared_ptr<const MujocoModel> model, const RobotOptions& options) {
  Robot robot{model, options, model->q, model->v, {}, model->activation, {}, {}, {}, {}};
  const auto controls = static_cast<Eigen::Index>(model->control_count);
  robot.control = VectorXd::Zero(controls);
  if (!options.keyframe.empty()) {
    const ModelKey& key = findNamed(model->keys, options.keyframe, "keyframe");
    robot.q = key.q;
    robot.v = key.v;
    robot.control = key.control;
    robot.activation = key.activation;
  }
  std::vector<int> set;
  for (const auto& [name, position] : options.joints) {
    const ModelJoint& joint = findNamed(model->joints, name, "joint");
    if (static_cast<int>(position.size()) != joint.size) {
      throw std::invalid_argument(fmt::format("joint '{}' has {} positions, expected {}", name, position.size(), joint.size));
    }
    std::ranges::copy(position, robot.q.data() + joint.q);
    set.push_back(static_cast<int>(&joint - model->joints.data()));
  }
  if (!set.empty()) model->follow(set, robot.q);
  planControls(robot);
  planMocaps(robot);
  robot.moving.assign(model->bodies.size(), -1);
  robot.standing.assign(model->bodies.size(), -1);
  robots_.push_back(std::move(robot));
}

// What its actuators are asked for, constant or over time.
void RobotAdder::planControls(Robot& robot) {
  const MujocoModel& model = *robot.model;
  std::vector<std::string> asked;
  const auto claim = [&asked](const ModelActuator& actuator) {
    if (std::ranges::find(asked, actuator.name) != asked.end()) {
      throw std::invalid_argument(fmt::format("actuator '{}' is asked for two things; keep one control, target or schedule of it", actuator.name));
    }
    asked.push_back(actuator.name);
  };
  const auto setConstant = [&](const ModelActuator& actuator, double value, const std::string& why) {
    claim(actuator);
    requireControl(actuator, value, why);
    robot.control[actuator.control] = value;
  };
  const auto setSchedule = [&](const ModelActuator& actuator, const ControlSchedule& schedule) {
    claim(actuator);
    for (std::size_t k = 0; k < schedule.values.size(); ++k) {
      requireControl(actuator, schedule.values[k], fmt::format(" at {} s", k < schedule.times.size() ? schedule.times[k] : 0.0));
    }
    robot.schedules.emplace_back(static_cast<int>(&actuator - model.actuators.data()), schedule);
  };
  for (const auto& [name, value] : robot.options.controls) setConstant(findActuator(model, name), value, "");
  for (const auto& [name, position] : robot.options.targets) {
    const ModelActuator& servo = findServo(model, name);
    setConstant(servo, *servo.controlFor(position), fmt::format(", for joint '{}' at {},", name, position));
  }
  for (const auto& [name, schedule] : robot.options.schedules) setSchedule(findActuator(model, name), schedule);
  for (const auto& [name, way] : robot.options.target_schedules) {
    const ModelActuator& servo = findServo(model, name);
    ControlSchedule schedule = way;
    for (double& value : schedule.values) value = *servo.controlFor(value);
    setSchedule(servo, schedule);
  }
  for (const auto& [name, value] : robot.options.activations) {
    const ModelActuator& actuator = findActuator(model, name);
    if (actuator.activation < 0) throw std::invalid_argument(fmt::format("actuator '{}' has no activation: it follows its control at once", name));
    robot.activation[actuator.activation] = value;
  }
}

// Where mocap bodies begin, and how they move. One that holds something that moves stands.
void RobotAdder::planMocaps(Robot& robot) {
  const MujocoModel& model = *robot.model;
  const ModelKey* key = robot.options.keyframe.empty() ? nullptr : &findNamed(model.keys, robot.options.keyframe, "keyframe");
  std::vector<std::string> names;
  for (std::size_t body = 0; body < model.bodies.size(); ++body) {
    const ModelBody& own = model.bodies[body];
    if (own.mocap < 0 || own.carrier != static_cast<int>(body)) continue;
    names.push_back(own.name);
    if (robot.mocaps.size() <= static_cast<std::size_t>(own.mocap)) robot.mocaps.resize(static_cast<std::size_t>(own.mocap) + 1);
    auto& [pose, motion] = robot.mocaps[static_cast<std::size_t>(own.mocap)];
    pose = key != nullptr && own.holds.empty() ? key->mocaps[static_cast<std::size_t>(own.mocap)] : own.X_MB;
    motion = Guided{};
    if (!own.holds.empty()) motion = Rest{};
    const auto asked = std::ranges::find(robot.options.mocaps, own.name, &MocapOptions::body);
    if (asked == robot.options.mocaps.end()) continue;
    if (!own.holds.empty()) {
      throw std::invalid_argument(fmt::format("mocap body '{}' holds {}: it can only stand where the model puts it", own.name, own.holds));
    }
    pose = asked->X_MB.value_or(pose);
    motion = asked->motion;
  }
  for (const MocapOptions& asked : robot.options.mocaps) {
    if (std::ranges::find(names, asked.body) != names.end()) continue;
    throw std::invalid_argument(fmt::format("the model has no mocap body '{}'; {}", asked.body,
                                            names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "))));
  }
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
    const std::string prefix = robot.options.name.empty() ? "" : robot.options.name + ".";
    const ModelTreeOptions options{robot.options.X_WM, world_.gravity, robot.control, prefix};
    const int added = world_.addTree(robot.model->makeTree(static_cast<int>(k), options), std::move(links),
                                     robot.q(tree.q), robot.v(tree.v), robot.activation(tree.activations));
    setControls(robot, static_cast<int>(k), added);
    for (std::size_t i = 0; i < tree.links.size(); ++i) {
      robot.moving[static_cast<std::size_t>(tree.links[i].body)] = world_.tree(added).first + static_cast<int>(i);
    }
  }
}

void RobotAdder::setControls(const Robot& robot, int tree, int added) {
  const std::vector<int>& own = robot.model->trees[static_cast<std::size_t>(tree)].actuators;
  for (const auto& [actuator, schedule] : robot.schedules) {
    const auto place = std::ranges::find(own, actuator);
    if (place != own.end()) world_.setControl({added, static_cast<int>(place - own.begin())}, schedule);
  }
}

void RobotAdder::addSurroundings(int number) {
  Robot& robot = robots_[static_cast<std::size_t>(number)];
  const auto& bodies = robot.model->bodies;
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    if (bodies[body].tree >= 0) continue;
    const Pose& X_WM = robot.options.X_WM;
    const int carrier = bodies[body].carrier;
    if (bodies[body].mocap >= 0 && carrier != static_cast<int>(body)) {  // part of the one that carries it, which came before
      robot.standing[body] = robot.standing[static_cast<std::size_t>(carrier)];
      continue;
    }
    std::vector<AssetShape> shapes = makeShapes(number, static_cast<int>(body), Vector3d::Zero());
    if (bodies[body].mocap >= 0) {
      const auto& [X_MB, motion] = robot.mocaps[static_cast<std::size_t>(bodies[body].mocap)];
      const Pose X_WB = X_WM * X_MB;
      robot.standing[body] = world_.addEnvironment({nameOf(robot, static_cast<int>(body)), std::move(shapes), X_WB.p, Quaterniond(X_WB.R), turned(motion, X_WM.R)});
    } else if (!shapes.empty()) {
      robot.standing[body] = world_.addEnvironment({nameOf(robot, static_cast<int>(body)), std::move(shapes), X_WM.p, Quaterniond(X_WM.R)});
    }
  }
}

// Shapes of a link, about its centre, or of one body that stands.
std::vector<AssetShape> RobotAdder::makeShapes(int number, int body, const Vector3d& centre) {
  const MujocoModel& model = *robots_[static_cast<std::size_t>(number)].model;
  std::vector<AssetShape> shapes;
  for (std::size_t k = 0; k < model.shapes.size(); ++k) {
    const ModelShape& shape = model.shapes[k];
    const ModelBody& owner = model.bodies[static_cast<std::size_t>(shape.body)];
    if ((owner.tree >= 0 || owner.mocap >= 0 ? owner.carrier : shape.body) != body || !shape.shape) continue;
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
