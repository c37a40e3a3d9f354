#include <chrono>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "commands.h"
#include "exit_code.h"
#include "interrupt.h"
#include "recording/recording_messages.h"
#include "scene/scene_messages.h"
#include "scene/scene_settings.h"
#include "view/live_view.h"
#include "view/page.h"
#include "view/recording_site.h"

namespace cornet::app {
namespace {

struct ViewArguments {
  std::string file;
  SceneSettings settings;
  ViewRequest view;
  std::string command;
};

int viewRecording(const ViewArguments& arguments) {
  return guardRecording(arguments.file, false, [&arguments] {
    requirePage();
    const RecordingReader reader(arguments.file);
    RecordingSite site(reader);
    if (!site.problem().empty())
      fmt::print(stderr, "cornet: note: {}: {}\n", arguments.file, site.problem());
    catchInterrupts();
    const ViewServer server(site, arguments.view);
    while (!interrupted) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return static_cast<int>(kDone);
  });
}

// One run after the other until the program is interrupted.
int viewScene(const ViewArguments& arguments) {
  return guardScene("", arguments.file, false, [&arguments] {
    requirePage();
    const auto read = [&arguments](const std::vector<SceneOverride>& more) {
      return readSceneWith(arguments.file, arguments.settings, more);
    };
    catchInterrupts();
    LiveView live(read, arguments.command, arguments.view, {});
    while (true) {
      SceneRun run(live.session().begin());
      std::string failure;
      bool goes_on = live.session().watch(run);
      while (goes_on && !run.isDone() && !interrupted) {
        try {
          run.step();
        } catch (const std::exception& error) {  // a body left the finite range
          failure = error.what();
          break;
        }
        goes_on = live.session().watch(run);
      }
      if (goes_on && !live.session().waitForRestart(run, failure)) return static_cast<int>(kDone);
      if (interrupted) return static_cast<int>(kDone);
    }
  });
}

// Flags of a scene say nothing about a recording.
void requireNone(const std::string& file, const std::vector<Option>& flags) {
  for (const Option& flag : flags) {
    if (flag.count() == 0) continue;
    throw UsageError(
        flag.name(),
        fmt::format("is for scenes; {} is a recording (scenes end in .toml)", file));
  }
}

}  // namespace

Command addView(Verb program, const std::string& command) {
  auto arguments = std::make_shared<ViewArguments>();
  arguments->command = command;
  Verb verb =
      program.addVerb("view", "Show a recording, or a scene while it runs, in the browser");
  verb.addOption("file", arguments->file,
                 "a recording (docs/formats/recording.md), or a scene: a name that ends in .toml")
      .required()
      .typeName("FILE.h5|SCENE.toml");
  const std::size_t own = verb.options().size();
  addSceneSettings(verb, arguments->settings);
  const std::vector<Option> options = verb.options();
  const std::vector<Option> of_scenes(
      options.begin() + static_cast<std::ptrdiff_t>(own), options.end());
  addViewFlags(verb, arguments->view);
  return [arguments, of_scenes] {
    if (arguments->file.ends_with(".toml")) return viewScene(*arguments);
    requireNone(arguments->file, of_scenes);
    return viewRecording(*arguments);
  };
}

}  // namespace cornet::app
