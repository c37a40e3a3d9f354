#include "cornet/io/recording/recorder.h"

#include <atomic>
#include <exception>
#include <future>
#include <thread>

#include "cornet/base/stopwatch.h"
#include "cornet/io/recording/frame_queue.h"
#include "cornet/io/recording/frame_tables.h"
#include "cornet/io/recording/header_file.h"
#include "cornet/io/recording/make_header.h"

namespace cornet {
namespace {

constexpr double kFlushSeconds = 0.25;            // between flushes: with one under way at most half a second is lost
constexpr std::size_t kBatchBytes = 4u << 20;     // of frames that are appended together
constexpr std::chrono::milliseconds kPatience{100};
constexpr double kInside = 1e-9;                  // of the cone's radius: contacts that stick, as StepReport counts them

Numbers3 toFloats(const Vector3d& x) {
  return {static_cast<float>(x.x()), static_cast<float>(x.y()), static_cast<float>(x.z())};
}

void copyTrack(const InertialState& body, RecordedTrack& track) {
  const Vector3d& p = body.position;
  const Quaterniond& q = body.orientation;
  track.pose = {p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z()};
  track.velocity = {body.velocity.x(), body.velocity.y(), body.velocity.z(),
                    body.omega.x(),    body.omega.y(),    body.omega.z()};
}

void copyContact(const StepContact& contact, const std::vector<int>& places, RecordedContact& copy) {
  const Vector3d& n = contact.kick_normal;
  copy.bodies = {places[static_cast<std::size_t>(contact.a)], places[static_cast<std::size_t>(contact.b)]};
  copy.point = toFloats(contact.point);
  copy.normal = toFloats(n);
  copy.mu = static_cast<float>(contact.mu);
  copy.impulse = toFloats(contact.impulse);
  copy.slip = toFloats(contact.u_after - contact.u_after.dot(n) * n);
  const ContactState state = !contact.carries()        ? ContactState::open
                             : contact.sticks(kInside) ? ContactState::stick
                                                       : ContactState::slip;
  copy.state = static_cast<std::uint8_t>(state);
  copy.residual = static_cast<float>(contact.residual);
}

void copyNumbers(const SceneRun& run, const WorldModel& world, FrameNumbers& numbers) {
  const RunTotals& totals = run.totals();
  const StepReport& report = run.report();
  const bool stepped = totals.steps > 0;
  numbers = {};
  numbers.time = run.state().time;
  numbers.kinetic = stepped ? report.energy.kinetic : world.calcKinetic(run.state());
  numbers.potential = stepped ? report.energy.potential : world.calcPotential(run.state());
  numbers.dissipated = totals.dissipated;
  numbers.work = totals.work;
  numbers.certificate = report.relative;
  numbers.velocity_error = report.velocity_error;
  numbers.step_size = run.lastStepSize();
  numbers.contacts = report.contacts;
  numbers.sticking = report.sticking;
  numbers.iterations = report.iterations;
  numbers.unsolved = report.unsolved_islands > 0;
}

// Tracks, contacts and numbers; the hash is left to the thread that writes.
void copyMoment(const SceneRun& run, const WorldModel& world, const std::vector<int>& places, int track_count,
                RecordedFrame& frame) {
  copyNumbers(run, world, frame.numbers);
  frame.tracks.resize(static_cast<std::size_t>(track_count));
  const State& state = run.state();
  for (std::size_t i = 0; i < state.bodies.size(); ++i) copyTrack(state.bodies[i], frame.tracks[i]);
  for (int k = 0; track_count > world.bodyCount() && k < world.environmentCount(); ++k) {
    const int place = places[static_cast<std::size_t>(world.environmentBody(k))];
    if (place >= track_count) continue;
    copyTrack(world.environment(k).calcState(state.time), frame.tracks[static_cast<std::size_t>(place)]);
  }
  frame.contacts.clear();
  if (run.totals().steps == 0) return;
  const std::vector<StepContact>& contacts = run.simulator().contacts();
  frame.contacts.resize(contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) copyContact(contacts[k], places, frame.contacts[k]);
}

}  // namespace

void copyFrame(const SceneRun& run, const WorldModel& world, const std::vector<int>& places, int track_count,
               RecordedFrame& frame) {
  copyMoment(run, world, places, track_count, frame);
  frame.numbers.state_hash = calcStateHash(frame, world.bodyCount());
}

struct Recorder::Work {
  Work(const std::filesystem::path& the_file, const RecordingHeader& the_header, const WorldModel& the_world)
      : file(the_file), header(the_header), world(the_world), places(calcRecordedPlaces(the_world)),
        track_count(the_header.trackCount()) {}

  void writeAll(std::promise<void>& begun);
  void record(const SceneRun& run);
  void rethrow() {
    if (has_failed) std::rethrow_exception(failure);
  }

  const std::filesystem::path file;
  const RecordingHeader header;
  const WorldModel& world;
  const std::vector<int> places;
  const int track_count;
  FrameQueue queue;
  FrameNumbers since;  // of steps that were left out
  int steps = 0;       // of the run at the last frame
  RecorderCosts costs;
  std::exception_ptr failure;  // set before has_failed
  std::atomic<bool> has_failed = false;
  std::thread thread;
};

// The only function that touches the file.
void Recorder::Work::writeAll(std::promise<void>& begun) {
  bool has_begun = false;
  try {
    Hdf5TableWriter tables(file);
    writeHeader(header, tables);
    FrameTableWriter frames(track_count, tables);
    tables.startAppending();
    begun.set_value();
    has_begun = true;
    RecordedFrame copy;
    const auto take = [&](const RecordedFrame& frame) {
      copy = frame;
      copy.numbers.state_hash = calcStateHash(frame, world.bodyCount());
      frames.add(copy);
      if (frames.pendingBytes() > kBatchBytes) frames.write();
    };
    Stopwatch since_flush;
    bool is_first = true;
    while (queue.drain(kPatience, take)) {
      if (!is_first && since_flush.seconds() < kFlushSeconds) continue;
      frames.write();
      tables.flush();
      since_flush = {};
      is_first = false;
    }
    frames.write();
    tables.close();
  } catch (...) {
    failure = std::current_exception();
    has_failed = true;
    queue.abandon();
    if (!has_begun) begun.set_value();
  }
}

Recorder::Recorder(const std::filesystem::path& file, const RecordingHeader& header, const WorldModel& world)
    : work_(std::make_unique<Work>(file, header, world)) {
  std::promise<void> begun;
  work_->thread = std::thread([this, &begun] { work_->writeAll(begun); });
  begun.get_future().wait();
  if (!work_->has_failed) return;
  work_->thread.join();
  work_->rethrow();
}

Recorder::~Recorder() {
  if (!work_->thread.joinable()) return;
  work_->queue.close();
  work_->thread.join();
}

void Recorder::Work::record(const SceneRun& run) {
  queue.push([&](RecordedFrame& frame) {
    copyMoment(run, world, places, track_count, frame);
    frame.numbers.certificate = since.certificate;
    frame.numbers.velocity_error = since.velocity_error;
    frame.numbers.iterations = since.iterations;
    frame.numbers.unsolved = since.unsolved;
  });
  since = {};
  steps = run.totals().steps;
  ++costs.frames;
}

void Recorder::add(const SceneRun& run) {
  work_->rethrow();
  const Stopwatch clock;
  const StepReport& report = run.report();
  FrameNumbers& since = work_->since;
  since.certificate = std::max(since.certificate, report.relative);
  since.velocity_error = std::max(since.velocity_error, report.velocity_error);
  since.iterations += report.iterations;
  since.unsolved += report.unsolved_islands > 0;
  if (run.totals().steps % work_->header.record_every == 0 || run.isDone()) work_->record(run);
  work_->costs.copy_seconds += clock.seconds();
}

void Recorder::addLast(const SceneRun& run) {
  work_->rethrow();
  if (work_->costs.frames > 0 && run.totals().steps != work_->steps) work_->record(run);
}

void Recorder::finish() {
  if (work_->thread.joinable()) {
    work_->queue.close();
    work_->thread.join();
  }
  work_->rethrow();
}

RecorderCosts Recorder::costs() const {
  RecorderCosts costs = work_->costs;
  costs.waits = work_->queue.waits();
  costs.wait_seconds = work_->queue.waitSeconds();
  return costs;
}

}  // namespace cornet
