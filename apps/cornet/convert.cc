#include <memory>

#include <fmt/format.h>

#include "commands.h"
#include "distinct_files.h"
#include "exit_code.h"
#include "cornet/io/recording/export_csv.h"
#include "cornet/io/recording/export_gltf.h"
#include "recording/recording_messages.h"

namespace cornet::app {
namespace {

struct ConvertArguments {
  std::string file, format, output;
  int every = 1;
};

int runConvert(const ConvertArguments& arguments) {
  requireDistinct({{"the recording", arguments.file}}, {{"output", arguments.output}});
  return guardRecording(arguments.file, false, [&arguments] {
    const RecordingReader reader(arguments.file);
    if (const std::string problem = reader.problem(); !problem.empty()) {
      fmt::print(stderr, "cornet: note: {}: {}\n", arguments.file, problem);
    }
    int damaged = 0;
    if (arguments.format == "csv") {
      damaged = exportCsv(reader, arguments.every, arguments.output);
    } else {
      exportGltf(reader, arguments.every, arguments.output);
    }
    const int all = reader.frameCount();
    const int chosen = all / arguments.every + (all % arguments.every != 0);
    fmt::print("{}: {} of {} frames\n", arguments.output, chosen - damaged, all);
    if (damaged == 0) return static_cast<int>(kDone);
    fmt::print(stderr, "cornet: error: {}: {} of {} frames cannot be read and are left out\n",
               arguments.file, damaged, chosen);
    return static_cast<int>(kInputInvalid);
  });
}

}  // namespace

Command addConvert(Verb program) {
  auto arguments = std::make_shared<ConvertArguments>();
  Verb verb = program.addVerb("convert", "Write a recording as tables (CSV) or as an animation (glTF)");
  verb.addOption("file", arguments->file, "a recording (docs/formats/recording.md)").required().typeName("FILE.h5");
  verb.addOption("--to", arguments->format, "csv: a folder of three tables; gltf: one .glb")
      .required()
      .oneOf({"csv", "gltf"});
  verb.addOption("output", arguments->output, "folder, or file").required().typeName("OUT");
  verb.addOption("--every", arguments->every, "every Nth frame only")
      .range(1, 1'000'000'000)
      .typeName("N");
  return [arguments] { return runConvert(*arguments); };
}

}  // namespace cornet::app
