#include "view/live_session.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cornet/io/recording/make_header.h"
#include "cornet/io/recording/page_data.h"
#include "cornet/io/recording/recorder.h"
#include "interrupt.h"
#include "json.h"

namespace cornet::app {
namespace {

constexpr double kFrameSeconds = 1.0 / 60.0;  // between frames that are shown
constexpr double kLookSeconds = 0.25;         // between looks at the scene file
constexpr double kLagSeconds = 0.1;           // that a slow run is not caught up with
constexpr double kNapSeconds = 0.004;         // shorter waits are not worth it
constexpr std::chrono::milliseconds kPatience{100};
constexpr double kPullRate =
    25.0;  // [rad/s] of the spring between hand and body: it gives 16 mm to a weight
constexpr double kReach = 1.01;        // of the body's radius: what lies further off is not on it
constexpr double kMostStretch = 20.0;  // of the body's radius: a hand that is further off pulls no more
constexpr double kPullStep = 0.15;  // the most of it in one step, or the spring explodes

Vector3d toVector(const std::array<double, 3>& x) { return {x[0], x[1], x[2]}; }

std::vector<PageSlider> listSliders(const Scene& scene) {
  std::vector<PageSlider> sliders;
  for (const SceneParameter& parameter : scene.parameters) {
    if (!std::isfinite(parameter.min) || !std::isfinite(parameter.max)) continue;
    std::string title = parameter.description.empty() ? parameter.name : parameter.description;
    if (!parameter.unit.empty()) title += fmt::format(" [{}]", parameter.unit);
    sliders.push_back({parameter.name, title, parameter.value, parameter.min, parameter.max});
  }
  return sliders;
}

}  // namespace

LiveSession::LiveSession(SceneReader read, std::string command, LiveSite& site, LiveOptions options)
    : read_(std::move(read)),
      command_(std::move(command)),
      site_(site),
      options_(std::move(options)) {
  scene_ = std::make_unique<Scene>(read_({}));
  const SceneRun trial(*scene_);  // throws what a run would
  showHeader();                   // a page may ask before the first run begins
}

const Scene& LiveSession::begin() {
  if (next_) scene_ = std::move(next_);
  seen_ = fileTimes();
  places_ = calcRecordedPlaces(scene_->world);
  pull_.reset();
  done_ = touched_ = wants_restart_ = single_step_ = false;
  message_.clear();
  must_show_ = true;
  clock_ = {};
  ahead_from_ = 0.0;
  ++run_;
  showHeader();
  return *scene_;
}

std::string LiveSession::command() const {
  std::string text = command_;
  for (const auto& [name, value] : sliders_) text += fmt::format(" --set {}={}", name, value);
  return text;
}

std::string LiveSession::note() const {
  return touched_ ? "touched: a body was pulled by hand, the run cannot be repeated" : "";
}

bool LiveSession::watch(SceneRun& run) {
  single_step_ = false;
  if (must_show_ || run.isDone() || paused_ || since_frame_.seconds() >= kFrameSeconds)
    showFrame(run);
  if (must_show_) showState(run);
  must_show_ = false;
  while (!interrupted && !wants_restart_) {
    lookAtFiles(run);
    obey(site_.takeCommands(), run);
    if (wants_restart_ || single_step_) break;
    if (!paused_) {
      const double ahead = secondsAhead(run.state().time);
      if (ahead < kNapSeconds) break;
      site_.waitForCommand(std::chrono::duration<double>(std::min(ahead, kLookSeconds)));
    } else {
      site_.waitForCommand(kPatience);
    }
  }
  giveInputs(run);
  return !wants_restart_;
}

bool LiveSession::waitForRestart(const SceneRun& run, const std::string& message) {
  done_ = true;
  message_ = message.empty() ? "the run is over, restart begins it again" : message;
  showFrame(run);
  showState(run);
  while (!interrupted && !wants_restart_) {
    lookAtFiles(run);
    obey(site_.takeCommands(), run);
    if (!wants_restart_) site_.waitForCommand(kPatience);
  }
  return wants_restart_;
}

// How far the run is ahead of the clock; a run that is behind starts counting anew.
double LiveSession::secondsAhead(double time) {
  if (!options_.real_time) return 0.0;
  const double ahead = time - ahead_from_ - clock_.seconds();
  if (ahead < -kLagSeconds) {
    clock_ = {};
    ahead_from_ = time;
  }
  return ahead;
}

void LiveSession::obey(const std::vector<ClientMessage>& commands, const SceneRun& run) {
  if (commands.empty()) return;
  using Type = ClientMessage::Type;
  SliderValues wanted = sliders_;
  for (const ClientMessage& command : commands) {
    switch (command.type) {
      case Type::pause:
        paused_ = true;
        showFrame(run);  // the moment it stands at, not the last one that was due
        break;
      case Type::resume:
        paused_ = false;
        wants_restart_ = done_;
        clock_ = {};
        ahead_from_ = run.state().time;
        break;
      case Type::step:
        paused_ = true;
        single_step_ = !done_;
        break;
      case Type::restart: wants_restart_ = true; break;
      case Type::set:
        if (mayBeSet(command)) wanted[command.name] = command.value;
        break;
      case Type::pull: pull(command); break;
      case Type::release: pull_.reset(); break;
    }
  }
  if (wanted != sliders_) readAgain(wanted);
  showState(run);
}

void LiveSession::pull(const ClientMessage& message) {
  if (!options_.keeps.empty()) {
    message_ = fmt::format("bodies cannot be pulled while the run goes into {}", options_.keeps);
    return;
  }
  if (message.body >= scene_->world.bodyCount() || done_) return;
  const Vector3d point = toVector(message.point);
  if (!(point.norm() <= kReach * scene_->world.body(message.body).radius())) return;
  pull_ = Pull{message.body, point, toVector(message.target)};
  if (touched_) return;
  touched_ = true;
  message_ = "touched: a body was pulled by hand";
}

// The next steps are pulled at, or no longer.
void LiveSession::giveInputs(SceneRun& run) {
  if (!touched_) return;
  Controller hand = nullptr;
  if (pull_) hand = [this](double, const State& at, StepInputs& inputs) { addPull(at, inputs); };
  run.setController(std::move(hand));
}

// A spring from the hand to the point of the body, damped so that it does not swing.
void LiveSession::addPull(const State& state, StepInputs& inputs) const {
  const InertialState at = scene_->world.calcBodyState(pull_->body, state);
  const Vector3d arm = at.toWorld(pull_->point);
  const Vector3d velocity = at.velocity + at.omega.cross(arm);
  const double rate = std::min(kPullRate, kPullStep / scene_->dt);
  const double mass = scene_->world.body(pull_->body).mass().mass;
  Vector3d stretch = pull_->target - at.position - arm;
  const double most = kMostStretch * scene_->world.body(pull_->body).radius();
  if (stretch.stableNorm() > most) stretch *= most / stretch.stableNorm();
  const Vector3d force = mass * rate * (rate * stretch - 2.0 * velocity);
  inputs.bodies.push_back({.body = pull_->body, .force = force, .torque = arm.cross(force)});
}

// Only what the page has a slider for, and within its range.
bool LiveSession::mayBeSet(const ClientMessage& message) {
  const std::vector<PageSlider> sliders = listSliders(*scene_);
  const auto found = std::ranges::find(sliders, message.name, &PageSlider::name);
  if (found == sliders.end()) {
    message_ = fmt::format("'{}' is no parameter with a range: it stays as it is", message.name);
    return false;
  }
  if (message.value >= found->min && message.value <= found->max) return true;
  message_ = fmt::format("{} = {} lies outside {} to {}: it stays as it is", message.name,
                         message.value, found->min, found->max);
  return false;
}

// Reads the scene with these sliders, as far as it still has them; a scene that is wrong is told,
// and the old run goes on.
void LiveSession::readAgain(const SliderValues& wanted) {
  try {
    auto scene = std::make_unique<Scene>(read_({}));
    SliderValues kept;
    std::vector<SceneOverride> overrides;
    for (const PageSlider& slider : listSliders(*scene)) {
      const auto found = wanted.find(slider.name);
      if (found == wanted.end() || found->second < slider.min || found->second > slider.max)
        continue;
      kept.insert(*found);
      overrides.push_back({slider.name, fmt::format("{}", found->second)});
    }
    if (!overrides.empty()) *scene = read_(overrides);
    const SceneRun trial(*scene);
    next_ = std::move(scene);
    sliders_ = std::move(kept);
    problem_.clear();
    wants_restart_ = true;
  } catch (const std::exception& error) {
    problem_ = fmt::format("the scene cannot be read, the old one goes on: {}", error.what());
  }
}

void LiveSession::lookAtFiles(const SceneRun& run) {
  if (since_look_.seconds() < kLookSeconds) return;
  since_look_ = {};
  auto times = fileTimes();
  if (times == seen_ || times.size() < seen_.size())
    return;  // fewer: a file is just being replaced
  seen_ = std::move(times);
  readAgain(sliders_);
  showState(run);
}

std::map<std::string, std::filesystem::file_time_type> LiveSession::fileTimes() const {
  std::map<std::string, std::filesystem::file_time_type> times;
  for (const SourceText& source : scene_->sources) {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(source.name(), error);
    if (!error) times.emplace(source.name(), time);
  }
  return times;
}

void LiveSession::showHeader() {
  const RecordingHeader header = makeRecordingHeader(*scene_, "cornet " CORNET_VERSION, command());
  track_count_ = header.trackCount();
  const PageStatus status{.live = true, .run = run_, .sliders = listSliders(*scene_)};
  site_.publish(Channel::header,
                R"({"type": "header", "header": )" + makePageHeader(header, status) + "}");
}

void LiveSession::showFrame(const SceneRun& run) {
  copyFrame(run.moment(), places_, track_count_, frame_);
  site_.publish(Channel::frame, makePageFrame(run.totals().steps, frame_));
  since_frame_ = {};
}

void LiveSession::showState(const SceneRun& run) {
  const Json state = {{"type", "state"},          {"running", !paused_ && !done_},
                      {"time", run.state().time}, {"message", message_},
                      {"problem", problem_},      {"touched", touched_}};
  site_.publish(Channel::state, state.dumpLine());
}

}  // namespace cornet::app
