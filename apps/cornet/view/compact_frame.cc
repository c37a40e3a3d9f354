#include "view/compact_frame.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace cornet::app {
namespace {

constexpr int kMantissa = 23;  // binary digits of a float after the first one
// The page calls a force outside of its cone from 1e-4 on.
constexpr int kForceDigits = 16;
constexpr int kPoseDigits = 17;
constexpr int kVelocityDigits = 12;
constexpr int kPointDigits = 15;
constexpr int kSlipDigits = 10;
constexpr int kResidualDigits = 6;

template <class Numbers>
void roundAll(int digits, Numbers& numbers) {
  for (auto& x : numbers) x = roundTo(digits, static_cast<float>(x));
}

bool carriesNothing(const RecordedContact& contact) {
  return contact.state == static_cast<std::uint8_t>(ContactState::open) &&
         contact.impulse == Numbers3{0, 0, 0};
}

}  // namespace

float roundTo(int digits, float x) {
  if (!std::isfinite(x)) return x;
  const int spare = kMantissa - digits;
  const std::uint32_t half = 1u << (spare - 1);
  const std::uint32_t rounded = ((std::bit_cast<std::uint32_t>(x) + half) >> spare) << spare;
  const auto y = std::bit_cast<float>(rounded);
  return std::isfinite(y) ? y : x;  // the largest ones have nowhere to go
}

void compact(RecordedFrame& frame) {
  std::erase_if(frame.contacts, carriesNothing);
  for (RecordedTrack& track : frame.tracks) {
    roundAll(kPoseDigits, track.pose);
    roundAll(kVelocityDigits, track.velocity);
  }
  for (RecordedContact& contact : frame.contacts) {
    roundAll(kPointDigits, contact.point);
    roundAll(kForceDigits, contact.normal);
    roundAll(kForceDigits, contact.impulse);
    roundAll(kSlipDigits, contact.slip);
    contact.residual = roundTo(kResidualDigits, contact.residual);
  }
}

}  // namespace cornet::app
