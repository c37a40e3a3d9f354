#include <memory>

#include <fmt/format.h>

#include "commands.h"
#include "recording/recording_messages.h"
#include "recording/recording_overview.h"

namespace cornet::app {
namespace {

struct InfoArguments {
  std::string file;
  bool json = false;
};

int runInfo(const InfoArguments& arguments) {
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
  Verb verb = program.addVerb("info", "Say what is in a recording");
  verb.addOption("file", arguments->file, "a recording (docs/formats/recording.md)").required().typeName("FILE.h5");
  verb.addFlag("--json", arguments->json, "print one JSON object (docs/formats/recording.md)");
  return [arguments] { return runInfo(*arguments); };
}

}  // namespace cornet::app
