#include "scene/law_comparison.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "cornet/run/scene_run.h"
#include "resources.h"

namespace cornet::app {
namespace {

constexpr int kHeadings = 8;        // from 0° to 90°, that is all an axis-aligned polygon knows
constexpr double kSlope = 26.0;     // [°]: tan 26° = 0.488 < μ = 0.5, more than polygons inside the cone hold
constexpr double kRampTime = 1.0;   // [s]

double headingOf(int k) { return 90.0 * k / kHeadings; }

Scene readCompared(const std::string& name, const std::vector<SceneOverride>& overrides, const LawChoice& law) {
  Scene scene = readScene(findScenes() / "comparison" / (name + ".toml"), overrides);
  scene.options.solver = law.solver;
  scene.options.friction_model = law.friction_model;
  return scene;
}

double parameterOf(const Scene& scene, const std::string& name) {
  return std::ranges::find(scene.parameters, name, &SceneParameter::name)->value;
}

void rest(const LawChoice& law, double heading, LawResult& result) {
  const Scene scene = readCompared("incline_hold",
                                   {{"slope", fmt::to_string(kSlope)}, {"heading", fmt::to_string(heading)},
                                    {"duration", fmt::to_string(kRampTime)}},
                                   law);
  SceneRun run(scene);
  const Vector3d start = run.state().body(0).position;
  while (!run.isDone()) run.step();
  result.ramp_drift = std::max(result.ramp_drift, (run.state().body(0).position - start).norm());
}

void slide(const LawChoice& law, double heading, LawResult& result) {
  const Scene scene = readCompared("fast_cube", {{"heading", fmt::to_string(heading)}}, law);
  SceneRun run(scene);
  const Vector3d start = run.state().body(0).position;
  while (!run.isDone()) {
    run.step();
    result.lift = std::max(result.lift, run.state().body(0).position.z() - start.z());
  }
  const Vector3d way = run.state().body(0).position - start;
  const double turned = std::atan2(way.y(), way.x()) - heading * std::numbers::pi / 180.0;
  const double v0 = parameterOf(scene, "v0");
  const double exact = v0 * v0 / (2.0 * parameterOf(scene, "mu") * parameterOf(scene, "g"));
  result.off_heading = std::max(result.off_heading, std::abs(turned));
  result.way_error = std::max(result.way_error, std::abs(way.head<2>().norm() / exact - 1.0));
}

std::string lengthText(double metres) {
  if (metres < 1e-9) return fmt::format("{:.0e} m", metres);
  if (metres < 1e-3) return fmt::format("{:.3g} um", 1e6 * metres);
  return metres < 1.0 ? fmt::format("{:.1f} mm", 1e3 * metres) : fmt::format("{:.2f} m", metres);
}

std::string angleText(double radians) {
  const double degrees = radians * 180.0 / std::numbers::pi;
  return degrees < 1e-3 ? fmt::format("{:.0e} deg", degrees) : fmt::format("{:.1f} deg", degrees);
}

std::string shareText(double share) {
  return share < 1e-6 ? fmt::format("{:.0e}", share) : fmt::format("{:.1f} %", 100.0 * share);
}

}  // namespace

const std::vector<LawChoice>& comparedLaws() {
  static const std::vector<LawChoice> laws = {
      {"Coulomb", SolverKind::exact, StepFriction::coulomb},
      {"convex", SolverKind::exact, StepFriction::convex},
      {"pyramid", SolverKind::active_set, StepFriction::pyramid},
      {"octagon", SolverKind::active_set, StepFriction::polygon}};
  return laws;
}

LawResult calcLawResult(const LawChoice& law) {
  LawResult result;
  for (int k = 0; k <= kHeadings; ++k) {
    rest(law, headingOf(k), result);
    slide(law, headingOf(k), result);
  }
  return result;
}

std::string lawTable() {
  std::vector<LawResult> results;
  for (const LawChoice& law : comparedLaws()) results.push_back(calcLawResult(law));
  std::string text = fmt::format("{:<38}{:>7}", "", "exact");
  for (const LawChoice& law : comparedLaws()) text += fmt::format("{:>12}", law.name);
  const auto addLine = [&](const char* name, const auto& textOf) {
    text += fmt::format("\n{:<38}{:>7}", name, "0");
    for (const LawResult& result : results) text += fmt::format("{:>12}", textOf(result));
  };
  addLine("box on a ramp: drift in 1 s", [](const LawResult& r) { return lengthText(r.ramp_drift); });
  addLine("sliding cube: lift off the floor", [](const LawResult& r) { return lengthText(r.lift); });
  addLine("sliding cube: off its heading", [](const LawResult& r) { return angleText(r.off_heading); });
  addLine("sliding cube: error of its way", [](const LawResult& r) { return shareText(r.way_error); });
  return text;
}

}  // namespace cornet::app
