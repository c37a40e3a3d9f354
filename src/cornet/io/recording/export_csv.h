#pragma once

#include <filesystem>

#include "cornet/io/recording/recording_reader.h"

namespace cornet {

/// A recording as three tables in a folder, which is made if need be: `series.csv` (a line a frame), `bodies.csv` (a line
/// a frame and body that moves) and `contacts.csv` (a line a frame and contact). Every `every`th frame. Numbers read
/// back to the same bits. Frames that cannot be read are left out; returns how many. Throws FileError when a file cannot be
/// written; older tables are then as they were.
int exportCsv(const RecordingReader& reader, int every, const std::filesystem::path& folder);

}  // namespace cornet
