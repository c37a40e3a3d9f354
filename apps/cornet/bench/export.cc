#include "bench/export.h"

#include <cmath>

#include <fmt/format.h>

#include "bench/ranking.h"
#include "json.h"

namespace cornet::app {
namespace {

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : ""; }

// File names may hold what separates cells.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

Json meanJson(const Mean& mean) {
  return {{"mean", mean.count > 0 ? Json(mean.value) : Json(nullptr)}, {"problems", mean.count}};
}

// Figures of one solver; ratios are those to the fastest solver of the peer.
Json solverJson(const BenchResults& results, int s) {
  const BenchSolver& solver = results.solvers[s];
  Json object = {{"name", solver.name},
                 {"peer", solver.peer},
                 {"solved", countSolved(results, s)}};
  if (results.peer.empty()) return object;
  for (const auto& [key, group] : {std::pair{"ratio", 0}, {"ratio_from_9", 1}, {"ratio_to_5", 2}}) {
    object[key] = meanJson(calcMeanRatioToBest(results, s, sizeGroups()[group]));
  }
  return object;
}

Json runJson(const BenchResults& results, const BenchProblem& problem, int s) {
  const BenchRun& run = problem.runs[s];
  return {{"problem", problem.name},
          {"contacts", problem.contacts},
          {"solver", results.solvers[s].name},
          {"status", run.status},
          {"seconds", numberJson(run.seconds)},
          {"certificate", numberJson(run.certificate)},
          {"field", numberJson(run.field)},
          {"iterations", run.iterations},
          {"factorizations", run.factorizations}};
}

}  // namespace

std::string toCsv(const BenchResults& results) {
  std::string text =
      "problem,contacts,solver,status,seconds,certificate,field,iterations,factorizations\n";
  for (const BenchProblem& problem : results.problems) {
    for (int s = 0; s < results.solverCount(); ++s) {
      const BenchRun& run = problem.runs[s];
      text += fmt::format("{},{},{},{},{},{},{},{},{}\n", quoted(problem.name), problem.contacts,
                          results.solvers[s].name, run.status, cell(run.seconds),
                          cell(run.certificate), cell(run.field), run.iterations,
                          run.factorizations);
    }
  }
  return text;
}

std::string toJson(const BenchResults& results, const std::vector<Message>& messages, bool ok) {
  Json object = {{"schema", "cornet.bench/1"},
                 {"ok", ok},
                 {"tolerance", results.tolerance},
                 {"peer", results.peer.empty() ? Json(nullptr) : Json(results.peer)},
                 {"solvers", Json::array()},
                 {"runs", Json::array()},
                 {"messages", Json::array()}};
  for (int s = 0; s < results.solverCount(); ++s) {
    object["solvers"].push_back(solverJson(results, s));
    for (const BenchProblem& problem : results.problems) {
      object["runs"].push_back(runJson(results, problem, s));
    }
  }
  for (const Message& message : messages) {
    object["messages"].push_back(
        {{"level", message.level}, {"file", message.file}, {"text", message.text}});
  }
  return object.dump();
}

std::string benchFailureJson(const std::string& text) {
  return toJson(BenchResults{}, {{"error", "", text}}, false);
}

}  // namespace cornet::app
