#include "scene/model_overview.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scene/scene_messages.h"

namespace cornet::app {
namespace {

template <class Items>
std::vector<std::string> namesOf(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

std::string titleOf(const ModelTree& tree, const MujocoModel& model) {
  const std::string& name = model.bodies[static_cast<std::size_t>(tree.links.front().body)].name;
  if (tree.is_free_body) return fmt::format("free body '{}'", name);
  return fmt::format("tree '{}': {} links, {} degrees of freedom", name, tree.links.size(), tree.v.size());
}

double massOf(const MujocoModel& model) {
  double mass = 0.0;
  for (const ModelTree& tree : model.trees) {
    for (const ModelLink& link : tree.links) mass += link.mass.mass;
  }
  return mass;
}

}  // namespace

std::string modelText(const std::string& file, const MujocoModel& model) {
  std::string text = fmt::format("{}: a robot model, {} bodies, {} geoms, {:g} kg that move, read with MuJoCo {}", file,
                                 model.bodies.size() - 1, model.shapes.size(), massOf(model), mujocoVersion());
  for (const ModelTree& tree : model.trees) text += "\n  " + titleOf(tree, model);
  const auto list = [&text](const char* title, const std::vector<std::string>& names) {
    if (!names.empty()) text += fmt::format("\n  {}: {}", title, fmt::join(names, ", "));
  };
  list("joints", namesOf(model.joints));
  list("actuators", namesOf(model.actuators));
  list("keyframes", namesOf(model.keys));
  for (const NotUsed& item : model.not_used) text += "\n  not used: " + toString(item);
  for (const std::string& warning : model.warnings) text += "\n  note: " + warning;
  return text;
}

std::string modelJson(const std::string& file, const MujocoModel& model) {
  Json trees = Json::array(), not_used = Json::array();
  for (const ModelTree& tree : model.trees) {
    trees.push_back({{"name", model.bodies[static_cast<std::size_t>(tree.links.front().body)].name},
                     {"links", tree.links.size()},
                     {"degrees_of_freedom", tree.v.size()},
                     {"free_body", tree.is_free_body}});
  }
  for (const NotUsed& item : model.not_used) not_used.push_back(toString(item));
  return dumpJson({{"schema", "cornet.model/1"},
                   {"ok", true},
                   {"file", file},
                   {"mass", massOf(model)},
                   {"trees", std::move(trees)},
                   {"joints", namesOf(model.joints)},
                   {"actuators", namesOf(model.actuators)},
                   {"keyframes", namesOf(model.keys)},
                   {"not_used", std::move(not_used)},
                   {"warnings", model.warnings}});
}

}  // namespace cornet::app
