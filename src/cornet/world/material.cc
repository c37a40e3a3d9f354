#include "cornet/world/material.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cornet {
namespace {

double combineValues(CombinationRule rule, double a, double b) {
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

void requireCompliance(const std::string& name, const char* what, double value, bool good, const char* expected) {
  if (good || std::isnan(value)) return;  // left out
  throw std::invalid_argument(fmt::format("{}: {} = {}: expected {}", name, what, value, expected));
}

// Of a material or a pair.
template <class Law>
void requireCompliance(const std::string& name, const Law& law, double mu_dynamic) {
  requireCompliance(name, "dynamic_friction", mu_dynamic, mu_dynamic >= 0.0 && std::isfinite(mu_dynamic), "a finite number ≥ 0");
  requireCompliance(name, "stiffness", law.stiffness, law.stiffness > 0.0, "a number > 0");
  requireCompliance(name, "dissipation", law.dissipation, law.dissipation >= 0.0 && std::isfinite(law.dissipation), "a finite number ≥ 0");
  requireCompliance(name, "relaxation_time", law.relaxation_time, law.relaxation_time >= 0.0 && std::isfinite(law.relaxation_time),
                    "a finite number ≥ 0");
}

// Of two materials in series: of what a weight w₁ = k₂/(k₁ + k₂) says.
struct Series {
  double stiffness, weight_a;
};

Series combineStiffness(double a, double b) {
  if (std::isinf(a)) return {b, std::isinf(b) ? 0.5 : 0.0};
  if (std::isinf(b)) return {a, 1.0};
  return {1.0 / (1.0 / a + 1.0 / b), b / (a + b)};
}

PairLaw combineMaterials(CombinationRule friction, CombinationRule restitution, const Material& a, const Material& b) {
  const auto slidingOf = [](const Material& material) {
    return std::isnan(material.dynamic_friction) ? material.friction : material.dynamic_friction;
  };
  const auto [stiffness, weight] = combineStiffness(a.stiffness, b.stiffness);
  const auto share = [&](double of_a, double of_b) { return weight * of_a + (1.0 - weight) * of_b; };
  return {.mu = combineValues(friction, a.friction, b.friction),
          .restitution = combineValues(restitution, a.restitution, b.restitution),
          .mu_dynamic = combineValues(friction, slidingOf(a), slidingOf(b)),
          .stiffness = stiffness,
          .dissipation = share(a.dissipation, b.dissipation),
          .relaxation_time = share(a.relaxation_time, b.relaxation_time)};
}

// `given`, where it leaves something out completed by what the materials make.
PairLaw completePair(const PairLaw& given, const PairLaw& made) {
  const auto pick = [](double own, double other) { return std::isnan(own) ? other : own; };
  return {.mu = given.mu,
          .restitution = given.restitution,
          .mu_dynamic = pick(given.mu_dynamic, given.mu),
          .stiffness = pick(given.stiffness, made.stiffness),
          .dissipation = pick(given.dissipation, made.dissipation),
          .relaxation_time = pick(given.relaxation_time, made.relaxation_time)};
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
  requireCompliance(name, material, material.dynamic_friction);
  if (std::isnan(material.stiffness + material.dissipation + material.relaxation_time)) {
    throw std::invalid_argument(name + ": stiffness, dissipation or relaxation_time is not a number");
  }
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
  requireCompliance(name, law, law.mu_dynamic);
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
      pairs_[a * n + b] = combineMaterials(friction_rule_, restitution_rule_, materials_[a], materials_[b]);
    }
  }
  for (const Override& o : overrides_) pairs_[o.a * n + o.b] = pairs_[o.b * n + o.a] = completePair(o.law, pairs_[o.a * n + o.b]);
}

}  // namespace cornet
