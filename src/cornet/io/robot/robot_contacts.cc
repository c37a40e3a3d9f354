// Which shapes of robots meet, and how they slide.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/io/robot/add_robots.h"

namespace cornet {
namespace {

constexpr int kFirstGroup = 31;                  // of the classes, downwards
constexpr std::uint32_t kOthersGroups = 0xff;    // of what is no robot

bool isInPair(const MujocoModel& model, int shape) {
  return std::ranges::any_of(model.pairs, [shape](const ModelPair& pair) { return pair.shape_a == shape || pair.shape_b == shape; });
}

}  // namespace

// Whether all shapes of the link that a body belongs to are its own; of what stands always.
bool RobotAdder::isWholeLink(const Robot& robot, int body) const {
  const auto& bodies = robot.model->bodies;
  const ModelBody& own = bodies[static_cast<std::size_t>(body)];
  return own.tree < 0 || std::ranges::all_of(robot.model->shapes, [&](const ModelShape& shape) {
           return shape.body == body || bodies[static_cast<std::size_t>(shape.body)].carrier != own.carrier;
         });
}

RobotAdder::ShapeClass RobotAdder::classOf(int number, int index) const {
  const Robot& robot = robots_[static_cast<std::size_t>(number)];
  const MujocoModel& model = *robot.model;
  const ModelShape& shape = model.shapes[static_cast<std::size_t>(index)];
  ShapeClass result{shape.type, shape.affinity};
  for (const auto& [a, b] : model.excluded) {
    if (a != shape.body && b != shape.body) continue;
    if (isWholeLink(robot, a) && isWholeLink(robot, b)) continue;
    result.robot = number;
    result.body = shape.body;
  }
  if (isInPair(model, index)) {
    result.robot = number;
    result.body = shape.body;
    result.shape = index;
  }
  return result;
}

void RobotAdder::readClasses(int number) {
  const MujocoModel& model = *robots_[static_cast<std::size_t>(number)].model;
  for (int shape = 0; shape < static_cast<int>(model.shapes.size()); ++shape) {
    const ShapeClass own = classOf(number, shape);
    const bool meets_none = own.type == 0 && own.affinity == 0 && own.shape < 0;
    if (!meets_none && std::ranges::find(classes_, own) == classes_.end()) classes_.push_back(own);
  }
}

bool RobotAdder::meet(const ShapeClass& a, const ShapeClass& b) const {
  if (a.robot >= 0 && a.robot == b.robot) {
    const MujocoModel& model = *robots_[static_cast<std::size_t>(a.robot)].model;
    for (const ModelPair& pair : model.pairs) {
      if ((pair.shape_a == a.shape && pair.shape_b == b.shape) || (pair.shape_a == b.shape && pair.shape_b == a.shape)) return true;
    }
    for (const auto& [first, second] : model.excluded) {
      if ((first == a.body && second == b.body) || (first == b.body && second == a.body)) return false;
    }
  }
  return (a.type & b.affinity) != 0 || (b.type & a.affinity) != 0;
}

CollisionFilter RobotAdder::filterOf(int number, int shape) const {
  const auto own = std::ranges::find(classes_, classOf(number, shape));
  if (own == classes_.end()) return {0, 0};
  CollisionFilter filter;
  filter.group = std::uint32_t{1} << (kFirstGroup - (own - classes_.begin()));
  filter.mask = own->type != 0 || own->affinity != 0 ? kOthersGroups : 0;
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    if (meet(*own, classes_[k])) filter.mask |= std::uint32_t{1} << (kFirstGroup - static_cast<int>(k));
  }
  return filter;
}

int RobotAdder::materialOf(int number, int index) {
  const MujocoModel& model = *robots_[static_cast<std::size_t>(number)].model;
  const ModelShape& shape = model.shapes[static_cast<std::size_t>(index)];
  Surface surface{shape.friction, shape.is_smooth, shape.priority};
  if (isInPair(model, index)) {
    surface.robot = number;
    surface.shape = index;
  }
  for (const auto& [known, material] : surfaces_) {
    if (known == surface) return material;
  }
  Material material;
  material.friction = shape.is_smooth ? 0.0 : shape.friction;
  material.name = fmt::format("robot surface {}", surfaces_.size() + 1);
  surfaces_.emplace_back(surface, world_.materials.add(material));
  return surfaces_.back().second;
}

void RobotAdder::setPairs() {
  for (std::size_t a = 0; a < surfaces_.size(); ++a) {
    for (std::size_t b = a; b < surfaces_.size(); ++b) {
      const auto& [first, material_a] = surfaces_[a];
      const auto& [second, material_b] = surfaces_[b];
      const Surface& stronger = first.priority > second.priority ? first : second;
      const bool is_even = first.priority == second.priority;
      const bool is_smooth = is_even ? first.is_smooth && second.is_smooth : stronger.is_smooth;
      const double friction = is_even ? std::max(first.friction, second.friction) : stronger.friction;
      world_.materials.setPair(material_a, material_b, {is_smooth ? 0.0 : friction, 0.0});
    }
  }
  for (std::size_t k = 0; k < robots_.size(); ++k) {
    const int number = static_cast<int>(k);
    for (const ModelPair& pair : robots_[k].model->pairs) {
      world_.materials.setPair(materialOf(number, pair.shape_a), materialOf(number, pair.shape_b), {pair.friction, 0.0});
    }
  }
}

// Links and those they hang on, and what the model excludes.
void RobotAdder::exclude(const Robot& robot) {
  const MujocoModel& model = *robot.model;
  const int count = static_cast<int>(model.bodies.size());
  for (int body = 0; body < count && !model.parents_meet_children; ++body) {
    const ModelBody& child = model.bodies[static_cast<std::size_t>(body)];
    if (child.tree < 0 || child.carrier != body || child.parent == 0) continue;
    for (int other = 0; other < count; ++other) {
      if (model.bodies[static_cast<std::size_t>(other)].carrier == child.parent) excludeBodies(robot, body, other);
    }
  }
  for (const auto& [a, b] : model.excluded) {
    if (isWholeLink(robot, a) && isWholeLink(robot, b)) excludeBodies(robot, a, b);
  }
}

void RobotAdder::excludeBodies(const Robot& robot, int a, int b) {
  const auto numberOf = [&](int body) {
    const ModelBody& own = robot.model->bodies[static_cast<std::size_t>(body)];
    if (own.tree >= 0) return robot.moving[static_cast<std::size_t>(own.carrier)];
    const int place = robot.standing[static_cast<std::size_t>(body)];
    return place < 0 ? -1 : world_.environmentBody(place);
  };
  if (numberOf(a) >= 0 && numberOf(b) >= 0) world_.excludeBodies(numberOf(a), numberOf(b));
}

}  // namespace cornet
