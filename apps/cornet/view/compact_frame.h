#pragma once

#include "cornet/io/recording/recording.h"

namespace cornet::app {

/// Makes a frame that packs well, for reports whose frames do not all fit: contacts that carry
/// nothing are left out, numbers are rounded to what can be seen, poses and forces to 1e-5 of them.
void compact(RecordedFrame& frame);

/// x with this many binary digits after the first one; what is not finite stays.
float roundTo(int digits, float x);

}  // namespace cornet::app
