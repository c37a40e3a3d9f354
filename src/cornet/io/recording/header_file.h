#pragma once

#include "cornet/io/hdf5_tables.h"
#include "cornet/io/recording/recording.h"

/// The header in the file: all datasets that do not grow. Private to the recording.
namespace cornet {

inline constexpr int kRecordingVersion = 2;
inline constexpr const char* kRecordingFormat = "cornet recording";

void writeHeader(const RecordingHeader& header, Hdf5TableWriter& file);

/// Throws FormatError for a file that is no recording, of a newer version, or whose numbers contradict each other.
RecordingHeader readHeader(const Hdf5TableReader& file);

}  // namespace cornet
