#include <memory>

#include <fmt/format.h>

#include "commands.h"
#include "distinct_files.h"
#include "exit_code.h"
#include "interrupt.h"
#include "option_flags.h"
#include "scene/run_scene.h"
#include "scene/scene_messages.h"
#include "scene/scene_settings.h"
#include "view/live_view.h"
#include "view/page.h"

namespace cornet::app {
namespace {

struct RunArguments {
  RunRequest request;
  SceneSettings settings;
  bool view = false;
  ViewRequest view_request;
};

// What of a run outlives it, and so must be of a run that can be repeated.
std::string keptIn(const RunRequest& request) {
  if (!request.record.empty()) return "a recording";
  if (!request.report.empty()) return "a report";
  return request.output.empty() ? "" : "a file of probes";
}

// Runs the scene while the page looks on, and again as often as the page asks; what is written is
// of the last run.
int runViewed(const RunArguments& arguments) {
  requirePage();
  const auto read = [&arguments](const std::vector<SceneOverride>& more) {
    return readSceneWith(arguments.request.file, arguments.settings, more);
  };
  catchInterrupts();
  LiveView live(read, arguments.request.command, arguments.view_request,
                {.real_time = false, .keeps = keptIn(arguments.request)});
  LiveSession& session = live.session();
  int code = kDone;
  do {
    RunRequest request = arguments.request;
    const Scene& scene = session.begin();
    request.command = session.command();
    request.watcher = &session;
    request.finished = [&session](const SceneRun& run, const std::string& message) {
      session.waitForRestart(run, message);
    };
    code = runScene(scene, request);
  } while (session.wantsRestart() && !interrupted);
  return code;
}

int runRun(RunArguments& arguments) {
  const RunRequest& request = arguments.request;
  requireDistinct({{"the scene", request.file}}, {{"--output", request.output},
                                                  {"--record", request.record},
                                                  {"--report", request.report}});
  return guardScene("cornet.run/1", request.file, request.json, [&] {
    if (!request.report.empty()) requirePage();
    if (arguments.view) return runViewed(arguments);
    return runScene(readSceneWith(request.file, arguments.settings), request);
  });
}

}  // namespace

Command addRun(Verb program, const std::string& command) {
  auto arguments = std::make_shared<RunArguments>();
  RunRequest& request = arguments->request;
  request.command = command;
  Verb verb = program.addVerb("run", "Run a scene and compare it with what it claims");
  verb.addOption("scene", request.file, "scene file (docs/formats/scene.md), or a robot model (docs/howto/run_a_robot.md)")
      .required()
      .typeName("SCENE.toml|MODEL.xml");
  addSceneSettings(verb, arguments->settings);
  verb.addOption("--output", request.output, "write the probes of every step into this file")
      .typeName("FILE.csv");
  Option dump =
      verb.addOption(
              flagNames("dump_problems"), request.dump_problems,
              "keep the contact problems of steps that miss their tolerance in this folder, "
              "for cornet solve")
          .typeName("DIR");
  verb.addFlag(flagNames("dump_problems_all"), request.dump_problems_all,
               "keep all of them, not only those")
      .needs(dump);
  Option record =
      verb.addOption("--record", request.record,
                     "record every step into this file (docs/formats/recording.md)")
          .typeName("FILE.h5");
  verb.addOption(flagNames("record_every"), request.record_every, "record every Nth step only")
      .range(1, 1'000'000'000)
      .typeName("N")
      .needs(record);
  verb.addOption("--report", request.report,
                 "write a page with the run in it, to be opened in any browser")
      .typeName("FILE.html");
  Option view = verb.addFlag(
      "--view", arguments->view, "show the run in the browser while it goes on (docs/viewer.md)");
  for (Option option : addViewFlags(verb, arguments->view_request)) option.needs(view);
  verb.addFlag("--strict", request.strict, "exit code 4 when a step was inaccurate");
  verb.addFlag("--json", request.json, "print one JSON object (docs/formats/run.md)");
  return [arguments] { return runRun(*arguments); };
}

}  // namespace cornet::app
