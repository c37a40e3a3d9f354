#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "commands.h"
#include "cornet/io/format_error.h"
#include "exit_code.h"
#include "interrupt.h"
#include "problem_files.h"
#include "problem_solver.h"
#include "progress.h"
#include "solve_report.h"

namespace cornet::app {
namespace {

namespace fs = std::filesystem;

struct SolveArguments {
  std::vector<std::string> files;
  SolverChoice choice;
  std::string certify;  // solution file to score instead of solving
  std::string output;   // folder for solution files
  int repeat = 1;
  bool warm_start = false;
  bool diagnose = false;
  bool json = false;
};

fs::path solutionPath(const std::string& folder, const fs::path& problem) {
  return fs::path(folder) / (problem.stem().string() + ".solution.hdf5");
}

// Two problems of one name would overwrite each other's solution.
void prepareOutput(const std::string& folder, const std::vector<fs::path>& files) {
  std::set<fs::path> targets;
  for (const fs::path& file : files) {
    if (!targets.insert(solutionPath(folder, file)).second) {
      throw UsageError("--output", fmt::format("two problems are called \"{}\"; solve "
                                                         "them into different folders",
                                                         file.stem().string()));
    }
  }
  makeWritableFolder(folder);
}

Diagnosis diagnoseProblem(const ProblemFile& content) {
  return std::visit([](const auto& problem) { return diagnose(problem); }, content.problem);
}

// Reads and solves (or scores) one file; the result is in the report before it is written to disk.
void solveFile(const SolveArguments& arguments, const fs::path& file, SolveReport& report) {
  const ProblemFile content = readProblem(file);
  if (!arguments.certify.empty()) {
    const VectorXd impulses = readImpulses(arguments.certify, content.rows());
    report.problems.push_back(describe(file.string(), content, "certify",
                                       scoreImpulses(content, impulses, arguments.choice)));
    if (arguments.diagnose) report.problems.back().diagnosis = diagnoseProblem(content);
    return;
  }
  {
    std::string remark;
    const Progress progress("solving " + file.filename().string());
    report.problems.push_back(describe(file.string(), content, arguments.choice.name,
                                       solveProblem(content, arguments.choice, arguments.warm_start,
                                                    arguments.repeat, &remark)));
    if (!remark.empty()) report.messages.push_back({"note", file.string(), remark});
  }
  if (arguments.diagnose) report.problems.back().diagnosis = diagnoseProblem(content);
  if (!arguments.output.empty()) {
    writeSolution(solutionPath(arguments.output, file), content.rows(),
                  report.problems.back().solution);
  }
}

// Solves all files; a file that is refused does not stop the others. Returns the exit code.
int solveAll(const SolveArguments& arguments, const std::vector<fs::path>& files,
             SolveReport& report) {
  std::size_t name_width = 7;
  for (const fs::path& file : files) name_width = std::max(name_width, file.stem().string().size());
  if (!arguments.json) fmt::print("{}\n", tableHeader(name_width));

  bool invalid = false;
  bool unreadable = false;
  bool inaccurate = false;
  for (const fs::path& file : files) {
    if (interrupted) break;
    const auto refuse = [&](const std::exception& error) {
      report.messages.push_back({"error", file.string(), error.what()});
      fmt::print(stderr, "cornet: error: {}\n", error.what());
    };
    const std::size_t before = report.problems.size();
    try {
      solveFile(arguments, file, report);
    } catch (const FormatError& error) {
      invalid = true;
      refuse(error);
    } catch (const FileError& error) {
      unreadable = true;
      refuse(error);
    }
    if (report.problems.size() == before) continue;
    inaccurate |= report.problems.back().solution.status != SolveStatus::solved;
    if (!arguments.json) fmt::print("{}\n", tableLine(report.problems.back(), name_width));
    if (!arguments.json && report.problems.back().diagnosis) {
      fmt::print("{}\n", diagnosisText(*report.problems.back().diagnosis));
    }
    std::fflush(stdout);
  }
  if (interrupted) {
    report.messages.push_back({"note", "", "interrupted; results so far"});
    return kInterrupted;
  }
  return invalid ? kInputInvalid : unreadable ? kFileProblem : inaccurate ? kAccuracyNotReached
                                                                          : kDone;
}

int runSolve(SolveArguments& arguments) {
  if (!arguments.certify.empty() && !arguments.output.empty()) {
    throw UsageError("--certify", "solves nothing, so there is nothing for --output");
  }
  catchInterrupts();
  arguments.choice.setInterrupt(&interrupted);
  SolveReport report;
  int code = kFileProblem;
  try {
    const std::vector<fs::path> files = expandFolders(arguments.files);
    if (!arguments.certify.empty() && files.size() != 1) {
      throw UsageError("--certify", "takes exactly one problem file");
    }
    if (!arguments.output.empty()) prepareOutput(arguments.output, files);
    code = solveAll(arguments, files, report);
  } catch (const FileError& error) {
    report.messages.push_back({"error", "", error.what()});
    fmt::print(stderr, "cornet: error: {}\n", error.what());
  }
  report.ok = code == kDone;
  if (arguments.json) {
    fmt::print("{}\n", toJson(report));
  } else {
    fmt::print("{}\n", summaryLine(report));
  }
  return code;
}

}  // namespace

Command addSolve(Verb program) {
  auto arguments = std::make_shared<SolveArguments>();
  arguments->choice.setMaxSeconds(10.0);
  Verb verb = program.addVerb("solve", "Solve contact problems from fclib files");
  verb.addOption("files", arguments->files, "fclib files (HDF5), or folders of them")
      .required()
      .typeName("FILE...");
  addSolverFlags(verb, arguments->choice);
  verb.addOption("--repeat", arguments->repeat, "solve N times, report the shortest time")
      .showDefault()
      .range(1, 1'000'000);
  verb.addFlag("--warm-start", arguments->warm_start, "start from the impulses in the file");
  verb.addOption("--output", arguments->output, "write NAME.solution.hdf5 into this folder")
      .typeName("DIR");
  verb.addOption("--certify", arguments->certify, "score this solution instead of solving")
      .typeName("SOLUTION");
  verb.addFlag("--diagnose", arguments->diagnose,
               "say what makes each problem easy or hard: rank, condition, masses, redundancy");
  verb.addFlag("--json", arguments->json, "print one JSON object (docs/formats/solve.md)");
  return [arguments, verb] {
    finishSolverFlags(verb, arguments->choice);
    return runSolve(*arguments);
  };
}

}  // namespace cornet::app
