#include <fmt/format.h>

#include "cornet/io/scene/scene_parts.h"

namespace cornet {
namespace {

CombinationRule readRule(TableReader& table, std::string_view key, CombinationRule otherwise) {
  using enum CombinationRule;
  constexpr CombinationRule kRules[] = {geometric_mean, mean, minimum, maximum, product};
  std::vector<std::string> words;
  for (const CombinationRule rule : kRules) words.emplace_back(toString(rule));
  const std::string word = table.word(key, words, std::string(toString(otherwise)));
  for (const CombinationRule rule : kRules) {
    if (word == toString(rule)) return rule;
  }
  return otherwise;
}

int readMaterialOf(TableReader& table, std::string_view key, const MaterialTable& materials) {
  const int before = table.faults();
  const std::string name = table.string(key);
  const int found = materials.find(name);
  if (found < 0 && table.faults() == before) {
    table.refuse(key, fmt::format("there is no material \"{}\"", name),
                 fmt::format("add a [[material]] with name = \"{}\"", name));
  }
  return found;
}

}  // namespace

void readMaterials(TableReader& root, MaterialTable& materials) {
  for (TableReader& table : root.tables("material")) {
    Material material;
    const int before = table.faults();
    material.name = table.string("name");
    material.friction = table.number("friction", Limits::atLeast(0.0), material.friction);
    material.restitution = table.number("restitution", Limits::between(0.0, 1.0), 0.0);
    if (table.has("dynamic_friction")) material.dynamic_friction = table.number("dynamic_friction", Limits::atLeast(0.0));
    material.stiffness = table.number("stiffness", Limits::positive(), material.stiffness);
    material.dissipation = table.number("dissipation", Limits::atLeast(0.0), material.dissipation);
    material.relaxation_time = table.number("relaxation_time", Limits::atLeast(0.0), material.relaxation_time);
    if (table.faults() > before) continue;
    guard(table, "name", "names of materials are unique", [&] { materials.add(material); });
  }
}

void readMaterialPairs(TableReader& root, MaterialTable& materials) {
  if (std::optional<TableReader> rules = root.optionalTable("material_rules")) {
    const CombinationRule friction = readRule(*rules, "friction", CombinationRule::geometric_mean);
    materials.setRules(friction, readRule(*rules, "restitution", CombinationRule::maximum));
  }
  for (TableReader& table : root.tables("material_pair")) {
    const int before = table.faults();
    const int a = readMaterialOf(table, "a", materials);
    const int b = readMaterialOf(table, "b", materials);
    PairLaw law;
    if (a >= 0 && b >= 0) law = materials.pair(a, b);
    law.mu = table.number("friction", Limits::atLeast(0.0), law.mu);
    law.restitution = table.number("restitution", Limits::between(0.0, 1.0), law.restitution);
    const double sliding = table.has("friction") ? law.mu : law.mu_dynamic;  // of a pair that is given its friction the same
    if (table.has("friction") || table.has("dynamic_friction")) law.mu_dynamic = table.number("dynamic_friction", Limits::atLeast(0.0), sliding);
    law.stiffness = table.number("stiffness", Limits::positive(), law.stiffness);
    law.dissipation = table.number("dissipation", Limits::atLeast(0.0), law.dissipation);
    law.relaxation_time = table.number("relaxation_time", Limits::atLeast(0.0), law.relaxation_time);
    if (table.faults() > before) continue;
    guard(table, "", "expected two materials", [&] { materials.setPair(a, b, law); });
  }
}

}  // namespace cornet
