#include "cornet/io/recording/recording.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cornet/world/state.h"

namespace cornet {

const char* nameOf(RecordedShapeType type) {
  constexpr std::array kNames = {"sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "half_space", "bowl", "mesh"};
  return kNames[static_cast<std::size_t>(type)];
}

int RecordingHeader::movingCount() const {
  return static_cast<int>(std::ranges::count(bodies, RecordedMotion::moves, &RecordedBody::motion));
}

int RecordingHeader::trackCount() const {
  return static_cast<int>(bodies.size() - std::ranges::count(bodies, RecordedMotion::fixed, &RecordedBody::motion));
}

namespace {

// The certificate's largest measure in units of its bound; what is not a number is beyond every bound.
double calcWorstShare(const FrameNumbers& frame, const StepBounds& bounds) {
  StepCertificate certificate;
  const std::array values = {frame.closure, frame.new_overlap, frame.unexplained, frame.momentum, frame.energy_gain};
  for (std::size_t k = 0; k < values.size(); ++k) certificate.worst[k].value = values[k];
  return certificate.calcWorstShare(bounds);
}

std::int32_t addSafely(std::int32_t a, std::int32_t b) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(std::int64_t{a} + b, Limits::min(), Limits::max()));
}

}  // namespace

void gather(const FrameNumbers& frame, const StepBounds& bounds, FrameNumbers& since) {
  const FrameNumbers before = since;
  since = frame;
  if (calcWorstShare(before, bounds) > calcWorstShare(frame, bounds)) {
    since.worst_measure = before.worst_measure;
    since.worst_body = before.worst_body;
  }
  for (const auto field : {&FrameNumbers::certificate, &FrameNumbers::velocity_error, &FrameNumbers::closure,
                           &FrameNumbers::new_overlap, &FrameNumbers::unexplained, &FrameNumbers::momentum,
                           &FrameNumbers::energy_gain, &FrameNumbers::error}) {
    since.*field = frame.*field <= before.*field ? before.*field : frame.*field;  // NaN stays
    if (std::isnan(before.*field)) since.*field = before.*field;
  }
  for (const auto field : {&FrameNumbers::rejections, &FrameNumbers::iterations, &FrameNumbers::unsolved,
                           &FrameNumbers::inaccurate, &FrameNumbers::forced}) {
    since.*field = addSafely(before.*field, frame.*field);
  }
  since.parts = std::max(before.parts, frame.parts);
}

std::uint64_t calcStateHash(const RecordedFrame& frame, int moving_count) {
  std::vector<InertialState> bodies;
  for (int i = 0; i < moving_count; ++i) {
    const auto& [x, y, z, qw, qx, qy, qz] = frame.tracks[static_cast<std::size_t>(i)].pose;
    const auto& [vx, vy, vz, wx, wy, wz] = frame.tracks[static_cast<std::size_t>(i)].velocity;
    bodies.push_back({{x, y, z}, {qw, qx, qy, qz}, {vx, vy, vz}, {wx, wy, wz}});
  }
  return hashOf(State(frame.numbers.time, bodies));
}

std::string findProblem(const RecordingHeader& header, const RecordedFrame& frame) {
  const auto isBad = [](double x) { return !std::isfinite(x); };
  const auto allFinite = [&](const auto& numbers) { return std::ranges::none_of(numbers, isBad); };
  std::string found;
  visitNumbers(frame.numbers, [&](const char* name, const auto& value) {
    if (found.empty() && isBad(static_cast<double>(value))) found = fmt::format("{} is {}", name, value);
  });
  for (std::size_t i = 0; i < frame.tracks.size() && found.empty(); ++i) {
    visitTrack(frame.tracks[i], [&](const char* name, const auto& values) {
      if (found.empty() && !allFinite(values)) {
        found = fmt::format("{} of body '{}' is not finite", name, header.bodies[i].name);
      }
    });
  }
  for (std::size_t j = 0; j < frame.joints.size() && found.empty(); ++j) {
    const RecordedJointState& joint = frame.joints[j];
    const bool fine = allFinite(std::array{joint.position, joint.rate, joint.error, joint.effort, joint.power}) &&
                      allFinite(joint.force) && allFinite(joint.torque);
    if (!fine) found = fmt::format("a number of joint '{}' is not finite", header.joints[j].name);
  }
  for (std::size_t k = 0; k < frame.contacts.size() && found.empty(); ++k) {
    const RecordedContact& c = frame.contacts[k];
    const bool fine = allFinite(c.point) && allFinite(c.normal) && allFinite(c.impulse) && allFinite(c.slip) &&
                      !std::isnan(c.mu) && std::isfinite(c.residual);
    if (!fine) found = fmt::format("a number of contact {} is not finite", k);
  }
  for (const RecordedWaypoint& waypoint : frame.waypoints) {
    const bool fine = allFinite(waypoint.track.pose) && allFinite(waypoint.track.velocity);
    if (found.empty() && !fine) {
      found = fmt::format("a waypoint of body '{}' is not finite", header.bodies[static_cast<std::size_t>(waypoint.body)].name);
    }
  }
  return found;
}

}  // namespace cornet
