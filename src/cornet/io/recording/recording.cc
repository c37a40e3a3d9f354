#include "cornet/io/recording/recording.h"

#include <algorithm>
#include <cmath>

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

std::uint64_t calcStateHash(const RecordedFrame& frame, int moving_count) {
  State state;
  state.time = frame.numbers.time;
  for (int i = 0; i < moving_count; ++i) {
    const auto& [x, y, z, qw, qx, qy, qz] = frame.tracks[static_cast<std::size_t>(i)].pose;
    const auto& [vx, vy, vz, wx, wy, wz] = frame.tracks[static_cast<std::size_t>(i)].velocity;
    state.bodies.push_back({{x, y, z}, {qw, qx, qy, qz}, {vx, vy, vz}, {wx, wy, wz}});
  }
  return hashOf(state);
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
  for (std::size_t k = 0; k < frame.contacts.size() && found.empty(); ++k) {
    const RecordedContact& c = frame.contacts[k];
    const bool fine = allFinite(c.point) && allFinite(c.normal) && allFinite(c.impulse) && allFinite(c.slip) &&
                      !std::isnan(c.mu) && std::isfinite(c.residual);
    if (!fine) found = fmt::format("a number of contact {} is not finite", k);
  }
  return found;
}

}  // namespace cornet
