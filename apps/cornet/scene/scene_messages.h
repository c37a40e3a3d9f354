#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cornet/io/toml/findings.h"
#include "json.h"

/// What verbs that read scenes say when something is wrong.
namespace cornet::app {

/// {"level", "text"}, and for findings "file", "line", "column", "help".
Json messageJson(const std::string& level, const std::string& text);
Json messagesJson(const std::string& text, const std::vector<Finding>& findings);

/// The text; whatever is not UTF-8 in it is replaced.
std::string dumpJson(const Json& json);

/// The object of a scene that was refused; without findings the text is the message.
std::string sceneFailureJson(const std::string& schema, const std::string& scene, const std::string& text,
                             const std::vector<Finding>& findings = {});

/// The object of `cornet check` when nothing could be checked.
std::string checkFailureJson(const std::string& text);

/// Runs `work`; what it throws about a scene becomes a message and an exit code.
int guardScene(const std::string& schema, const std::string& scene, bool json,
               const std::function<int()>& work);

}  // namespace cornet::app
