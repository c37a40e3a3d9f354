#include "recording/recording_messages.h"

#include <fmt/format.h>

#include "cornet/io/format_error.h"
#include "exit_code.h"
#include "scene/scene_messages.h"

namespace cornet::app {

std::string infoFailureJson(const std::string& file, const std::string& text) {
  return dumpJson({{"schema", "cornet.info/1"},
                   {"ok", false},
                   {"file", file},
                   {"messages", Json::array({messageJson("error", text)})}});
}

int guardRecording(const std::string& file, bool json, const std::function<int()>& work) {
  const auto refuse = [&](const std::exception& error, ExitCode code) {
    if (json) fmt::print("{}\n", infoFailureJson(file, error.what()));
    fmt::print(stderr, "cornet: error: {}\n", error.what());
    return static_cast<int>(code);
  };
  try {
    return work();
  } catch (const FileError& error) {
    return refuse(error, kFileProblem);
  } catch (const std::invalid_argument& error) {
    return refuse(error, kInputInvalid);
  } catch (const std::runtime_error& error) {  // FormatError, frames that are not finite
    return refuse(error, kInputInvalid);
  }
}

}  // namespace cornet::app
