#pragma once

#include <filesystem>
#include <string>

#include "cornet/io/recording/recording_reader.h"

/// A recording inside the viewer's page: one HTML file that opens by itself
/// (docs/formats/page_data.md).
namespace cornet::app {

inline constexpr std::size_t kReportBytes = 1'900'000;  // small enough for a letter

struct Report {
  std::string html;
  int frames = 0;            // that it shows
  int all_frames = 0;        // of the recording
  int damaged = 0;           // frames it would show and cannot, as they cannot be read
  std::string problem = {};  // of the recording, these frames among them; empty: none
};

/// As many frames as fit into `most_bytes`, evenly spread, at least two; rounded when they are not
/// all. Frames that cannot be read are left out.
Report makeReport(const RecordingReader& reader, std::string_view whole_page,
                  std::size_t most_bytes = kReportBytes);

/// Makes the report and writes it; says what it holds. Throws FileError when it cannot be written,
/// and then leaves an older one as it was, or the program has no page.
std::string writeReport(const RecordingReader& reader, const std::filesystem::path& file);

}  // namespace cornet::app
