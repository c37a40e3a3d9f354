#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "bench/export.h"
#include "bench/peer.h"
#include "bench/performance_profile.h"
#include "bench/ranking.h"
#include "bench/table.h"
#include "bench/time_solver.h"
#include "commands.h"
#include "cornet/io/format_error.h"
#include "exit_code.h"
#include "interrupt.h"
#include "problem_files.h"
#include "progress.h"

namespace cornet::app {
namespace {

namespace fs = std::filesystem;

struct BenchArguments {
  std::vector<std::string> files;
  std::vector<std::string> solvers = frictionSolverNames();  // the first one is judged
  PeerLimits limits;                                 // the same for our solvers
  std::string peer;
  std::string peer_program;
  std::string output;  // folder for fclib.csv and performance_profile.svg
  bool json = false;
};

// One run of the verb: what is measured, and what went wrong.
struct Bench {
  BenchArguments arguments;
  std::vector<SolverChoice> choices;
  std::unique_ptr<Peer> peer;
  BenchResults results;
  std::vector<Message> messages;
  bool invalid = false;     // a file was wrong
  bool unreadable = false;  // a file or the adapter could not be used
};

void complain(Bench& bench, const std::string& file, const std::exception& error) {
  bench.messages.push_back({"error", file, error.what()});
  fmt::print(stderr, "cornet: error: {}\n", error.what());
}

// File names without extension; with their folder where two are the same.
std::vector<std::string> nameProblems(const std::vector<fs::path>& files) {
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    const auto same = [&](const fs::path& other) { return other.stem() == file.stem(); };
    const bool unique = std::ranges::count_if(files, same) == 1;
    const fs::path folder = fs::absolute(file).parent_path().filename();
    names.push_back(unique ? file.stem().string() : (folder / file.stem()).string());
  }
  return names;
}

std::vector<SolverChoice> makeChoices(const BenchArguments& arguments) {
  std::vector<SolverChoice> choices;
  for (const std::string& name : arguments.solvers) {
    SolverChoice choice;
    choice.name = name;
    choice.setTolerance(arguments.limits.tolerance);
    choice.setMaxSeconds(arguments.limits.max_seconds);
    choice.setInterrupt(&interrupted);
    choices.push_back(choice);
  }
  return choices;
}

// Our solvers, then those of the peer.
void listSolvers(Bench& bench) {
  const BenchArguments& arguments = bench.arguments;
  bench.results.tolerance = arguments.limits.tolerance;
  for (const std::string& name : arguments.solvers) bench.results.solvers.push_back({name, {}});
  if (arguments.peer.empty()) return;
  bench.peer = std::make_unique<Peer>(arguments.peer, arguments.peer_program);
  bench.results.peer = arguments.peer;
  for (const BenchSolver& solver : bench.peer->solvers()) bench.results.solvers.push_back(solver);
}

// `place` is "3/43 NAME", for the progress on stderr.
BenchProblem measureProblem(const Bench& bench, const fs::path& file, const std::string& place) {
  BenchProblem problem;
  const ProblemFile content = readProblem(file);
  problem.contacts =
      static_cast<int>(std::ranges::count(content.rows().kind, LawKind::cone));
  for (const SolverChoice& choice : bench.choices) {
    const Progress progress(fmt::format("{}: {}", place, choice.name));
    problem.runs.push_back(timeSolver(content, choice, bench.arguments.limits.repeat));
  }
  if (bench.peer != nullptr && !interrupted) {
    const Progress progress(fmt::format("{}: {}", place, bench.arguments.peer));
    for (BenchRun& run : bench.peer->run(file, bench.arguments.limits)) {
      problem.runs.push_back(std::move(run));
    }
  }
  return problem;
}

// A file that is refused does not stop the others; a problem that an interrupt cut short is left
// out.
void measureAll(Bench& bench, const std::vector<fs::path>& files) {
  const std::vector<std::string> names = nameProblems(files);
  std::size_t width = 7;
  for (const std::string& name : names) width = std::max(width, name.size());
  if (!bench.arguments.json) fmt::print("{}\n", benchHeader(bench.results, width));
  for (std::size_t k = 0; k < files.size() && !interrupted; ++k) {
    try {
      BenchProblem problem =
          measureProblem(bench, files[k], fmt::format("{}/{} {}", k + 1, files.size(), names[k]));
      if (interrupted) break;
      problem.name = names[k];
      if (!bench.arguments.json) fmt::print("{}\n", benchLine(bench.results, problem, width));
      std::fflush(stdout);
      bench.results.problems.push_back(std::move(problem));
    } catch (const FormatError& error) {
      bench.invalid = true;
      complain(bench, files[k].string(), error);
    } catch (const FileError& error) {
      bench.unreadable = true;
      complain(bench, files[k].string(), error);
    }
  }
}

void measureAndWrite(Bench& bench) {
  const BenchArguments& arguments = bench.arguments;
  try {
    const std::vector<fs::path> files = expandFolders(arguments.files);
    if (!arguments.output.empty()) makeWritableFolder(arguments.output);
    listSolvers(bench);
    measureAll(bench, files);
    if (arguments.output.empty() || bench.results.problems.empty()) return;
    writeTextFile(fs::path(arguments.output) / "fclib.csv", toCsv(bench.results));
    writeTextFile(fs::path(arguments.output) / "performance_profile.svg",
              drawPerformanceProfile(bench.results));
  } catch (const FileError& error) {
    bench.unreadable = true;
    complain(bench, "", error);
  }
}

int exitCode(const Bench& bench) {
  if (interrupted) return kInterrupted;
  if (bench.invalid) return kInputInvalid;
  if (bench.unreadable) return kFileProblem;
  const auto judged_solved = [](const BenchProblem& p) { return p.runs.front().solved; };
  return std::ranges::all_of(bench.results.problems, judged_solved) ? kDone : kAccuracyNotReached;
}

// What the validators of the flags do not see: repeated names, and numbers that are none.
void requireSensible(const BenchArguments& arguments) {
  const std::set<std::string> different(arguments.solvers.begin(), arguments.solvers.end());
  if (different.size() < arguments.solvers.size()) {
    throw UsageError("--solver", "names a solver twice");
  }
  for (const std::string& name : arguments.solvers) requireSolver(name);
  if (!std::isfinite(arguments.limits.tolerance)) {
    throw UsageError("--tolerance", "is not a finite number");
  }
  if (!std::isfinite(arguments.limits.max_seconds)) {
    throw UsageError("--max-seconds", "is not a finite number");
  }
}

int runBench(const BenchArguments& arguments) {
  requireSensible(arguments);
  catchInterrupts();
  Bench bench;
  bench.arguments = arguments;
  bench.choices = makeChoices(arguments);
  measureAndWrite(bench);
  const int code = exitCode(bench);
  if (code == kInterrupted) bench.messages.push_back({"note", "", "interrupted; results so far"});
  if (arguments.json) {
    fmt::print("{}\n", toJson(bench.results, bench.messages, code == kDone));
  } else if (!bench.results.problems.empty()) {
    fmt::print("\n{}", benchSummary(bench.results));
  }
  return code;
}

}  // namespace

Command addBench(Verb program) {
  auto arguments = std::make_shared<BenchArguments>();
  Verb bench = program.addVerb("bench", "Time the solvers");
  bench.requireOneVerb();
  Verb verb = bench.addVerb("fclib", "Time the solvers on fclib files, beside a peer");
  verb.addOption("files", arguments->files, "folders of fclib files (HDF5), or files")
      .required()
      .typeName("DIR...");
  verb.addOption("--solver", arguments->solvers, "our solvers; the exit code judges the first")
      .showDefault()
      .oneOf(solverNames())
      .typeName("NAME...");
  verb.addOption("--tolerance", arguments->limits.tolerance, "error to reach")
      .showDefault()
      .positive();
  verb.addOption("--max-seconds", arguments->limits.max_seconds, "time limit of a solve [s]")
      .showDefault()
      .range(1e-3, 1e6);
  verb.addOption("--repeat", arguments->limits.repeat, "repetitions of quick solves, at least")
      .showDefault()
      .range(1, 1000);
  verb.addOption("--peer", arguments->peer, "solver collection to time in the same run")
      .oneOf({"siconos"});
  verb.addOption("--peer-program", arguments->peer_program, "its adapter, if not beside cornet")
      .typeName("PATH");
  verb.addOption("--output", arguments->output, "folder for fclib.csv, performance_profile.svg")
      .typeName("DIR");
  verb.addFlag("--json", arguments->json, "print one JSON object (docs/formats/bench.md)");
  return [arguments] { return runBench(*arguments); };
}

}  // namespace cornet::app
