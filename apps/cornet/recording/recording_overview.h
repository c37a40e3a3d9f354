#pragma once

#include <string>

#include "cornet/io/recording/recording_reader.h"

/// What `cornet info` says about a recording (docs/formats/recording.md).
namespace cornet::app {

std::string overviewText(const std::string& file, const RecordingReader& reader);
std::string overviewJson(const std::string& file, const RecordingReader& reader);

}  // namespace cornet::app
