// Times Siconos on one fclib problem: one JSON line per configuration, docs/formats/bench.md.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>

#include "run_configuration.h"

namespace {

using namespace cornet;
using namespace cornet::siconos;

struct Arguments {
  std::string file;
  std::vector<std::string> solvers;  // empty = all
  Limits limits;
  bool list = false;
};

// The linear algebra reads its number of threads when it is loaded, before main(): start again with
// one thread, as everything is timed.
void useOneThread(char** argv) {
  if (std::getenv("OPENBLAS_NUM_THREADS") != nullptr) return;
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  ::setenv("OMP_NUM_THREADS", "1", 1);
  ::execv("/proc/self/exe", argv);  // on failure we go on as we are
}

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.9g}", value) : "null";
}

void printLine(const Configuration& configuration, const Report& report) {
  fmt::print("{{\"solver\": \"{}\", \"family\": \"{}\", \"status\": \"{}\", \"seconds\": {}, "
             "\"repetitions\": {}, \"iterations\": {}, \"certificate\": {}, \"field\": {}}}\n",
             configuration.name, configuration.family, toString(report.outcome),
             number(report.seconds), report.repetitions, report.iterations,
             number(report.certificate), number(report.field));
  std::fflush(stdout);
}

bool wanted(const Arguments& arguments, const Configuration& configuration) {
  return arguments.solvers.empty() ||
         std::ranges::find(arguments.solvers, configuration.name) != arguments.solvers.end();
}

// A configuration that does not run has no time and no error.
Report notRun(Outcome outcome) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  return {outcome, kNone, 0, 0, kNone, kNone};
}

void run(const Arguments& arguments) {
  const ProblemFile file = readProblem(arguments.file);
  const bool supported = PeerProblem::supports(file.rows());
  std::unique_ptr<PeerProblem> problem;
  if (supported) problem = std::make_unique<PeerProblem>(file);
  for (const Configuration& configuration : configurations()) {
    if (!wanted(arguments, configuration)) continue;
    if (!supported) {
      printLine(configuration, notRun(Outcome::unsupported));
    } else if (!configuration.takes(problem->contactCount())) {
      printLine(configuration, notRun(Outcome::skipped));
    } else {
      printLine(configuration, runConfiguration(configuration, file, *problem, arguments.limits));
    }
  }
}

void list() {
  for (const Configuration& configuration : configurations()) {
    fmt::print("{{\"solver\": \"{}\", \"family\": \"{}\"}}\n", configuration.name,
               configuration.family);
  }
}

void addOptions(CLI::App& program, Arguments& arguments) {
  std::vector<std::string> names;
  for (const Configuration& choice : configurations()) names.emplace_back(choice.name);
  auto* file = program.add_option("problem", arguments.file, "fclib file (HDF5)");
  auto* listed = program.add_flag("--list", arguments.list, "name the configurations");
  file->excludes(listed);
  program.add_option("--solver", arguments.solvers, "configurations to run; all without it")
      ->check(CLI::IsMember(names));
  program.add_option("--tolerance", arguments.limits.tolerance, "error to reach")
      ->capture_default_str()->check(CLI::PositiveNumber);
  program.add_option("--max-seconds", arguments.limits.max_seconds, "time limit of one solve [s]")
      ->capture_default_str()->check(CLI::Range(1e-3, 1e6));
  program.add_option("--repeat", arguments.limits.repeat, "repetitions, at least")
      ->capture_default_str()->check(CLI::PositiveNumber);
}

}  // namespace

int main(int argc, char** argv) {
  useOneThread(argv);
  CLI::App program("Times the solvers of Siconos on a contact problem, one JSON line each.",
                   "cornet_siconos");
  Arguments arguments;
  addOptions(program, arguments);
  try {
    program.parse(argc, argv);
    if (!arguments.list && arguments.file.empty()) throw CLI::RequiredError("problem");
    arguments.list ? list() : run(arguments);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "cornet_siconos: error: {}\n", error.what());
    return 1;
  }
  return 0;
}
