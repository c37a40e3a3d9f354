#include "cones/cone_export.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cornet::app {
namespace {

std::string percentRange(const ConeModelStudy::Range& range) {
  // Rounding is no error: what prints as -0.0 prints as 0.0. Beyond 1000 % a factor says more.
  const auto text = [](double value) {
    if (value > 10.0) return fmt::format("x {:.1f}", 1.0 + value);
    const double percent = std::abs(value) < 5e-4 ? 0.0 : 100.0 * value;
    return fmt::format("{:+.1f}", percent);
  };
  return text(range.low) + " .. " + text(range.high);
}

// The drift column of a model that takes off has nothing to say.
std::string driftText(const ConeModelStudy& model) {
  if (!model.slides_to_rest) return "-";
  return fmt::format("{:.1f}", 100.0 * model.range(&ConeHeading::drift, 0.0).high);
}

nlohmann::json toJson(const ConeModelStudy::Range& range) { return {range.low, range.high}; }

nlohmann::json summaryOf(const ConeModelStudy& model) {
  nlohmann::json drift;  // null
  if (model.slides_to_rest) drift = model.range(&ConeHeading::drift, 0.0).high;
  return {{"force_error", toJson(model.range(&ConeHeading::force, 1.0))},
          {"direction_error_deg", model.range(&ConeHeading::direction, 0.0).high},
          {"power_error", toJson(model.range(&ConeHeading::power, 1.0))},
          {"hold_error", toJson(model.range(&ConeHeading::hold, 1.0))},
          {"drift", drift},
          {"lift_speed", model.range(&ConeHeading::lift, 0.0).high}};
}

}  // namespace

std::string conesTable(const std::vector<ConeModelStudy>& models, const ConeStudyOptions& options) {
  std::string text = fmt::format(
      "Friction of a point mass, {} headings, mu {}, polygon of {} corners; errors against the exact "
      "law\n\n{:<12}{:>18}{:>14}{:>18}{:>18}{:>12}{:>12}\n{:<12}{:>18}{:>14}{:>18}{:>18}{:>12}{:>12}\n",
      options.headings, options.mu, options.faces, "model", "push it holds", "direction",
      "friction force", "power taken", "drift", "lift-off", "", "error %", "error deg", "error %",
      "error %", "% of way", "m/s");
  for (const ConeModelStudy& model : models) {
    text += fmt::format("{:<12}{:>18}{:>14.1f}{:>18}{:>18}{:>12}{:>12.3f}\n", model.name,
                        percentRange(model.range(&ConeHeading::hold, 1.0)),
                        model.range(&ConeHeading::direction, 0.0).high,
                        percentRange(model.range(&ConeHeading::force, 1.0)),
                        percentRange(model.range(&ConeHeading::power, 1.0)), driftText(model),
                        std::max(0.0, model.range(&ConeHeading::lift, 0.0).high));
  }
  return text;
}

std::string conesCsv(const std::vector<ConeModelStudy>& models) {
  std::string text = "model,heading_deg,force,direction_error_deg,power,hold,drift,lift_speed\n";
  for (const ConeModelStudy& model : models) {
    for (const ConeHeading& h : model.headings) {
      text += fmt::format("{},{:g},{:.12g},{:.12g},{:.12g},{:.12g},{},{:.12g}\n", model.name,
                          h.heading, h.force, h.direction, h.power, h.hold,
                          model.slides_to_rest ? fmt::format("{:.12g}", h.drift) : "", h.lift);
    }
  }
  return text;
}

std::string conesJson(const std::vector<ConeModelStudy>& models, const ConeStudyOptions& options) {
  nlohmann::json answer = {{"schema", "cornet.cones/1"},
                           {"ok", true},
                           {"mu", options.mu},
                           {"faces", options.faces},
                           {"headings", options.headings},
                           {"models", nlohmann::json::array()},
                           {"messages", nlohmann::json::array()}};
  for (const ConeModelStudy& model : models) {
    nlohmann::json entry = summaryOf(model);
    entry["model"] = model.name;
    answer["models"].push_back(entry);
  }
  return answer.dump(2);
}

std::string conesFailureJson(const std::string& text) {
  return nlohmann::json({{"schema", "cornet.cones/1"},
                         {"ok", false},
                         {"models", nlohmann::json::array()},
                         {"messages", {{{"level", "error"}, {"text", text}}}}})
      .dump(2);
}

}  // namespace cornet::app
