#include "view/client_message.h"

#include <cmath>
#include <limits>
#include <map>

#include <nlohmann/json.hpp>

namespace cornet::app {
namespace {

using Json = nlohmann::json;

constexpr double kFarthest = 1e6;  // [m] that a hand can pull

const std::map<std::string, ClientMessage::Type> kTypes = {
    {"pause", ClientMessage::Type::pause},    {"resume", ClientMessage::Type::resume},
    {"step", ClientMessage::Type::step},      {"restart", ClientMessage::Type::restart},
    {"set", ClientMessage::Type::set},        {"pull", ClientMessage::Type::pull},
    {"release", ClientMessage::Type::release}};

bool readNumber(const Json& json, const char* key, double& value) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return false;
  value = found->get<double>();
  return std::isfinite(value);
}

bool readText(const Json& json, const char* key, std::string& text) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return false;
  text = found->get<std::string>();
  return true;
}

bool readPoint(const Json& json, const char* key, std::array<double, 3>& point) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array() || found->size() != 3) return false;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(*found)[k].is_number()) return false;
    point[k] = (*found)[k].get<double>();
    if (!(std::abs(point[k]) <= kFarthest)) return false;
  }
  return true;
}

bool readPull(const Json& json, ClientMessage& message) {
  double body = -1.0;
  if (!readNumber(json, "body", body) || body != std::floor(body)) return false;
  if (body < 0.0 || body > std::numeric_limits<int>::max()) return false;
  message.body = static_cast<int>(body);
  return readPoint(json, "point", message.point) && readPoint(json, "target", message.target);
}

}  // namespace

std::optional<ClientMessage> parseClientMessage(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  std::string word;
  if (!json.is_object() || !readText(json, "type", word)) return std::nullopt;
  const auto type = kTypes.find(word);
  if (type == kTypes.end()) return std::nullopt;
  ClientMessage message;
  message.type = type->second;
  bool is_good = true;
  if (message.type == ClientMessage::Type::set) {
    is_good = readText(json, "name", message.name) && readNumber(json, "value", message.value);
  } else if (message.type == ClientMessage::Type::pull) {
    is_good = readPull(json, message);
  }
  return is_good ? std::optional(message) : std::nullopt;
}

}  // namespace cornet::app
