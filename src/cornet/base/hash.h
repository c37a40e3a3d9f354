#pragma once

#include <cstdint>
#include <span>

namespace cornet {

/// A 64-bit number for a sequence of numbers: the same sequence gives the same number on every
/// machine, different ones almost surely different numbers. Not for adversaries.
class Hash {
 public:
  Hash& add(std::uint64_t word) {
    // The finaliser of splitmix64 after a multiplicative step.
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15ull;
    state_ ^= state_ >> 30;
    state_ *= 0xBF58476D1CE4E5B9ull;
    state_ ^= state_ >> 27;
    return *this;
  }
  Hash& add(std::span<const int> words) {
    add(words.size());
    for (const int word : words) add(static_cast<std::uint64_t>(word));
    return *this;
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x243F6A8885A308D3ull;
};

}  // namespace cornet
