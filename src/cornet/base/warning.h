#pragma once

#include <string_view>

namespace cornet {

/// What the library has to say when a result is not what was asked for and the caller goes on: a
/// line on stderr, unless another handler is set. Handlers may be called from any thread.
using WarningHandler = void (*)(std::string_view text);

/// Sets the handler and returns the one before; nullptr silences all warnings.
WarningHandler setWarningHandler(WarningHandler handler);

void warn(std::string_view text);

}  // namespace cornet
