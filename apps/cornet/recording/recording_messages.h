#pragma once

#include <functional>
#include <string>

namespace cornet::app {

/// The object of `cornet info` when nothing could be read.
std::string infoFailureJson(const std::string& file, const std::string& text);

/// Runs `work`; what it throws about a recording becomes a message and an exit code. With `json`, also an object.
int guardRecording(const std::string& file, bool json, const std::function<int()>& work);

}  // namespace cornet::app
