#include "scene/scene_messages.h"

#include <cmath>

#include <fmt/format.h>

#include "cornet/io/format_error.h"
#include "exit_code.h"

namespace cornet::app {

Json messageJson(const std::string& level, const std::string& text) {
  return {{"level", level}, {"text", text}};
}

Json messagesJson(const std::string& text, const std::vector<Finding>& findings) {
  Json messages = Json::array();
  for (const Finding& finding : findings) {
    Json message = messageJson("error", finding.what);
    message["file"] = finding.file;
    message["line"] = finding.place.line;
    message["column"] = finding.place.column;
    message["help"] = finding.help;
    messages.push_back(std::move(message));
  }
  if (findings.empty()) messages.push_back(messageJson("error", text));
  return messages;
}

std::string dumpJson(const Json& json) {
  return json.dump();
}

std::string sceneFailureJson(const std::string& schema, const std::string& scene, const std::string& text,
                             const std::vector<Finding>& findings) {
  return dumpJson({{"schema", schema},
                   {"ok", false},
                   {"scene", scene},
                   {"messages", messagesJson(text, findings)}});
}

std::string checkFailureJson(const std::string& text) {
  return dumpJson({{"schema", "cornet.check/1"},
                   {"ok", false},
                   {"scenes", Json::array()},
                   {"messages", messagesJson(text, {})}});
}

int guardScene(const std::string& schema, const std::string& scene, bool json,
               const std::function<int()>& work) {
  const auto refuse = [&](const std::exception& error, ExitCode code,
                          const std::vector<Finding>& findings = {}) {
    if (json) fmt::print("{}\n", sceneFailureJson(schema, scene, error.what(), findings));
    fmt::print(stderr, "{}{}\n", findings.empty() ? "cornet: error: " : "", error.what());
    return static_cast<int>(code);
  };
  try {
    return work();
  } catch (const FindingsError& error) {
    return refuse(error, kInputInvalid, error.findings());
  } catch (const std::invalid_argument& error) {  // what the simulator refuses
    return refuse(error, kInputInvalid);
  } catch (const FileError& error) {
    return refuse(error, kFileProblem);
  }
}

}  // namespace cornet::app
