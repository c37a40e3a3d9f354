#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace cornet::app {

/// What answers to machines are made of. Written down as nlohmann::json is, by which the text is made; its
/// headers take seconds to compile, so json.cc alone includes them.
class Json {
 public:
  Json(std::nullptr_t = nullptr) {}
  Json(bool value) : kind_(Kind::boolean), integer_(value) {}
  template <std::signed_integral Integer>
  Json(Integer value) : kind_(Kind::integer), integer_(value) {}
  template <std::unsigned_integral Natural>
  Json(Natural value) : kind_(Kind::natural), natural_(value) {}
  Json(double value) : kind_(Kind::number), number_(value) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(std::string_view text);
  template <class Value>
  Json(const std::vector<Value>& values) : kind_(Kind::array), entries_(values.begin(), values.end()) {}
  /// An object when every entry is a list {"key", value}, else an array.
  Json(std::initializer_list<Json> entries);

  static Json array(std::initializer_list<Json> entries = {});
  static Json object();

  /// Of an array.
  void push_back(Json value);
  Json& back();
  /// Of an object: the value of a key, null if it is new. Keys keep their order.
  Json& operator[](std::string_view key);

  /// On lines indented by two blanks; whatever is not UTF-8 is replaced, a number that is not finite is null.
  std::string dump() const;
  /// On one line.
  std::string dumpLine() const;

 private:
  friend struct JsonWriter;
  enum class Kind : std::uint8_t { null, boolean, integer, natural, number, text, array, object };

  Kind kind_ = Kind::null;
  union {
    std::int64_t integer_ = 0;  // of a boolean too
    std::uint64_t natural_;
    double number_;
  };
  std::string text_;
  std::vector<Json> entries_;      // of an array; the values of an object
  std::vector<std::string> keys_;  // of an object
};

/// null for a number that is not finite, which JSON has not.
Json numberJson(double value);

}  // namespace cornet::app
