#include "json.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace cornet::app {

Json::Json(std::string_view text) : kind_(Kind::text), text_(text) {}

Json::Json(std::initializer_list<Json> entries) {
  const bool is_object = std::ranges::all_of(entries, [](const Json& entry) {
    return entry.kind_ == Kind::array && entry.entries_.size() == 2 && entry.entries_[0].kind_ == Kind::text;
  });
  if (!is_object) {
    *this = array(entries);
    return;
  }
  kind_ = Kind::object;
  for (const Json& entry : entries) (*this)[entry.entries_[0].text_] = entry.entries_[1];
}

Json Json::array(std::initializer_list<Json> entries) {
  Json json;
  json.kind_ = Kind::array;
  json.entries_ = entries;
  return json;
}

Json Json::object() {
  Json json;
  json.kind_ = Kind::object;
  return json;
}

void Json::push_back(Json value) { entries_.push_back(std::move(value)); }

Json& Json::back() { return entries_.back(); }

Json& Json::operator[](std::string_view key) {
  const auto found = std::ranges::find(keys_, key);
  if (found != keys_.end()) return entries_[static_cast<std::size_t>(found - keys_.begin())];
  keys_.emplace_back(key);
  return entries_.emplace_back();
}

struct JsonWriter {
  using Text = nlohmann::ordered_json;

  static Text convert(const Json& json) {
    switch (json.kind_) {
      case Json::Kind::null: return nullptr;
      case Json::Kind::boolean: return json.integer_ != 0;
      case Json::Kind::integer: return json.integer_;
      case Json::Kind::natural: return json.natural_;
      case Json::Kind::number: return json.number_;
      case Json::Kind::text: return json.text_;
      case Json::Kind::array: break;
      case Json::Kind::object: return convertObject(json);
    }
    Text list = Text::array();
    for (const Json& entry : json.entries_) list.push_back(convert(entry));
    return list;
  }

  static Text convertObject(const Json& json) {
    Text object = Text::object();
    for (std::size_t k = 0; k < json.keys_.size(); ++k) object[json.keys_[k]] = convert(json.entries_[k]);
    return object;
  }

  static std::string dump(const Json& json, int indent) {
    return convert(json).dump(indent, ' ', false, Text::error_handler_t::replace);
  }
};

std::string Json::dump() const { return JsonWriter::dump(*this, 2); }

std::string Json::dumpLine() const { return JsonWriter::dump(*this, -1); }

Json numberJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace cornet::app
