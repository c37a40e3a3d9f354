#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "commands.h"
#include "cornet/io/format_error.h"
#include "exit_code.h"
#include "problem_solver.h"
#include "resources.h"
#include "scene/law_comparison.h"
#include "scene/run_scene.h"
#include "scene/scene_messages.h"
#include "solve_report.h"
#include "view/page.h"

namespace cornet::app {
namespace {

constexpr const char* kShownSeconds = "1.5";  // enough to see them fall

// A path as one would type it here: relative when it lies below.
std::string nearby(const std::filesystem::path& path) {
  const std::string relative = std::filesystem::proximate(path).string();
  return relative.starts_with("..") ? path.string() : relative;
}

int listDemos() {
  for (const auto& [name, file] : shippedScenes()) {
    fmt::print("{:<28} {}\n", name, readScene(file).title);
  }
  return kDone;
}

int runDemoScene(const std::string& name, const std::string& page) {
  const auto scenes = shippedScenes();
  const auto found = scenes.find(name);
  if (found == scenes.end()) {
    throw UsageError("demo", fmt::format("there is no demo \"{}\" (see: cornet demo --list)", name));
  }
  const Scene scene = readScene(found->second);
  fmt::print("{}\n\n", scene.description.empty() ? scene.title : scene.description);
  RunRequest request;
  request.file = nearby(found->second);
  request.command = "cornet demo " + name;
  if (!viewerPage().empty()) request.report = page.empty() ? fmt::format("cornet-{}.html", name) : page;
  return runScene(scene, request);
}

// A page with a run to look at; what hinders it is told, and is no failure of the demo.
void showRun(const std::string& program, const std::string& page) {
  const std::string file = page.empty() ? "cornet-demo.html" : page;
  const std::filesystem::path path = findScenes() / "demos" / "dominoes.toml";
  fmt::print("\nWhat it looks like\n");
  try {
    const Scene scene = readScene(path, {{"duration", kShownSeconds}});
    fmt::print("  Dominoes, with every contact force in its cone: {}.\n", reportScene(scene, "cornet demo", file));
    fmt::print("  The same while it is computed: {} view {}\n", program, nearby(path));
  } catch (const FileError& error) {
    fmt::print("  There is no page to look at: {}\n", error.what());
  }
}

// The problems that come with the program, solved; all of them or not.
bool solveShippedProblems(const std::filesystem::path& folder) {
  SolverChoice choice;
  choice.setTolerance(1e-8);
  choice.setMaxSeconds(60.0);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".hdf5") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::size_t width = 0;
  for (const auto& file : files) width = std::max(width, file.stem().string().size());
  fmt::print("{}\n", tableHeader(width));
  SolveReport report;
  for (const auto& file : files) {
    const ProblemFile content = readProblem(file);
    report.problems.push_back(describe(file.string(), content, choice.name,
                                       solveProblem(content, choice, false, 1)));
    fmt::print("{}\n", tableLine(report.problems.back(), width));
  }
  fmt::print("{}\n", summaryLine(report));
  return std::ranges::all_of(report.problems, [](const SolvedProblem& problem) {
    return problem.solution.status == SolveStatus::solved;
  });
}

int runDemo(const std::string& program, const std::string& page) {
  fmt::print("What a friction law is worth\n"
             "  A box on a ramp of 26 degrees that holds it (friction 0.5, tan 26 deg = 0.49), and a cube that slides\n"
             "  over a floor at 6 m/s and stops; each in nine directions, the worst one shown. Same step, same\n"
             "  contacts, four laws: Coulomb's, and what other codes put in its place.\n\n");
  std::fflush(stdout);
  fmt::print("{}\n\n", lawTable());
  fmt::print("Contact problems under Coulomb's law\n"
             "  Time steps of other people's simulations and of ours, solved to 1e-8 (scenes/problems/README.md).\n\n");
  const std::filesystem::path folder = findScenes() / "problems";
  const bool all_solved = solveShippedProblems(folder);
  fmt::print(
      "\nWhat the certificate means\n"
      "  It is the largest error of any contact, as a velocity, divided by the speeds in the problem.\n"
      "  It is computed from the returned impulses alone: the solver has no say in it.\n"
      "  1e-8 means: at 1 m/s no contact slips, sinks or pulls wrongly by more than 10 nm/s.\n"
      "  \"solved\" is printed only when the certificate says so; anything else is named as it is.\n"
      "  \"field\" is the error measure other codes publish, on equilibrated data, for comparison.\n");
  showRun(program, page);
  fmt::print(
      "\nTry next\n"
      "  {0} demo arch\n"
      "  {0} demo --list\n"
      "  {0} run {2} --friction-model convex\n"
      "  {0} run {2} --friction-model pyramid --solver active_set\n"
      "  {0} solve {1} --solver gauss_seidel --max-seconds 60\n"
      "  {0} solve --help\n",
      program, nearby(folder), nearby(findScenes() / "comparison" / "fast_cube.toml"));
  return all_solved ? kDone : kAccuracyNotReached;
}

}  // namespace

Command addDemo(Verb program, const std::string& name) {
  struct Arguments {
    std::string scene, page;
    bool list = false;
  };
  auto arguments = std::make_shared<Arguments>();
  Verb verb = program.addVerb("demo", "Compare friction laws and solve shipped problems, or run a shipped scene");
  verb.addOption("scene", arguments->scene, "name of a scene; without one friction laws are compared")
      .typeName("NAME");
  verb.addOption("--report", arguments->page, "the page that shows the run; without it cornet-demo.html or cornet-NAME.html")
      .typeName("FILE.html");
  verb.addFlag("--list", arguments->list, "print the names of all scenes");
  return [name, arguments]() -> int {
    try {
      if (arguments->list) return listDemos();
      if (arguments->scene.empty()) return runDemo(name, arguments->page);
      return guardScene("", arguments->scene, false, [&] { return runDemoScene(arguments->scene, arguments->page); });
    } catch (const FileError& error) {
      fmt::print(stderr, "cornet: error: {}\n", error.what());
      return kFileProblem;
    } catch (const FormatError& error) {
      fmt::print(stderr, "cornet: error: {}\n", error.what());
      return kInputInvalid;
    }
  };
}

}  // namespace cornet::app
