#pragma once

#include <string>
#include <vector>

#include "cornet/io/recording/page_data.h"

/// A recording as the page is told of it. Private to the viewer.
namespace cornet::app {

/// What is wrong with a recording and what came out of it.
struct RecordingDigest {
  std::string problem;             // empty: nothing is wrong
  std::vector<NamedText> summary;  // certificate, energies, provenance of the last state
};
RecordingDigest digest(const RecordingReader& reader);

/// Some frames in place of all. Numbers of frames that are left out stay in those after them: the
/// worst certificate, sums of iterations, rejections and steps not solved.
struct ThinnedFrames {
  std::vector<int>
      index;  // of the frames that are kept: the first, the last, evenly spread ones between
  std::vector<FrameNumbers> numbers;
};
/// At most `count` frames, at least two.
ThinnedFrames thinFrames(const std::vector<FrameNumbers>& numbers, int count);
/// These frames.
ThinnedFrames gatherFrames(const std::vector<FrameNumbers>& numbers, std::vector<int> index);

}  // namespace cornet::app
