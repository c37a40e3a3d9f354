#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "cornet/base/stopwatch.h"
#include "cornet/io/recording/recording.h"
#include "cornet/run/scene_run.h"
#include "scene/run_watcher.h"
#include "view/live_site.h"

/// The simulation's side of a live run: shows each run to the page, does what the page asks, and
/// begins anew when it is told to, when a slider moves and when the scene file is saved. A run that
/// nobody touches has the bits of one without a viewer. A scene is constant while it runs: hands that
/// pull bodies are inputs of its steps, sliders make another scene.
namespace cornet::app {

struct LiveOptions {
  bool real_time = true;   // not faster than the clock; else as fast as it can
  std::string keeps = {};  // what keeps the run ("a recording"): then bodies cannot be pulled
};

class LiveSession final : public RunWatcher {
 public:
  /// Reads the scene with values given beside the file. Throws as readScene().
  using SceneReader = std::function<Scene(const std::vector<SceneOverride>&)>;

  /// `command` is how the program was called. The site must outlive the session. Throws as `read`
  /// and as SceneRun.
  LiveSession(SceneReader read, std::string command, LiveSite& site, LiveOptions options);

  /// Begins a run: the scene to be run, which stays until the next call; and the command that makes
  /// the same run.
  const Scene& begin();
  std::string command() const;

  bool watch(SceneRun& run) override;
  std::string note() const override;
  /// Whether watch() ended the run to begin anew.
  bool wantsRestart() const { return wants_restart_; }

  /// The run is over, or failed as `message` says: waits until another is wanted (true) or the
  /// program is interrupted.
  bool waitForRestart(const SceneRun& run, const std::string& message);

 private:
  struct Pull {
    int body;
    Vector3d point, target;
  };

  using SliderValues = std::map<std::string, double>;

  void obey(const std::vector<ClientMessage>& commands, const SceneRun& run);
  void pull(const ClientMessage& message);
  void giveInputs(SceneRun& run);
  bool mayBeSet(const ClientMessage& message);
  void readAgain(const SliderValues& wanted);
  void lookAtFiles(const SceneRun& run);
  std::map<std::string, std::filesystem::file_time_type> fileTimes() const;
  double secondsAhead(double time);
  void addPull(const State& state, StepInputs& inputs) const;
  void showHeader();
  void showFrame(const SceneRun& run);
  void showState(const SceneRun& run);

  const SceneReader read_;
  const std::string command_;
  LiveSite& site_;
  const LiveOptions options_;
  SliderValues sliders_;                   // that were moved
  std::unique_ptr<const Scene> scene_, next_;  // next_: read, waits for begin()
  std::map<std::string, std::filesystem::file_time_type> seen_;
  RecordedFrame frame_;
  std::vector<int> places_;
  int track_count_ = 0;
  int run_ = 0;
  bool paused_ = false, single_step_ = false, done_ = false, touched_ = false,
       wants_restart_ = false;
  std::string message_;  // beside the state
  std::string problem_;  // in the page's bar: the scene that cannot be read
  std::optional<Pull> pull_;
  Stopwatch clock_, since_frame_, since_look_;
  double ahead_from_ = 0.0;  // [s] of the run, when clock_ began
  bool must_show_ = true;
};

}  // namespace cornet::app
