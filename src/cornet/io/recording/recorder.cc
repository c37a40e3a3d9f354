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
#include "cornet/world/constraint_error.h"

namespace cornet {
namespace {

constexpr double kFlushSeconds = 0.25;            // between flushes: with one under way at most half a second is lost
constexpr std::size_t kBatchBytes = 4u << 20;     // of frames that are appended together
constexpr std::chrono::milliseconds kPatience{100};

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

void copyContact(const ContactOutcome& contact, const std::vector<int>& places, RecordedContact& copy) {
  copy.bodies = {places[static_cast<std::size_t>(contact.a)], places[static_cast<std::size_t>(contact.b)]};
  copy.point = toFloats(contact.point);
  copy.normal = toFloats(contact.normal);
  copy.mu = static_cast<float>(contact.mu);
  copy.impulse = toFloats(contact.impulse);
  copy.slip = toFloats(contact.slip);
  copy.state = static_cast<std::uint8_t>(contact.state);
  copy.residual = static_cast<float>(contact.residual);
}

void copyJoint(const JointOutcome& joint, RecordedJointState& copy) {
  copy.position = joint.position;
  copy.rate = joint.rate;
  copy.error = joint.error;
  copy.force = {joint.force.x(), joint.force.y(), joint.force.z()};
  copy.torque = {joint.torque.x(), joint.torque.y(), joint.torque.z()};
  copy.effort = joint.effort;
  copy.power = joint.power;
}

// The certificate of the whole step.
void copyCertificate(const Moment& moment, const std::vector<int>& places, FrameNumbers& numbers) {
  const StepCertificate& whole = moment.last->certificate;
  numbers.closure = whole[StepMeasure::closure].value;
  numbers.new_overlap = whole[StepMeasure::overlap].value;
  numbers.unexplained = whole[StepMeasure::motion].value;
  numbers.momentum = whole[StepMeasure::momentum].value;
  numbers.energy_gain = whole[StepMeasure::energy].value;
  const StepMeasure worst = whole.worstMeasure(moment.bounds);
  const int body = whole[worst].body;
  numbers.worst_measure = whole[worst].value == 0.0 ? -1 : static_cast<std::int32_t>(worst);
  numbers.worst_body = body < 0 ? -1 : places[static_cast<std::size_t>(body)];
}

void copyNumbers(const Moment& moment, const std::vector<int>& places, FrameNumbers& numbers) {
  numbers = {};
  numbers.time = moment.state.time;
  numbers.kinetic = moment.last ? moment.last->energy().kinetic : moment.world.calcKinetic(moment.state);
  numbers.potential = moment.last ? moment.last->energy().potential : moment.world.calcPotential(moment.state);
  numbers.dissipated = moment.dissipated;
  numbers.work = moment.work;
  if (!moment.last) return;
  const StepReport& report = *moment.last;
  numbers.certificate = report.relative;
  numbers.velocity_error = report.velocity_error;
  numbers.step_size = moment.dt;
  numbers.contacts = report.contacts;
  numbers.sticking = report.sticking;
  numbers.iterations = report.iterations;
  numbers.unsolved = report.unsolved_islands > 0;
  numbers.inaccurate = !report.isAccurate();
  numbers.error = report.control.error;
  numbers.rejections = report.control.rejections;
  numbers.forced = report.control.is_forced;
  numbers.parts = std::max(report.control.dt > 0.0 ? 2 : 1, report.corrections.parts);  // two halves under error control
  copyCertificate(moment, places, numbers);
}

// Tracks, contacts, waypoints, joints and numbers; the hash is left to the thread that writes.
void copyMoment(const Moment& moment, const std::vector<int>& places, int track_count, RecordedFrame& frame) {
  const WorldModel& world = moment.world;
  copyNumbers(moment, places, frame.numbers);
  frame.tracks.resize(static_cast<std::size_t>(track_count));
  const BodyStates& state = moment.state;
  for (std::size_t i = 0; i < state.bodies.size(); ++i) copyTrack(state.bodies[i], frame.tracks[i]);
  for (int k = 0; track_count > world.bodyCount() && k < world.environmentCount(); ++k) {
    const int place = places[static_cast<std::size_t>(world.environmentBody(k))];
    if (place >= track_count) continue;
    copyTrack(world.calcSurroundings(k, state, state.time), frame.tracks[static_cast<std::size_t>(place)]);
  }
  frame.contacts.resize(moment.contacts.size());
  for (std::size_t k = 0; k < frame.contacts.size(); ++k) copyContact(moment.contacts[k], places, frame.contacts[k]);
  frame.waypoints.resize(moment.waypoints.size());
  for (std::size_t k = 0; k < frame.waypoints.size(); ++k) {
    frame.waypoints[k].body = places[static_cast<std::size_t>(moment.waypoints[k].body)];
    frame.waypoints[k].time = moment.waypoints[k].time;
    copyTrack(moment.waypoints[k].state, frame.waypoints[k].track);
  }
  frame.joints.assign(world.joints().size(), {});
  for (std::size_t j = 0; j < moment.joints.size(); ++j) copyJoint(moment.joints[j], frame.joints[j]);
  for (std::size_t j = 0; j < frame.joints.size() && moment.joints.empty(); ++j) {
    const ConstraintView joint(world, world.joints()[j].first, state);
    const JointReading reading = joint.calcReading();
    frame.joints[j].position = reading.position;
    frame.joints[j].rate = reading.rate;
  }
}

}  // namespace

void copyFrame(const Moment& moment, const std::vector<int>& places, int track_count, RecordedFrame& frame) {
  copyMoment(moment, places, track_count, frame);
  frame.numbers.state_hash = calcStateHash(frame, moment.world.bodyCount());
}

struct Recorder::Work {
  Work(const std::filesystem::path& the_file, const RecordingHeader& the_header, const WorldModel& the_world)
      : file(the_file), header(the_header), world(the_world), places(calcRecordedPlaces(the_world)),
        track_count(the_header.trackCount()) {}

  void writeAll(std::promise<void>& begun);
  void record(const Moment& moment);
  void rethrow() {
    if (has_failed) std::rethrow_exception(failure);
  }

  const std::filesystem::path file;
  const RecordingHeader header;
  const WorldModel& world;
  const std::vector<int> places;
  const int track_count;
  FrameQueue queue;
  FrameNumbers step, since;          // the last one; and with it those since the last frame
  double work = 0.0, dissipated = 0.0;
  std::uint64_t moments = 0;         // added so far,
  std::uint64_t recorded = 0;        //   of which up to this one frames tell
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
    FrameTableWriter frames(FrameShape(header), tables);
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

void Recorder::Work::record(const Moment& moment) {
  queue.push([&](RecordedFrame& frame) {
    copyMoment(moment, places, track_count, frame);
    frame.numbers = since;
    frame.numbers.work = work;
    frame.numbers.dissipated = dissipated;
  });
  since = {};
  recorded = moments;
  ++costs.frames;
}

void Recorder::add(const Moment& moment) {
  work_->rethrow();
  const Stopwatch clock;
  if (moment.last) {
    work_->work += moment.last->energy().work_in;
    work_->dissipated += moment.last->energy().dissipated;
  }
  copyNumbers(moment, work_->places, work_->step);
  gather(work_->step, moment.bounds, work_->since);
  ++work_->moments;
  if ((work_->moments - 1) % static_cast<std::uint64_t>(work_->header.record_every) == 0) work_->record(moment);
  work_->costs.copy_seconds += clock.seconds();
}

void Recorder::addLast(const Moment& moment) {
  work_->rethrow();
  if (work_->moments > work_->recorded) work_->record(moment);
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
