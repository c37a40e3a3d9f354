#include "cornet/sim/options.h"

#include <array>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/world/material.h"

namespace cornet {
namespace {

// Rounding of positions of metres and of what they are differences of; estimates below say nothing.
constexpr double kLeastAccuracy = 1e-13;  // [m]
constexpr double kLeastStep = 1e-12;      // [s]

template <class Require>
void requireControl(const ErrorControl& control, const Require& require) {
  const auto isTime = [](double seconds) { return seconds >= 0.0 && std::isfinite(seconds); };
  require(control.accuracy >= kLeastAccuracy, "accuracy", control.accuracy, "at least 1e-13 m, what double precision can tell");
  require(control.min_step >= kLeastStep && std::isfinite(control.min_step), "min_step", control.min_step, "at least 1e-12 s");
  require(control.max_step >= control.min_step && std::isfinite(control.max_step), "max_step", control.max_step,
          "a finite number ≥ min_step");
  require(isTime(control.velocity_time), "velocity_time", control.velocity_time, "a finite number ≥ 0");
  require(isTime(control.publish), "publish", control.publish, "a finite number ≥ 0");
}

void requireRange(const SimulatorOptions& options) {
  const auto require = [](bool good, const char* name, double value, const char* expected) {
    if (good) return;
    throw std::invalid_argument(fmt::format("option {} = {}: expected {}", name, value, expected));
  };
  require(options.tolerance > 0.0, "tolerance", options.tolerance, "a number > 0");
  require(options.faces >= 4 && options.faces <= 1000 && options.faces % 2 == 0, "faces", options.faces,
          "an even number from 4 to 1000");
  require(options.budget >= 0, "budget", options.budget, "a number ≥ 0");
  require(options.margin >= 0.0 && std::isfinite(options.margin), "margin", options.margin, "a finite number ≥ 0");
  require(options.impact_speed >= 0.0, "impact_speed", options.impact_speed, "a number ≥ 0");
  require(options.recovery >= 0.0 && options.recovery <= 1.0, "recovery", options.recovery,
          "a number from 0 to 1");
  require(options.max_contact_points >= 4, "max_contact_points", options.max_contact_points, "at least 4");
  require(options.sleep_time >= 0.0, "sleep_time", options.sleep_time, "a number ≥ 0");
  require(options.threads >= 1, "threads", options.threads, "at least 1");
  require(options.max_parts >= 1 && options.max_parts <= 1024, "max_parts", options.max_parts, "from 1 to 1024");
  require(options.stiction_speed > 0.0 && std::isfinite(options.stiction_speed), "stiction_speed", options.stiction_speed, "a finite number > 0");
  require(options.softening > 0.0 && std::isfinite(options.softening), "softening", options.softening, "a finite number > 0");
  requireControl(options.control, require);
  for (const StepMeasure measure : kStepMeasures) {
    constexpr std::array kNames = {"closure_bound", "overlap_bound", "motion_bound", "momentum_bound", "energy_bound"};
    require(options.bounds.of(measure) >= 0.0 && std::isfinite(options.bounds.of(measure)), kNames[static_cast<std::size_t>(measure)], options.bounds.of(measure),
            "a finite number ≥ 0");
  }
}

void requireCombination(const SimulatorOptions& options) {
  const bool pivots = options.solver == SolverKind::active_set;
  if (isPolygon(options.friction_model) && !pivots) {
    throw std::invalid_argument(
        "option friction_model: polygons for cones (pyramid, box, scaled_box, polygon) need solver = active_set");
  }
  if (pivots && !isPolygon(options.friction_model)) {
    throw std::invalid_argument(
        "option solver = active_set: it knows no friction cones; set friction_model to pyramid, box, scaled_box or "
        "polygon");
  }
  if (options.integrator == IntegratorKind::icf && options.sleep_time > 0.0) {
    throw std::invalid_argument("option sleep_time: nothing sleeps in compliant steps (integrator = icf)");
  }
  if (options.solver == SolverKind::cholesky) {
    throw std::invalid_argument("option solver = cholesky: it knows equalities only, and steps have contacts");
  }
  if (options.solver == SolverKind::ecos && ecosBackend() == nullptr) {
    throw std::invalid_argument("option solver = ecos: " + ecosMissingText());
  }
}

}  // namespace

std::vector<std::string> wordsOf(IntegratorKind) { return {"drift_kick_drift", "semi_implicit_euler", "icf"}; }
std::vector<std::string> wordsOf(IcfFriction) { return {"lagged", "similar", "sap"}; }

StepBounds boundsOf(const SimulatorOptions& options) {
  StepBounds bounds = options.bounds;
  if (options.integrator == IntegratorKind::icf) bounds.closure = bounds.overlap = std::numeric_limits<double>::infinity();
  return bounds;
}

SolverOptions makeSolverOptions(const SimulatorOptions& options) {
  constexpr int kMostSweeps = 20'000;  // of Gauss-Seidel: a step that needs more is given up
  SolverOptions result;
  result.gauss_seidel.max_iterations = kMostSweeps;
  if (options.budget > 0) result.setBudget(options.budget);
  result.setTolerance(options.tolerance);
  result.setFriction(options.friction_model, options.faces);
  result.split_islands = false;
  return result;
}

void validate(const SimulatorOptions& options) {
  requireRange(options);
  requireCombination(options);
}

void requireMaterials(const SimulatorOptions& options, const MaterialTable& materials) {
  const bool is_compliant = options.integrator == IntegratorKind::icf;
  const bool exact_law = !is_compliant && options.friction_model == StepFriction::coulomb && options.solver != SolverKind::ecos;
  for (int a = 0; a < materials.size() && !exact_law; ++a) {
    for (int b = 0; b <= a; ++b) {
      if (std::isfinite(materials.pair(a, b).mu)) continue;
      throw std::invalid_argument(fmt::format(
          "materials '{}' and '{}' have infinite friction: only friction_model = coulomb with solver = exact or "
          "gauss_seidel knows it, and not integrator = icf",
          materials[b].name, materials[a].name));
    }
  }
}

}  // namespace cornet
