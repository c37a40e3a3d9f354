#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

/// What surfaces are made of, and what two of them do when they meet.
namespace cornet {

struct Material {
  std::string name = "default";
  double friction = 0.5;     // Coulomb's μ, ≥ 0; ∞ never slides
  double restitution = 0.0;  // Newton's e, in [0, 1]

  // Of compliant contact, `integrator = icf`, which takes its rebound from these and not from e.
  double dynamic_friction = kAsStatic;  // μ of what slides, `friction` being that of what sticks
  double stiffness = 1e6;               // k of a point > 0; ∞: all of it is the other side's [N/m]
  double dissipation = 50.0;            // d ≥ 0 of Hunt and Crossley: what hits leaves with at most 1/d [s/m]
  double relaxation_time = 0.1;         // τ ≥ 0 of the friction law sap, which has it in place of d [s]

  /// NaN stands for what is left out.
  static constexpr double kAsStatic = std::numeric_limits<double>::quiet_NaN();
};

/// How the numbers of two materials become one.
enum class CombinationRule { geometric_mean, mean, minimum, maximum, product };

std::string_view toString(CombinationRule rule);

/// What a pair has. Compliances are in series, and what is lost follows where the deformation is:
///
///   k = k₁k₂/(k₁ + k₂),   d = (k₂ d₁ + k₁ d₂)/(k₁ + k₂),   τ alike
///
/// Where a pair is set, NaN leaves a value as the two materials make it; of μ_d it is μ.
struct PairLaw {
  double mu = 0.5;
  double restitution = 0.0;
  double mu_dynamic = Material::kAsStatic;
  double stiffness = Material::kAsStatic;
  double dissipation = Material::kAsStatic;
  double relaxation_time = Material::kAsStatic;
};

/// Materials by index; 0 is always there. Pairs follow the rules (geometric mean of friction, larger
/// restitution, unless set) except where one was given for them.
class MaterialTable {
 public:
  MaterialTable();

  /// Adds a material, or replaces number 0 when it has that name, and returns its index. Throws
  /// std::invalid_argument when a number is impossible or the name is taken.
  int add(const Material& material);
  void setRules(CombinationRule friction, CombinationRule restitution);
  /// Throws std::invalid_argument when an index or number is impossible.
  void setPair(int a, int b, const PairLaw& law);

  int size() const { return static_cast<int>(materials_.size()); }
  const Material& operator[](int index) const { return materials_[index]; }
  /// Index of a name, or -1.
  int find(std::string_view name) const;
  const PairLaw& pair(int a, int b) const { return pairs_[a * size() + b]; }

 private:
  void fillPairs();

  std::vector<Material> materials_;
  CombinationRule friction_rule_ = CombinationRule::geometric_mean;
  CombinationRule restitution_rule_ = CombinationRule::maximum;
  struct Override {
    int a, b;
    PairLaw law;
  };
  std::vector<Override> overrides_;
  std::vector<PairLaw> pairs_;  // size x size
};

}  // namespace cornet
