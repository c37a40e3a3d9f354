#include "bench/peer.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/child_process.h"
#include "cornet/io/format_error.h"
#include "interrupt.h"

namespace cornet::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path findAdapter(const std::string& name, const std::string& program) {
  std::error_code error;
  if (!program.empty()) {
    if (fs::is_regular_file(program, error)) return fs::absolute(program);
    throw FileError(program, "no such program (--peer-program)");
  }
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path adapter = self.parent_path() / ("cornet_" + name);
  if (fs::is_regular_file(adapter, error)) return adapter;
  throw FileError(adapter,
                  fmt::format("the adapter to {0} is not built; install the Debian package "
                              "lib{0}-numerics-dev and build again (./do bench fclib DIR, or the "
                              "target cornet_peers), or name it with --peer-program",
                              name));
}

// Runs the adapter; every line is an object. An interrupt is not its failure.
void ask(const fs::path& program, const std::vector<std::string>& arguments,
         const std::function<void(const Json&)>& handle) {
  const int code = runLines(program, arguments, [&](const std::string& line) {
    try {
      handle(Json::parse(line));
    } catch (const Json::exception& error) {
      throw FileError(program, fmt::format("printed \"{}\": {}", line, error.what()));
    }
  });
  if (code != 0 && !interrupted) {
    throw FileError(program, fmt::format("ended with exit code {}", code));
  }
}

// null stands for a number that is not there.
double number(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

BenchRun readRun(const Json& line) {
  BenchRun run;
  run.status = line.at("status").get<std::string>();
  run.solved = run.status == "solved";
  run.seconds = number(line.at("seconds"));
  run.certificate = number(line.at("certificate"));
  run.field = number(line.at("field"));
  run.iterations = line.at("iterations").get<int>();
  return run;
}

}  // namespace

Peer::Peer(const std::string& name, const std::string& program)
    : program_(findAdapter(name, program)) {
  ask(program_, {"--list"}, [this](const Json& line) {
    solvers_.push_back({line.at("solver"), line.at("family"), true});
  });
  if (solvers_.empty() && !interrupted) throw FileError(program_, "lists no solvers");
}

std::vector<BenchRun> Peer::run(const fs::path& problem, const PeerLimits& limits) const {
  BenchRun missing;
  missing.status = "missing";
  std::vector<BenchRun> runs(solvers_.size(), missing);
  const std::vector<std::string> arguments = {
      fs::absolute(problem).string(),
      fmt::format("--tolerance={}", limits.tolerance),
      fmt::format("--max-seconds={}", limits.max_seconds),
      fmt::format("--repeat={}", limits.repeat)};
  ask(program_, arguments, [&](const Json& line) {
    const auto name = line.at("solver").get<std::string>();
    const auto found = std::ranges::find(solvers_, name, &BenchSolver::name);
    if (found != solvers_.end()) runs[found - solvers_.begin()] = readRun(line);
  });
  return runs;
}

}  // namespace cornet::app
