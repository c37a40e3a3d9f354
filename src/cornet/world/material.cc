#include "cornet/world/material.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

double combine(CombinationRule rule, double a, double b) {
  switch (rule) {
    case CombinationRule::geometric_mean: return a == b ? a : std::sqrt(a) * std::sqrt(b);
    case CombinationRule::mean: return 0.5 * (a + b);
    case CombinationRule::minimum: return std::min(a, b);
    case CombinationRule::maximum: return std::max(a, b);
    case CombinationRule::product: return a * b;
  }
  return a;
}

void requireFriction(const std::string& name, double value) {
  if (value >= 0.0) return;
  throw std::invalid_argument(fmt::format("{}: friction = {}: expected a number ≥ 0", name, value));
}

void requireRestitution(const std::string& name, double value) {
  if (value >= 0.0 && value <= 1.0) return;
  throw std::invalid_argument(
      fmt::format("{}: restitution = {}: expected a number between 0 and 1", name, value));
}

}  // namespace

std::string_view toString(CombinationRule rule) {
  switch (rule) {
    case CombinationRule::geometric_mean: return "geometric_mean";
    case CombinationRule::mean: return "mean";
    case CombinationRule::minimum: return "minimum";
    case CombinationRule::maximum: return "maximum";
    case CombinationRule::product: return "product";
  }
  return "unknown";
}

MaterialTable::MaterialTable() : materials_(1) { fillPairs(); }

int MaterialTable::add(const Material& material) {
  const std::string name = fmt::format("material '{}'", material.name);
  requireFriction(name, material.friction);
  requireRestitution(name, material.restitution);
  const int known = find(material.name);
  if (known > 0) throw std::invalid_argument(name + " is defined twice");
  if (known == 0) {
    materials_[0] = material;
  } else {
    materials_.push_back(material);
  }
  fillPairs();
  return known == 0 ? 0 : size() - 1;
}

void MaterialTable::setRules(CombinationRule friction, CombinationRule restitution) {
  friction_rule_ = friction;
  restitution_rule_ = restitution;
  fillPairs();
}

void MaterialTable::setPair(int a, int b, const PairLaw& law) {
  if (a < 0 || b < 0 || a >= size() || b >= size()) {
    throw std::invalid_argument(
        fmt::format("materials {} and {}: there are {} materials", a, b, size()));
  }
  const std::string name =
      fmt::format("materials '{}' and '{}'", materials_[a].name, materials_[b].name);
  requireFriction(name, law.mu);
  requireRestitution(name, law.restitution);
  overrides_.push_back({a, b, law});
  fillPairs();
}

int MaterialTable::find(std::string_view name) const {
  const auto found = std::ranges::find(materials_, name, &Material::name);
  return found == materials_.end() ? -1 : static_cast<int>(found - materials_.begin());
}

void MaterialTable::fillPairs() {
  const int n = size();
  pairs_.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      pairs_[a * n + b] = {combine(friction_rule_, materials_[a].friction, materials_[b].friction),
                           combine(restitution_rule_, materials_[a].restitution,
                                   materials_[b].restitution)};
    }
  }
  for (const Override& o : overrides_) pairs_[o.a * n + o.b] = pairs_[o.b * n + o.a] = o.law;
}

}  // namespace cornet
