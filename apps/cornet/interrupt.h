#pragma once

#include <atomic>

namespace cornet::app {

/// Set by the first interrupt after catchInterrupts(); whatever takes long looks at it.
extern std::atomic<bool> interrupted;

/// The first interrupt (Ctrl-C) sets `interrupted`, the second ends the program at once.
void catchInterrupts();

}  // namespace cornet::app
