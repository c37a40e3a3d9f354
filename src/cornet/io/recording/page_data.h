#pragma once

#include <span>
#include <string>

#include "cornet/io/recording/recording_reader.h"

/// What the viewer's page is given, recorded or live: a header (JSON), the series for its plots and frames (binary,
/// little-endian):
///
///   series   "CSER" u32 version, u32 frames, u32 columns = 20, then f64[frames] column after column: time, kinetic,
///            potential, dissipated, work, certificate, step_size, rejections, contacts, sticking, iterations, unsolved,
///            inaccurate, closure, new_overlap, unexplained, momentum, energy_gain, worst_measure, worst_body
///   frame    "CFRM" u32 version, u32 index, u32 bodies, u32 contacts, u32 flags (1: solved, 2: accurate), u32 joints,
///            f64[20] the same numbers; a body f32[13]: pose, velocity; a joint f32[11]: position, rate, error, force[3],
///            torque[3], effort, power; a contact 17 words: i32 a, b, f32 point[3], normal[3], mu, impulse[3], slip[3],
///            u32 state, f32 residual
///
/// Frames of a live run come from copyFrame().
namespace cornet {

inline constexpr std::uint32_t kPageVersion = 2;

/// A parameter that can be changed while one looks on.
struct PageSlider {
  std::string name, title;
  double value = 0.0, min = 0.0, max = 0.0;
};

/// What the page shows beside the header of the recording.
struct PageStatus {
  int frame_count = 0;
  bool live = false;
  std::string problem = {};                // what could not be read
  std::string note = {};                   // what else one should know: frames that were left out
  int run = 0;                             // live: counts how often it was begun
  std::vector<PageSlider> sliders = {};    // live
  std::vector<NamedText> summary = {};     // what came out, for a table
};

std::string makePageHeader(const RecordingHeader& header, const PageStatus& status);
std::string makePageHeader(const RecordingReader& reader);

std::string makePageSeries(std::span<const FrameNumbers> frames);

std::string makePageFrame(int index, const RecordedFrame& frame);

/// Appends a frame as it stands among others: its size as u32, then its bytes.
void addSizedFrame(const std::string& frame, std::string& bytes);

}  // namespace cornet
