#include <memory>

#include <fmt/format.h>

#include "commands.h"
#include "cornet/io/robot/add_robots.h"
#include "recording/recording_messages.h"
#include "recording/recording_overview.h"
#include "scene/model_overview.h"
#include "scene/scene_messages.h"
#include "scene/scene_settings.h"

namespace cornet::app {
namespace {

struct InfoArguments {
  std::string file;
  bool json = false;
  std::vector<std::string> package_paths = {};
};

int describeModel(const InfoArguments& arguments) {
  return guardScene("cornet.model/1", arguments.file, arguments.json, [&arguments] {
    const ModelOptions options{{arguments.package_paths.begin(), arguments.package_paths.end()}};
    const auto model = readModel(arguments.file, options);
    fmt::print("{}\n", arguments.json ? modelJson(arguments.file, *model) : modelText(arguments.file, *model));
    return 0;
  });
}

int runInfo(const InfoArguments& arguments) {
  if (isModelFile(arguments.file)) return describeModel(arguments);
  return guardRecording(arguments.file, arguments.json, [&arguments] {
    const RecordingReader reader(arguments.file);
    const std::string text = arguments.json ? overviewJson(arguments.file, reader) : overviewText(arguments.file, reader);
    fmt::print("{}\n", text);
    return 0;
  });
}

}  // namespace

Command addInfo(Verb program) {
  auto arguments = std::make_shared<InfoArguments>();
  Verb verb = program.addVerb("info", "Say what is in a recording or robot model");
  verb.addOption("file", arguments->file, "a recording (docs/formats/recording.md), or a robot model (docs/howto/run_a_robot.md)").required().typeName("FILE");
  addPackagePath(verb, arguments->package_paths);
  verb.addFlag("--json", arguments->json, "print one JSON object (docs/formats/recording.md)");
  return [arguments] { return runInfo(*arguments); };
}

}  // namespace cornet::app
