#include <memory>

#include <CLI/Error.hpp>
#include <CLI/Option.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "option_flags.h"
#include "scene/run_scene.h"
#include "scene/scene_messages.h"

namespace cornet::app {
namespace {

struct RunArguments {
  RunRequest request;
  std::vector<std::string> settings;  // key=value
  std::string duration, dt, seed, overlap;
  SimulatorOptions options;
};

std::vector<SceneOverride> collectOverrides(const RunArguments& arguments) {
  std::vector<SceneOverride> overrides;
  for (const std::string& setting : arguments.settings) {
    const auto at = setting.find('=');
    if (at == setting.npos || at == 0) {
      throw CLI::ValidationError("--set", fmt::format("{}: expected key=value", setting));
    }
    overrides.push_back({setting.substr(0, at), setting.substr(at + 1)});
  }
  if (!arguments.duration.empty()) overrides.push_back({"duration", arguments.duration});
  if (!arguments.dt.empty()) overrides.push_back({"dt", arguments.dt});
  if (!arguments.seed.empty()) overrides.push_back({"seed", arguments.seed});
  if (!arguments.overlap.empty()) overrides.push_back({"overlap", arguments.overlap});
  return overrides;
}

int runRun(const CLI::App& verb, RunArguments& arguments) {
  const RunRequest& request = arguments.request;
  const std::vector<SceneOverride> overrides = collectOverrides(arguments);
  return guardScene("cornet.run/1", request.file, request.json, [&] {
    Scene scene = readScene(request.file, overrides);
    copyGivenOptions(verb, arguments.options, scene.options);
    return runScene(scene, request);
  });
}

}  // namespace

Command addRun(CLI::App& program, const std::string& command) {
  auto arguments = std::make_shared<RunArguments>();
  arguments->request.command = command;
  CLI::App* verb = program.add_subcommand("run", "Run a scene and compare it with what it claims");
  verb->add_option("scene", arguments->request.file, "scene file (docs/formats/scene.md)")
      ->required()
      ->type_name("SCENE.toml");
  verb->add_option("--duration", arguments->duration, "seconds to simulate, instead of the scene's");
  verb->add_option("--dt", arguments->dt, "time step [s], instead of the scene's");
  verb->add_option("--seed", arguments->seed, "of what is placed at random, instead of the scene's");
  verb->add_option("--overlap", arguments->overlap,
                   "what to do when bodies overlap at the start, instead of the scene's")
      ->check(CLI::IsMember({"report", "refuse"}));
  verb->add_option("--set", arguments->settings,
                   "value of a parameter or key, as often as wanted: --set mu=0.3 --set body.cube.mass=2")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--output", arguments->request.output, "write the probes of every step into this file")
      ->type_name("FILE.csv");
  CLI::Option* dump = verb->add_option(flagNames("dump_problems"), arguments->request.dump_problems,
                                       "keep the contact problems of steps that miss their tolerance in this folder, "
                                       "for cornet solve")
                          ->type_name("DIR");
  verb->add_flag(flagNames("dump_problems_all"), arguments->request.dump_problems_all, "keep all of them, not only those")
      ->needs(dump);
  CLI::Option* record = verb->add_option("--record", arguments->request.record,
                                         "record every step into this file (docs/formats/recording.md)")
                            ->type_name("FILE.h5");
  verb->add_option(flagNames("record_every"), arguments->request.record_every, "record every Nth step only")
      ->check(CLI::Range(1, 1'000'000'000))
      ->type_name("N")
      ->needs(record);
  verb->add_flag("--strict", arguments->request.strict, "exit code 4 when a step missed its tolerance");
  verb->add_flag("--json", arguments->request.json, "print one JSON object (docs/formats/run.md)");
  addOptionFlags(*verb, arguments->options);
  return [arguments, verb] { return runRun(*verb, *arguments); };
}

}  // namespace cornet::app
