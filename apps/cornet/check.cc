#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include "commands.h"
#include "cornet/io/format_error.h"
#include "exit_code.h"
#include "scene/scene_messages.h"
#include "scene/scene_overview.h"

namespace cornet::app {
namespace {

struct CheckArguments {
  std::vector<std::string> files;
  bool json = false;
};

Json toJson(const SceneOverview& overview) {
  Json overlaps = Json::array(), joints = Json::array();
  constexpr std::array kKinds = {"overlap", "open_joint", "passed_limit", "contradiction"};
  for (const StartFault& fault : overview.start.faults) {
    if (fault.kind == StartFault::Kind::overlap) {
      overlaps.push_back({{"a", fault.a}, {"b", fault.b}, {"depth", fault.size}});
    } else {
      joints.push_back({{"joint", fault.a}, {"kind", kKinds[static_cast<std::size_t>(fault.kind)]}, {"size", fault.size}});
    }
  }
  return {{"scene", overview.file},
          {"ok", true},
          {"title", overview.title},
          {"bodies", overview.bodies},
          {"mass", overview.mass},
          {"environments", overview.environments},
          {"constraints", overview.constraints},
          {"forces", overview.forces},
          {"probes", overview.probes},
          {"checks", overview.checks},
          {"duration", overview.duration},
          {"dt", overview.dt},
          {"overlaps", overlaps},
          {"joint_faults", joints},
          {"messages", Json::array()}};
}

// Checks one file and adds what there is to say about it. Returns the exit code.
int checkFile(const std::string& file, bool json, Json& scenes) {
  const auto refuse = [&](const std::exception& error, ExitCode code,
                          const std::vector<Finding>& findings = {}) {
    scenes.push_back({{"scene", file}, {"ok", false}, {"messages", messagesJson(error.what(), findings)}});
    fmt::print(stderr, "{}{}\n", findings.empty() ? "cornet: error: " : "", error.what());
    return static_cast<int>(code);
  };
  try {
    const SceneOverview overview = describe(file, readScene(file));
    scenes.push_back(toJson(overview));
    if (!json) fmt::print("{}\n", overviewText(overview));
    return kDone;
  } catch (const FindingsError& error) {
    return refuse(error, kInputInvalid, error.findings());
  } catch (const std::invalid_argument& error) {
    return refuse(error, kInputInvalid);
  } catch (const FileError& error) {
    return refuse(error, kFileProblem);
  }
}

int runCheck(const CheckArguments& arguments) {
  Json scenes = Json::array();
  int code = kDone;
  for (const std::string& file : arguments.files) {
    const int own = checkFile(file, arguments.json, scenes);
    // The first of 3, 5.
    if (code == kDone || own == kInputInvalid) code = own == kDone ? code : own;
  }
  if (arguments.json) {
    fmt::print("{}\n", dumpJson({{"schema", "cornet.check/1"},
                                 {"ok", code == kDone},
                                 {"scenes", scenes},
                                 {"messages", Json::array()}}));
  }
  return code;
}

}  // namespace

Command addCheck(Verb program) {
  auto arguments = std::make_shared<CheckArguments>();
  Verb verb = program.addVerb("check", "Say everything that is wrong in scene files, run nothing");
  verb.addOption("scenes", arguments->files, "scene files").required().typeName("SCENE.toml...");
  verb.addFlag("--json", arguments->json, "print one JSON object (docs/formats/run.md)");
  return [arguments] { return runCheck(*arguments); };
}

}  // namespace cornet::app
