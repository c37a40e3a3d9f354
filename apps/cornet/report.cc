#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "commands.h"
#include "distinct_files.h"
#include "exit_code.h"
#include "recording/recording_messages.h"
#include "view/page.h"
#include "view/page_recording.h"
#include "view/report_file.h"

namespace cornet::app {
namespace {

struct ReportArguments {
  std::string file, output;
};

int runReport(const ReportArguments& arguments) {
  const std::filesystem::path output =
      arguments.output.empty()
          ? std::filesystem::path(arguments.file).replace_extension(".html").filename()
          : std::filesystem::path(arguments.output);
  requireDistinct({{"the recording", arguments.file}}, {{"--output", output}});
  return guardRecording(arguments.file, false, [&arguments, &output] {
    requirePage();
    const RecordingReader reader(arguments.file);
    if (const std::string problem = digest(reader).problem; !problem.empty()) {
      fmt::print(stderr, "cornet: note: {}: {}\n", arguments.file, problem);
    }
    fmt::print("{}\n", writeReport(reader, output));
    return static_cast<int>(kDone);
  });
}

}  // namespace

Command addReport(Verb program) {
  auto arguments = std::make_shared<ReportArguments>();
  Verb verb =
      program.addVerb("report", "Write a recording as one page that opens in any browser");
  verb.addOption("file", arguments->file, "a recording (docs/formats/recording.md)")
      .required()
      .typeName("FILE.h5");
  verb.addOption("-o,--output", arguments->output,
                 "the page; without it FILE.html in this folder")
      .typeName("FILE.html");
  return [arguments] { return runReport(*arguments); };
}

}  // namespace cornet::app
