#include <memory>

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>

#include "commands.h"
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
  return guardRecording(arguments.file, false, [&arguments] {
    const RecordingReader reader(arguments.file);
    if (const std::string problem = reader.problem(); !problem.empty()) {
      fmt::print(stderr, "cornet: note: {}: {}\n", arguments.file, problem);
    }
    if (arguments.format == "csv") {
      exportCsv(reader, arguments.every, arguments.output);
    } else {
      exportGltf(reader, arguments.every, arguments.output);
    }
    fmt::print("{}: {} of {} frames\n", arguments.output, (reader.frameCount() + arguments.every - 1) / arguments.every,
               reader.frameCount());
    return 0;
  });
}

}  // namespace

Command addConvert(CLI::App& program) {
  auto arguments = std::make_shared<ConvertArguments>();
  CLI::App* verb = program.add_subcommand("convert", "Write a recording as tables (CSV) or as an animation (glTF)");
  verb->add_option("file", arguments->file, "a recording (docs/formats/recording.md)")->required()->type_name("FILE.h5");
  verb->add_option("--to", arguments->format, "csv: a folder of three tables; gltf: one .glb")
      ->required()
      ->check(CLI::IsMember({"csv", "gltf"}));
  verb->add_option("output", arguments->output, "folder, or file")->required()->type_name("OUT");
  verb->add_option("--every", arguments->every, "every Nth frame only")
      ->check(CLI::Range(1, 1'000'000'000))
      ->type_name("N");
  return [arguments] { return runConvert(*arguments); };
}

}  // namespace cornet::app
