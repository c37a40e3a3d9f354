#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "cornet/io/scene/scene_parts.h"
#include "cornet/io/toml/suggestion.h"

namespace cornet {

void guard(TableReader& table, std::string_view key, const std::string& help,
           const std::function<void()>& make) {
  try {
    make();
  } catch (const std::invalid_argument& error) {
    table.refuse(key, error.what(), help);
  }
}

int readBodyName(TableReader& table, std::string_view key, const WorldModel& world) {
  const int before = table.faults();
  const std::string name = table.string(key);
  if (table.faults() > before) return -1;
  const int body = world.find(name);
  if (body >= 0) return body;
  std::vector<std::string> known;
  for (int i = 0; i < world.totalCount(); ++i) known.push_back(world.nameOf(i));
  const std::string near = suggest(name, known);
  table.refuse(key, fmt::format("there is no body \"{}\"", name),
               near.empty() ? "expected the name of a body or environment"
                            : fmt::format("did you mean \"{}\"?", near));
  return -1;
}

int findJointName(TableReader& table, std::string_view key, const std::string& name, const WorldModel& world) {
  const int joint = world.findJoint(name);
  if (joint >= 0) return joint;
  std::vector<std::string> known;
  for (const WorldJoint& other : world.joints()) known.push_back(other.name);
  const std::string near = suggest(name, known);
  table.refuse(key, fmt::format("there is no joint \"{}\"", name),
               near.empty() ? "expected the name of a [[joint]] or [[constraint]]" : fmt::format("did you mean \"{}\"?", near));
  return -1;
}

int readMaterialName(TableReader& table, const MaterialTable& materials, int otherwise) {
  if (!table.has("material")) return otherwise;
  const int before = table.faults();
  const std::string name = table.string("material");
  if (table.faults() > before) return otherwise;
  if (const int found = materials.find(name); found >= 0) return found;
  std::vector<std::string> known;
  for (int k = 0; k < materials.size(); ++k) known.push_back(materials[k].name);
  const std::string near = suggest(name, known);
  table.refuse("material", fmt::format("there is no material \"{}\"", name),
               near.empty() ? fmt::format("add a [[material]] with name = \"{}\"", name)
                            : fmt::format("did you mean \"{}\"?", near));
  return otherwise;
}

void readSettings(TableReader& root, Scene& scene) {
  scene.title = root.string("title", "");
  scene.description = root.string("description", "");
  scene.duration = root.number("duration", Limits::positive(), 1.0);
  scene.dt = root.number("dt", Limits::positive(), 1e-3);
  scene.seed = root.integer("seed", Limits::atLeast(0), 1);
  scene.is_long = root.boolean("long", false);
  // The older word knows no repair.
  const std::string older = root.word("overlap", {"report", "refuse"}, "report");
  const std::vector<std::string> rules = {"report", "refuse", "repair"};
  const std::string rule = root.word("start", rules, older);
  scene.start = static_cast<StartRule>(std::ranges::find(rules, rule) - rules.begin());
  scene.world.gravity = root.vector3("gravity", {}, Vector3d(0.0, 0.0, -9.81));
  // More steps than that are a slip of the pen.
  constexpr double kMostSteps = 1e9;
  if (scene.duration / scene.dt > kMostSteps) {
    root.refuse("dt", fmt::format("duration / dt = {:.3g} steps", scene.duration / scene.dt),
                fmt::format("expected at most {:.0e}", kMostSteps));
  }
}

void readSimulator(TableReader& root, SimulatorOptions& options) {
  std::optional<TableReader> table = root.optionalTable("simulator");
  if (!table) return;
  visitOptions(options, [&table](const std::string& name, auto& field, const std::string&) {
    using Field = std::remove_reference_t<decltype(field)>;
    if constexpr (std::is_enum_v<Field>) {
      const std::vector<std::string> words = wordsOf(Field{});
      const std::string word = table->word(name, words, words[static_cast<std::size_t>(field)]);
      field = static_cast<Field>(std::ranges::find(words, word) - words.begin());
    } else if constexpr (std::is_same_v<Field, bool>) {
      field = table->boolean(name, field);
    } else if constexpr (std::is_same_v<Field, int>) {
      field = table->integer(name, {}, field);
    } else {
      field = table->number(name, {}, field);
    }
  });
  guard(*table, "", "see docs/formats/scene.md", [&options] { validate(options); });
}

}  // namespace cornet
