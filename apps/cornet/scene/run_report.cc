#include "scene/run_report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "scene/scene_messages.h"

namespace cornet::app {
namespace {

constexpr std::array kStatistics = {"final", "max", "min", "mean", "every", "mean_square"};

std::string_view nameOf(Statistic statistic) { return kStatistics[static_cast<std::size_t>(statistic)]; }

std::string numberText(double x) { return std::isnan(x) ? "-" : fmt::format("{:.9g}", x == 0.0 ? 0.0 : x); }

using Row = std::vector<std::string>;

// Width in characters, not in bytes.
std::size_t widthOf(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Columns as wide as their widest entry; the first to the left, the others to the right.
std::string align(const std::vector<Row>& rows) {
  std::vector<std::size_t> width(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], widthOf(row[k]));
  }
  std::string text;
  for (const Row& row : rows) {
    text += '\n';
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string blanks(width[k] - widthOf(row[k]), ' ');
      text += k == 0 ? row[k] + blanks : "  " + blanks + row[k];
    }
  }
  return text;
}

std::string probeText(const RunReport& report) {
  if (report.scene.probes.empty()) return "";
  std::vector<Row> rows = {{"probe", "value", "unit"}};
  for (std::size_t k = 0; k < report.scene.probes.size(); ++k) {
    const Probe& probe = report.scene.probes[k];
    rows.push_back({probe.name, numberText(report.run.values()[k]), std::string(infoOf(probe.quantity).unit)});
  }
  return '\n' + align(rows);
}

std::string expectedText(const Check& check, const CheckResult& result) {
  if (check.expected) return numberText(result.expected);
  return (check.at_most && result.expected == *check.at_most ? "<= " : ">= ") + numberText(result.expected);
}

std::string checkText(const RunReport& report) {
  if (report.checks.empty()) return "";
  std::vector<Row> rows = {{"check", "of", "value", "expected", "error", "tolerance", ""}};
  for (std::size_t k = 0; k < report.checks.size(); ++k) {
    const Check& check = report.scene.checks[k];
    const CheckResult& result = report.checks[k];
    rows.push_back({check.name, std::string(nameOf(check.statistic)), numberText(result.value),
                    expectedText(check, result), fmt::format("{:.1e}", result.error),
                    fmt::format("{:.1e}", result.tolerance), result.passed ? "pass" : "FAIL"});
  }
  return '\n' + align(rows);
}

Json checksJson(const RunReport& report) {
  Json list = Json::array();
  for (std::size_t k = 0; k < report.checks.size(); ++k) {
    const Check& check = report.scene.checks[k];
    const CheckResult& result = report.checks[k];
    const Probe& probe = report.scene.probes[check.probe];
    list.push_back({{"name", check.name},
                    {"what", infoOf(probe.quantity).name},
                    {"unit", infoOf(probe.quantity).unit},
                    {"of", nameOf(check.statistic)},
                    {"is_bound", !check.expected.has_value()},
                    {"value", numberJson(result.value)},
                    {"expected", numberJson(result.expected)},
                    {"error", numberJson(result.error)},
                    {"tolerance", result.tolerance},
                    {"passed", result.passed}});
  }
  return list;
}

Json probesJson(const RunReport& report) {
  Json list = Json::array();
  for (std::size_t k = 0; k < report.scene.probes.size(); ++k) {
    const Probe& probe = report.scene.probes[k];
    list.push_back({{"name", probe.name},
                    {"what", infoOf(probe.quantity).name},
                    {"unit", infoOf(probe.quantity).unit},
                    {"value", numberJson(report.run.values()[k])}});
  }
  return list;
}

Json parametersJson(const Scene& scene) {
  Json object = Json::object();
  for (const SceneParameter& parameter : scene.parameters) object[parameter.name] = parameter.value;
  return object;
}

// "joint 'door'", "'ball' and 'floor'", "'ball'".
std::string placeText(const WorldModel& world, const WorstOf& worst) {
  if (worst.joint >= 0) return fmt::format("joint '{}'", world.joints()[static_cast<std::size_t>(worst.joint)].name);
  if (worst.other >= 0) return fmt::format("'{}' and '{}'", world.nameOf(worst.body), world.nameOf(worst.other));
  return worst.body >= 0 ? fmt::format("'{}'", world.nameOf(worst.body)) : std::string("no body");
}

// The certificate of whole steps: that all meet their bounds, or which do not, where and by how much.
std::string wholeStepText(const RunReport& report) {
  const RunTotals& totals = report.run.totals();
  std::string values, faults;
  for (const StepMeasure measure : kStepMeasures) {
    const WorstStep& total = totals.whole[static_cast<std::size_t>(measure)];
    const double bound = boundsOf(report.scene.options).of(measure);
    values += fmt::format("{}{} {:.1e}", values.empty() ? "" : ", ", nameOf(measure), total.worst.value);
    if (total.exceeding == 0) continue;
    faults += fmt::format("\n    {:<20}{} steps, worst {:.2g} (bound {:g}) in step {}, t = {:g} s: {}",
                          nameOf(measure), total.exceeding, total.worst.value, bound, total.step, total.time,
                          placeText(report.scene.world, total.worst));
  }
  if (totals.inaccurate_steps == 0) return "\n  whole steps   accurate: " + values;
  if (totals.unsolved_steps > 0) {
    faults = fmt::format("\n    {:<20}{} steps, worst {:.2g} (tolerance {:g})", "law", totals.unsolved_steps,
                         totals.worst_certificate, report.scene.options.tolerance) + faults;
  }
  return fmt::format("\n  whole steps   {} of {} INACCURATE{}", totals.inaccurate_steps, totals.steps, faults);
}

std::string correctionText(const StepCorrections& made) {
  std::string text;
  const auto add = [&](int steps, const std::string& what) {
    if (steps > 0) text += fmt::format("{}{} steps {}", text.empty() ? "" : ", ", steps, what);
  };
  add(made.capped, fmt::format("capped a rebound (by up to {:.2g} of it)", made.cap));
  add(made.lifted, fmt::format("lifted overlaps (by up to {:.1e} m)", made.lift));
  add(made.projected, fmt::format("projected joints (by up to {:.1e} m)", made.projection));
  add(made.retaken, fmt::format("were taken again (velocities of contacts at the start of up to {:.1e} m/s taken for none)", made.retake));
  add(made.refined, fmt::format("were taken in parts (up to {})", made.parts));
  return text.empty() ? "" : "\n  corrections   " + text;
}

// How far compliant steps are from Coulomb and rigid bodies.
std::string distanceText(const RunReport& report) {
  if (report.scene.options.integrator != IntegratorKind::icf) return "";
  const ModelDistance& distance = report.run.totals().distance;
  return fmt::format("\n  the model     creep {:.1e} m/s, overlap {:.1e} m, joints off by {:.1e} m, friction beyond μ by {:.1e} N s", distance.creep,
                     distance.overlap, distance.joint_error, distance.friction);
}

Json distanceJson(const RunReport& report) {
  if (report.scene.options.integrator != IntegratorKind::icf) return {};
  const ModelDistance& distance = report.run.totals().distance;
  return {{"creep", numberJson(distance.creep)},
          {"overlap", numberJson(distance.overlap)},
          {"joint_error", numberJson(distance.joint_error)},
          {"friction", numberJson(distance.friction)}};
}

Json wholeStepJson(const RunReport& report) {
  const WorldModel& world = report.scene.world;
  Json object = {{"law",
                  {{"steps", report.run.totals().unsolved_steps},
                   {"bound", report.scene.options.tolerance},
                   {"worst", numberJson(report.run.totals().worst_certificate)}}}};
  constexpr std::array kKeys = {"closure", "new_overlap", "unexplained_motion", "momentum", "energy_gain"};
  for (const StepMeasure measure : kStepMeasures) {
    const WorstStep& total = report.run.totals().whole[static_cast<std::size_t>(measure)];
    const auto name = [&](int body) { return body < 0 ? Json() : Json(world.nameOf(body)); };
    object[kKeys[static_cast<std::size_t>(measure)]] = {
        {"steps", total.exceeding},
        {"bound", numberJson(boundsOf(report.scene.options).of(measure))},
        {"worst", numberJson(total.worst.value)},
        {"step", total.step},
        {"time", total.time},
        {"body", name(total.worst.body)},
        {"other", name(total.worst.other)},
        {"joint", total.worst.joint < 0 ? Json() : Json(world.joints()[static_cast<std::size_t>(total.worst.joint)].name)}};
  }
  return object;
}

Json correctionsJson(const StepCorrections& made) {
  return {{"capped_steps", made.capped},       {"largest_cap", numberJson(made.cap)},
          {"lifted_steps", made.lifted},       {"largest_lift", numberJson(made.lift)},
          {"projected_steps", made.projected}, {"largest_projection", numberJson(made.projection)},
          {"retaken_steps", made.retaken},     {"largest_retake", numberJson(made.retake)},
          {"refined_steps", made.refined},     {"most_parts", made.parts}};
}

// Where the energy went: signs in front, and what is rounding beside the energies is nothing.
std::string energyText(const RunTotals& totals) {
  const double largest = std::max({std::abs(totals.start_energy), std::abs(totals.end_energy), std::abs(totals.work)});
  const auto clean = [&](double joules) { return std::abs(joules) <= 1e-11 * largest ? 0.0 : joules; };
  const double work = clean(totals.work);
  const double lost = clean(totals.dissipated);
  return fmt::format("{:.6g} J {} {:.6g} J work {} {:.6g} J {} = {:.6g} J; no step gained more than {:.1e} J",
                     clean(totals.start_energy), work < 0.0 ? '-' : '+', std::abs(work), lost < 0.0 ? '+' : '-',
                     std::abs(lost), lost < 0.0 ? "gained" : "lost", clean(totals.end_energy),
                     totals.max_energy_gain);
}

std::string stepsText(const RunReport& report) {
  const RunTotals& totals = report.run.totals();
  const double time = report.run.state().time;
  const std::string size = report.run.isControlled() ? fmt::format("{:.2g} to {:.2g} s", totals.smallest_step, totals.largest_step)
                                                     : fmt::format("{:g} s", report.scene.dt);
  return fmt::format("\n  steps         {} of {}, to t = {:g} s, in {:.3g} s: {:.3g} x real time", totals.steps, size, time,
                     report.wall_seconds, report.wall_seconds > 0.0 ? time / report.wall_seconds : 0.0);
}

// What error control did.
std::string controlText(const RunReport& report) {
  if (!report.run.isControlled()) return "";
  const RunTotals& totals = report.run.totals();
  std::string text = fmt::format("\n  accuracy      {:g} m asked of a step, estimated error at most {:.1e} m, {} tries rejected",
                                 report.scene.options.control.accuracy, totals.worst_error, totals.rejections);
  if (totals.early > 0) text += fmt::format(" ({} for impacts at several times)", totals.early);
  if (totals.forced_steps == 0) return text;
  return text + fmt::format("\n    NOT REACHED by {} steps of the smallest size, {:g} s: estimated error up to {:.1e} m", totals.forced_steps,
                            report.scene.options.control.min_step, totals.worst_forced_error);
}

// null of steps of one size.
Json controlJson(const RunReport& report) {
  if (!report.run.isControlled()) return Json();
  const RunTotals& totals = report.run.totals();
  return {{"accuracy", report.scene.options.control.accuracy},
          {"rejections", totals.rejections},
          {"rejections_for_impacts", totals.early},
          {"forced_steps", totals.forced_steps},
          {"smallest_step", totals.smallest_step},
          {"largest_step", totals.largest_step},
          {"worst_error", numberJson(totals.worst_error)},
          {"worst_forced_error", numberJson(totals.worst_forced_error)}};
}

}  // namespace

bool RunReport::isAccurate() const { return failure.empty() && run.totals().inaccurate_steps == 0 && run.totals().forced_steps == 0; }

bool RunReport::checksPassed() const {
  return std::ranges::all_of(checks, [](const CheckResult& check) { return check.passed; });
}

std::string runText(const RunReport& report) {
  const RunTotals& totals = report.run.totals();
  std::string text = report.scene.title.empty() ? report.file : report.scene.title;
  text += fmt::format("\n  bodies        {} moving, {} fixed or prescribed, at most {} contacts",
                      report.scene.world.bodyCount(), report.scene.world.environmentCount(), totals.max_contacts);
  text += stepsText(report) + controlText(report);
  text += fmt::format("\n  certificate   worst {:.1e} ({:.1e} m/s), {}", totals.worst_certificate,
                      totals.worst_velocity_error,
                      totals.unsolved_steps == 0 ? std::string("every step solved")
                                                 : fmt::format("{} steps not solved", totals.unsolved_steps));
  text += wholeStepText(report);
  text += distanceText(report);
  text += correctionText(totals.corrections);
  text += fmt::format("\n  penetration   at most {:.1e} m", totals.max_penetration);
  text += "\n  energy        " + energyText(totals);
  for (const std::string& note : report.notes) text += "\n  note          " + note;
  if (!report.problems.empty()) text += "\n  problems      " + report.problems;
  if (!report.recording.empty()) text += "\n  recording     " + report.recording;
  if (!report.page.empty()) text += "\n  report        " + report.page;
  text += probeText(report) + checkText(report);
  if (report.interrupted) text += "\n\ninterrupted; results so far";
  return text;
}

std::string runJson(const RunReport& report, bool ok) {
  const RunTotals& totals = report.run.totals();
  Json messages = Json::array();
  if (report.interrupted) messages.push_back(messageJson("note", "interrupted; results so far"));
  for (const std::string& note : report.notes) messages.push_back(messageJson("note", note));
  if (!report.problems.empty()) messages.push_back(messageJson("note", "problems: " + report.problems));
  if (!report.recording.empty()) messages.push_back(messageJson("note", "recording: " + report.recording));
  if (!report.page.empty()) messages.push_back(messageJson("note", "report: " + report.page));
  if (!report.failure.empty()) messages.push_back(messageJson("error", report.failure));
  return dumpJson({{"schema", "cornet.run/1"},
                   {"ok", ok},
                   {"scene", report.file},
                   {"title", report.scene.title},
                   {"parameters", parametersJson(report.scene)},
                   {"bodies", report.scene.world.bodyCount()},
                   {"duration", report.scene.duration},
                   {"dt", report.scene.dt},
                   {"time", report.run.state().time},
                   {"steps", totals.steps},
                   {"unsolved_steps", totals.unsolved_steps},
                   {"inaccurate_steps", totals.inaccurate_steps},
                   {"error_control", controlJson(report)},
                   {"wall_seconds", report.wall_seconds},
                   {"step_seconds", totals.seconds},
                   {"worst_certificate", numberJson(totals.worst_certificate)},
                   {"worst_velocity_error", numberJson(totals.worst_velocity_error)},
                   {"whole_step", wholeStepJson(report)},
                   {"model_distance", distanceJson(report)},
                   {"corrections", correctionsJson(totals.corrections)},
                   {"max_penetration", numberJson(totals.max_penetration)},
                   {"max_contacts", totals.max_contacts},
                   {"iterations", totals.iterations},
                   {"factorizations", totals.factorizations},
                   {"energy",
                    {{"start", numberJson(totals.start_energy)},
                     {"end", numberJson(totals.end_energy)},
                     {"work", numberJson(totals.work)},
                     {"dissipated", numberJson(totals.dissipated)},
                     {"max_gain", numberJson(totals.max_energy_gain)}}},
                   {"state_hash", fmt::format("{:016x}", hashOf(report.run.state()))},
                   {"probes", probesJson(report)},
                   {"checks", checksJson(report)},
                   {"messages", messages}});
}

std::string probeHeader(const Scene& scene) {
  std::string line = "time";
  for (const Probe& probe : scene.probes) {
    std::string name = probe.name;
    // A quote inside quotes is doubled.
    for (auto at = name.find('"'); at != name.npos; at = name.find('"', at + 2)) name.insert(at, 1, '"');
    const bool plain = name.find_first_of(",\"\n") == name.npos;
    line += plain ? "," + name : ",\"" + name + "\"";
  }
  return line + '\n';
}

std::string probeLine(const SceneRun& run) {
  std::string line = fmt::format("{}", run.state().time);
  for (const double value : run.values()) line += std::isnan(value) ? "," : fmt::format(",{}", value);
  return line + '\n';
}

}  // namespace cornet::app
