// Makes random scenes, runs each in a process of its own and records every step; check_recordings.py judges the
// recordings. A crash or a hang is a line in runs.jsonl and not the end.
//
//   cornet_fuzz --family bodies|mechanisms|impacts --count N --seed S --output DIR [--first K] [--time-limit SECONDS]
//               [--shortest-step SECONDS] [--longest-step SECONDS]: scenes with other steps are left out
//               [--accuracy METRES]: by steps of varying size, under error control
//   cornet_fuzz --scene FILE... --output DIR [--time-limit SECONDS] [--accuracy METRES]
//
// DIR gets scene_000123.toml, scene_000123.h5 and a line of runs.jsonl for each scene.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cornet/base/stopwatch.h"
#include "cornet/io/recording/make_header.h"
#include "cornet/io/recording/recorder.h"
#include "cornet/run/scene_run.h"
#include "cornet/sim/start.h"
#include "random_scene.h"

namespace {

using cornet::fuzz::Family;

struct Arguments {
  Family family = Family::bodies;
  int first = 0;
  int count = 0;
  std::uint32_t seed = 1;
  unsigned time_limit = 30;  // [s] of processor time; ten times as much by the clock
  double shortest_step = 0.0, longest_step = std::numeric_limits<double>::infinity();  // [s]
  double accuracy = std::numeric_limits<double>::infinity();  // [m]; infinite: steps of one size
  std::filesystem::path output;
  std::vector<std::filesystem::path> scenes;
};

// What a child says before it ends, through a pipe.
struct Outcome {
  int status = 0;          // exit status, when it ended by itself
  int signal = 0;          // that ended it
  bool hangs = false;
  double seconds = 0.0;    // by the clock
  std::string said;        // JSON members
};

std::string quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + "\"";
}

// Number that JSON knows.
std::string number(double x) { return std::isfinite(x) ? fmt::format("{}", x) : "null"; }

std::string describe(const cornet::RunTotals& totals) {
  return fmt::format(
      "\"steps\": {}, \"unsolved_steps\": {}, \"worst_certificate\": {}, \"max_penetration\": {}, "
      "\"max_energy_gain\": {}, \"max_contacts\": {}, \"step_seconds\": {}, \"rejections\": {}, \"forced_steps\": {}",
      totals.steps, totals.unsolved_steps, number(totals.worst_certificate), number(totals.max_penetration),
      number(totals.max_energy_gain), totals.max_contacts, number(totals.seconds), totals.rejections, totals.forced_steps);
}

// The first fault of more than a share of the smallest body.
std::string describeFaults(const cornet::WorldModel& world, const std::vector<cornet::StartFault>& faults, double share) {
  double smallest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < world.bodyCount(); ++i) smallest = std::min(smallest, world.body(i).size());
  for (const cornet::StartFault& fault : faults) {
    if (fault.size > share * smallest) return toString(fault);
  }
  return "";
}

// What is wrong at the start: no step can be right then.
std::string describeStart(const cornet::WorldModel& world) {
  return describeFaults(world, cornet::findStartFaults(world), 1e-3);
}

// What joints and surroundings contradict each other in at this time, wherever bodies near by are put.
std::string describeContradiction(const cornet::WorldModel& world, const cornet::State& state) {
  return describeFaults(world, cornet::repairState(world, state).left, 1e-4);
}

// What begins to be pressed against something that cannot give way is flagged before the contradiction is there to be measured.
constexpr int kFlagsLookedAt = 5;

// Steps one scene to its end; what was thrown is told, and what was recorded until then is kept.
std::string runScene(const std::filesystem::path& file, const std::filesystem::path& recording, double accuracy) {
  cornet::Scene scene = cornet::readScene(file);
  scene.options.control.accuracy = accuracy;
  cornet::SceneRun run(scene);
  cornet::Recorder recorder(recording, cornet::makeRecordingHeader(scene, "cornet_fuzz", "cornet_fuzz"), scene.world);
  std::string failure, flag, contradiction;
  int flags = 0;
  recorder.add(run.moment());
  try {
    while (!run.isDone()) {
      const cornet::StepReport& report = run.step();
      if (!report.isAccurate() && ++flags <= kFlagsLookedAt && contradiction.empty()) {
        if (flag.empty()) flag = toString(report.status);
        contradiction = report.status == cornet::SolveStatus::infeasible ? "what moves presses bodies into friction or joints that hold them"
                                                                         : describeContradiction(scene.world, run.state());
      }
      recorder.add(run.moment());
    }
  } catch (const std::exception& error) {
    failure = error.what();
  }
  recorder.finish();
  return fmt::format("{}, \"start\": {}, \"first_flag\": {}, \"contradiction\": {}, \"exception\": {}",
                     describe(run.totals()), quote(describeStart(scene.world)), quote(flag), quote(contradiction),
                     quote(failure));
}

[[noreturn]] void runChild(const std::filesystem::path& file, const std::filesystem::path& recording,
                           unsigned time_limit, double accuracy, int pipe) {
  const rlimit limit{time_limit, time_limit + 1};
  ::setrlimit(RLIMIT_CPU, &limit);
  ::alarm(10 * time_limit);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::string said;
  int status = 0;
  try {
    said = runScene(file, recording, accuracy);
  } catch (const std::exception& error) {
    said = fmt::format("\"exception\": {}", quote(error.what()));
    status = 3;
  }
  if (::write(pipe, said.data(), said.size()) < 0) status = 4;
  ::_exit(status);
}

Outcome runApart(const std::filesystem::path& file, const std::filesystem::path& recording, unsigned time_limit,
                 double accuracy) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  const cornet::Stopwatch clock;
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    ::close(ends[0]);
    runChild(file, recording, time_limit, accuracy, ends[1]);
  }
  ::close(ends[1]);
  Outcome outcome;
  char buffer[4096];
  for (ssize_t size = 0; (size = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    outcome.said.append(buffer, static_cast<std::size_t>(size));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  outcome.seconds = clock.seconds();
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.hangs = outcome.signal == SIGXCPU || outcome.signal == SIGALRM;
  return outcome;
}

Arguments readArguments(int argc, char** argv) {
  Arguments arguments;
  const auto value = [&](int& k) -> std::string {
    if (k + 1 >= argc) throw std::invalid_argument(fmt::format("{} needs a value", argv[k]));
    return argv[++k];
  };
  for (int k = 1; k < argc; ++k) {
    const std::string flag = argv[k];
    if (flag == "--family") {
      const std::string name = value(k);
      constexpr std::array families = {Family::bodies, Family::mechanisms, Family::impacts};
      const auto* found = std::ranges::find(families, name, cornet::fuzz::nameOf);
      if (found == families.end()) throw std::invalid_argument("no family " + name);
      arguments.family = *found;
    } else if (flag == "--count") {
      arguments.count = std::stoi(value(k));
    } else if (flag == "--first") {
      arguments.first = std::stoi(value(k));
    } else if (flag == "--seed") {
      arguments.seed = static_cast<std::uint32_t>(std::stoul(value(k)));
    } else if (flag == "--time-limit") {
      arguments.time_limit = static_cast<unsigned>(std::stoul(value(k)));
    } else if (flag == "--shortest-step") {
      arguments.shortest_step = std::stod(value(k));
    } else if (flag == "--longest-step") {
      arguments.longest_step = std::stod(value(k));
    } else if (flag == "--accuracy") {
      arguments.accuracy = std::stod(value(k));
    } else if (flag == "--output") {
      arguments.output = value(k);
    } else if (flag == "--scene") {
      while (k + 1 < argc && argv[k + 1][0] != '-') arguments.scenes.emplace_back(argv[++k]);
    } else {
      throw std::invalid_argument("unknown argument " + flag);
    }
  }
  if (arguments.output.empty()) throw std::invalid_argument("--output is missing");
  return arguments;
}

// The scene files of this call, in the output folder.
std::vector<std::filesystem::path> writeScenes(const Arguments& arguments) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& scene : arguments.scenes) {
    files.push_back(arguments.output / scene.filename());
    std::filesystem::copy_file(scene, files.back(), std::filesystem::copy_options::overwrite_existing);
  }
  for (int k = arguments.first; k < arguments.first + arguments.count; ++k) {
    const auto index = static_cast<std::uint32_t>(k);
    const double dt = cornet::fuzz::drawStep(arguments.family, arguments.seed, index);
    if (dt < arguments.shortest_step || dt > arguments.longest_step) continue;
    files.push_back(arguments.output / fmt::format("scene_{:06}.toml", k));
    std::ofstream(files.back(), std::ios::binary) << cornet::fuzz::makeRandomScene(arguments.family, arguments.seed, index);
  }
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Arguments arguments = readArguments(argc, argv);
    std::filesystem::create_directories(arguments.output);
    std::ofstream runs(arguments.output / "runs.jsonl", std::ios::binary);
    int bad = 0;
    const std::vector<std::filesystem::path> files = writeScenes(arguments);
    for (const std::filesystem::path& file : files) {
      std::filesystem::path recording = file;
      const Outcome outcome = runApart(file, recording.replace_extension(".h5"), arguments.time_limit, arguments.accuracy);
      runs << fmt::format("{{\"scene\": {}, \"status\": {}, \"signal\": {}, \"hang\": {}, \"seconds\": {:.4f}{}{}}}\n",
                          quote(file.stem().string()), outcome.status, outcome.signal, outcome.hangs,
                          outcome.seconds, outcome.said.empty() ? "" : ", ", outcome.said)
           << std::flush;
      bad += outcome.status != 0 || outcome.signal != 0;
    }
    fmt::print("{} scenes, {} ended badly\n", files.size(), bad);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "cornet_fuzz: {}\n", error.what());
    return 2;
  }
}
