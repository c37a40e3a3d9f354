#pragma once

#include "cornet/io/recording/recording_reader.h"
#include "view/web_site.h"

namespace cornet::app {

/// Serves a recording: header and series, and frames when they are asked for. What cannot be read
/// is told in the header and left out.
class RecordingSite final : public WebSite {
 public:
  static constexpr int kMostFrames = 256;  // of one request

  /// The reader must outlive the site.
  explicit RecordingSite(const RecordingReader& reader);

  WebAnswer get(const std::string& path) override;
  /// What is wrong with the recording, empty: nothing.
  const std::string& problem() const { return problem_; }

 private:
  WebAnswer frames(int from, int to) const;

  const RecordingReader& reader_;
  std::string problem_;
  std::string header_, series_;
};

}  // namespace cornet::app
