#include "solve_report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "json.h"

namespace cornet::app {
namespace {

std::string frictionText(const SolvedProblem& problem) {
  if (problem.contacts == 0) return "-";
  if (problem.mu_min == problem.mu_max) return fmt::format("{:.3g}", problem.mu_min);
  return fmt::format("{:.3g}-{:.3g}", problem.mu_min, problem.mu_max);
}

// JSON has no infinity: null stands for an error that is not finite.

Json toJson(const Certificate& certificate) {
  return {{"relative", numberJson(certificate.relative)},
          {"absolute_velocity", numberJson(certificate.absolute_velocity)},
          {"absolute_impulse", numberJson(certificate.absolute_impulse)},
          {"worst_contact", certificate.worst_block},
          {"field_raw", numberJson(certificate.field_raw)},
          {"field_equilibrated", numberJson(certificate.field_equilibrated)},
          {"cone_violation", numberJson(certificate.cone_violation)}};
}

Json toJson(const std::vector<SolveStage>& stages) {
  Json list = Json::array();
  for (const SolveStage& stage : stages) {
    list.push_back({{"stage", toString(stage.kind)},
                    {"iterations", stage.iterations},
                    {"factorizations", stage.factorizations},
                    {"relative", numberJson(stage.relative)}});
  }
  return list;
}

Json toJson(const Diagnosis& diagnosis) {
  Json trees = Json::array();
  for (const TreeDiagnosis& tree : diagnosis.trees) {
    trees.push_back({{"mass", tree.mass},
                     {"dofs", tree.dofs},
                     {"rows", tree.rows},
                     {"redundancy", tree.redundancy}});
  }
  return {{"rows", diagnosis.rows},
          {"islands", diagnosis.islands},
          {"largest_island", diagnosis.largest_island},
          {"exact", diagnosis.exact},
          {"rank", diagnosis.rank},
          {"redundancy", diagnosis.redundancy()},
          {"condition", numberJson(diagnosis.condition)},
          {"mass_ratio", numberJson(diagnosis.mass_ratio)},
          {"effective_mass", {numberJson(diagnosis.effective_mass_min), numberJson(diagnosis.effective_mass_max)}},
          {"trees", trees},
          {"advice", diagnosis.advice}};
}

}  // namespace

std::string timeText(double seconds) {
  if (seconds < 1e-5) return fmt::format("{:.1f} us", 1e6 * seconds);
  if (seconds < 1e-3) return fmt::format("{:.0f} us", 1e6 * seconds);
  if (seconds < 1.0) return fmt::format("{:.1f} ms", 1e3 * seconds);
  return fmt::format("{:.2f} s", seconds);
}

SolvedProblem describe(const std::string& file, const ProblemFile& content,
                       const std::string& solver, Solution solution) {
  SolvedProblem line;
  line.file = file;
  line.form = content.form();
  line.dofs = content.dofCount();
  line.solver = solver;
  line.solution = std::move(solution);
  const ConstraintRows& rows = content.rows();
  for (int i = 0; i < rows.blockCount(); ++i) {
    if (rows.kind[i] != LawKind::cone) continue;
    line.mu_min = line.contacts == 0 ? rows.mu[i] : std::min(line.mu_min, rows.mu[i]);
    line.mu_max = std::max(line.mu_max, rows.mu[i]);
    ++line.contacts;
  }
  return line;
}

std::string tableHeader(std::size_t name_width) {
  return fmt::format("{:<{}}  {:>8}  {:>9}  {:<15}  {:>11}  {:>9}  {:>7}  {:>7}  {:>9}", "problem",
                     name_width, "contacts", "mu", "status", "certificate", "field", "sweeps",
                     "factors", "time");
}

std::string tableLine(const SolvedProblem& problem, std::size_t name_width) {
  const Certificate& certificate = problem.solution.certificate;
  return fmt::format("{:<{}}  {:>8}  {:>9}  {:<15}  {:>11.1e}  {:>9.1e}  {:>7}  {:>7}  {:>9}",
                     std::filesystem::path(problem.file).stem().string(), name_width,
                     problem.contacts, frictionText(problem), toString(problem.solution.status),
                     certificate.relative, certificate.field_equilibrated,
                     problem.solution.iterations, problem.solution.factorizations,
                     timeText(problem.solution.seconds));
}

std::string diagnosisText(const Diagnosis& diagnosis) {
  std::string text = fmt::format(
      "    {} rows in {} blocks, {} island{} (largest: {} blocks)\n", diagnosis.rows,
      diagnosis.blocks, diagnosis.islands, diagnosis.islands == 1 ? "" : "s",
      diagnosis.largest_island);
  text += fmt::format("    rank of A {}{}, redundant rows {}{}, condition {}{:.1e}\n",
                      diagnosis.exact ? "" : "at most ", diagnosis.rank,
                      diagnosis.exact ? "" : "at least ", diagnosis.redundancy(),
                      diagnosis.exact ? "" : "at least ", diagnosis.condition);
  text += fmt::format("    effective masses {:.2e} to {:.2e} kg", diagnosis.effective_mass_min,
                      diagnosis.effective_mass_max);
  if (!diagnosis.trees.empty()) {
    const auto most = std::ranges::max_element(diagnosis.trees, {}, &TreeDiagnosis::redundancy);
    text += fmt::format(", mass ratio {:.1e}\n    {} trees; most redundant: tree {}, {} rows on {} "
                        "dofs, {} redundant",
                        diagnosis.mass_ratio, diagnosis.trees.size(),
                        most - diagnosis.trees.begin(), most->rows, most->dofs, most->redundancy);
  }
  return text + "\n    " + diagnosis.advice;
}

std::string summaryLine(const SolveReport& report) {
  const auto solved = std::ranges::count_if(report.problems, [](const SolvedProblem& problem) {
    return problem.solution.status == SolveStatus::solved;
  });
  const auto total = static_cast<std::ptrdiff_t>(report.problems.size());
  std::string line = fmt::format("{} problem{}: {} solved", total, total == 1 ? "" : "s", solved);
  if (solved < total) line += fmt::format(", {} above the tolerance", total - solved);
  const auto refused = std::ranges::count(report.messages, "error", &Message::level);
  if (refused > 0) line += fmt::format("; {} error{}", refused, refused == 1 ? "" : "s");
  return line;
}

std::string toJson(const SolveReport& report) {
  Json problems = Json::array();
  for (const SolvedProblem& problem : report.problems) {
    problems.push_back({{"file", problem.file},
                        {"form", problem.form},
                        {"contacts", problem.contacts},
                        {"dofs", problem.dofs},
                        {"solver", problem.solver},
                        {"status", toString(problem.solution.status)},
                        {"certificate", toJson(problem.solution.certificate)},
                        {"iterations", problem.solution.iterations},
                        {"factorizations", problem.solution.factorizations},
                        {"seconds", problem.solution.seconds},
                        {"stages", toJson(problem.solution.stages)}});
    if (problem.diagnosis) problems.back()["diagnosis"] = toJson(*problem.diagnosis);
  }
  Json messages = Json::array();
  for (const Message& message : report.messages) {
    messages.push_back({{"level", message.level}, {"file", message.file}, {"text", message.text}});
  }
  const Json object = {{"schema", "cornet.solve/1"},
                       {"ok", report.ok},
                       {"problems", problems},
                       {"messages", messages}};
  // File names need not be UTF-8; whatever is not is replaced, never thrown at the user.
  return object.dump();
}

std::string failureJson(const std::string& text) {
  return toJson(SolveReport{false, {}, {{"error", "", text}}});
}

}  // namespace cornet::app
