#pragma once

#include <cstdint>

namespace cornet {

/// What a contact does at the end of a step.
enum class ContactState : std::uint8_t { open, stick, slip };

}  // namespace cornet
