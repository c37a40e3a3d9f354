#include "cornet/body/mujoco/model_source.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "cornet/body/mujoco/model_error.h"

namespace cornet {
namespace {

constexpr std::array<std::string_view, 60> kNumeric{
    "pos", "quat", "axis", "range", "size", "mass", "diaginertia", "fullinertia", "friction", "damping", "stiffness", "armature",
    "frictionloss", "ctrlrange", "forcerange", "actuatorfrcrange", "gear", "kp", "kv", "kd", "euler", "axisangle", "xyaxes", "zaxis",
    "fromto", "ref", "springref", "margin", "gap", "qpos", "qvel", "ctrl", "gravity", "timestep", "density", "gainprm", "biasprm",
    "dynprm", "polycoef", "relpose", "anchor", "coef", "scale", "mpos", "mquat", "xyz", "rpy", "value", "lower", "upper", "effort",
    "velocity", "ixx", "ixy", "ixz", "iyy", "iyz", "izz", "radius", "length"};
constexpr std::array<std::string_view, 8> kNotNegative{"friction", "damping", "stiffness", "armature", "frictionloss", "mass", "density", "timestep"};
constexpr std::array<std::string_view, 5> kRanges{"range", "ctrlrange", "forcerange", "actrange", "actuatorfrcrange"};

std::vector<double> readNumbers(const std::string& text) {
  std::vector<double> numbers;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    char* end = nullptr;
    const double number = std::strtod(word.c_str(), &end);
    if (end != word.c_str() + word.size()) return {};
    numbers.push_back(number);
  }
  return numbers;
}

std::string trim(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

bool isIn(std::span<const std::string_view> list, std::string_view word) { return std::ranges::find(list, word) != list.end(); }

constexpr const char* kHelp = "MuJoCo's XML reference says what is expected";

// Text with its place: where one is in it, and at which line.
struct Cursor {
  const std::string& text;
  std::size_t at = 0;
  int line = 1;

  bool ends() const { return at >= text.size(); }
  bool isAt(std::string_view word) const { return text.compare(at, word.size(), word) == 0; }
  void step(std::size_t count = 1) {
    for (; count > 0 && !ends(); --count) line += text[at++] == '\n';
  }
  // Past the next such word; false when there is none.
  bool skipPast(std::string_view word) {
    const std::size_t found = text.find(word, at);
    if (found == text.npos) return false;
    step(found + word.size() - at);
    return true;
  }
  void skipSpace() {
    while (!ends() && std::isspace(static_cast<unsigned char>(text[at]))) step();
  }
  std::string readName() {
    const std::size_t begin = at;
    while (!ends() && !std::isspace(static_cast<unsigned char>(text[at])) && std::string_view("=/>").find(text[at]) == std::string_view::npos) step();
    return text.substr(begin, at - begin);
  }
};

}  // namespace

const std::string* ModelElement::find(std::string_view attribute) const {
  for (const auto& [key, value] : attributes) {
    if (key == attribute) return &value;
  }
  return nullptr;
}

std::string ModelElement::title() const {
  const std::string* name = find("name");
  return name != nullptr ? fmt::format("<{} name=\"{}\">", tag, *name) : fmt::format("<{}>", tag);
}

ModelSource::ModelSource(const std::filesystem::path& file) { read(file, nullptr); }

void ModelSource::read(const std::filesystem::path& file, const ModelElement* include, int number) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream || std::filesystem::is_directory(file)) {
    const std::string what = fmt::format("file {} cannot be read", file.string());
    if (include != nullptr) refuseAt(*include, what, "names of included files are relative to the file of the model");
    throw ModelError(file.string(), 0, "the file cannot be read");
  }
  if (std::ranges::find(files_, file) != files_.end()) {
    if (include != nullptr) refuseAt(*include, fmt::format("file {} is included twice", file.string()), "include it once");
    return;
  }
  files_.push_back(file);
  scan(text.str(), static_cast<int>(files_.size()) - 1, number);
}

// Elements in their order; included files where they are included.
void ModelSource::scan(const std::string& text, int file, int include) {
  Cursor cursor{text};
  const auto broken = [&](const std::string& what, int line) {
    throw ModelError(files_[static_cast<std::size_t>(file)].string(), line, what, "the file must be XML");
  };
  bool any = false;
  std::vector<int> open{include};  // elements that have not ended
  while (cursor.skipPast("<")) {
    const int line = cursor.line;
    if (cursor.isAt("!--")) {
      if (!cursor.skipPast("-->")) broken("a comment does not end", line);
      continue;
    }
    if (cursor.isAt("/") && open.size() > 1) open.pop_back();
    if (cursor.isAt("?") || cursor.isAt("!") || cursor.isAt("/")) {
      if (!cursor.skipPast(">")) broken("a tag does not end", line);
      continue;
    }
    ModelElement element{cursor.readName(), file, line, {}, open.back()};
    for (cursor.skipSpace(); !cursor.ends() && !cursor.isAt(">") && !cursor.isAt("/>"); cursor.skipSpace()) {
      const std::string key = cursor.readName();
      cursor.skipSpace();
      const int begins = cursor.line;
      if (key.empty() || !cursor.isAt("=")) broken(fmt::format("{}: an attribute has no value", element.title()), begins);
      cursor.step();
      cursor.skipSpace();
      const std::string quote = cursor.ends() ? "" : text.substr(cursor.at, 1);
      if (quote != "\"" && quote != "'") broken(fmt::format("{}: the value of {} has no quotes", element.title(), key), begins);
      cursor.step();
      const std::size_t from = cursor.at;
      if (!cursor.skipPast(quote)) broken(fmt::format("{}: the value of {} does not end", element.title(), key), begins);
      element.attributes.emplace_back(key, text.substr(from, cursor.at - from - 1));
    }
    if (cursor.ends()) broken(fmt::format("{} does not end", element.title()), line);
    any = true;
    const auto number = static_cast<int>(elements_.size());
    if (cursor.isAt(">")) {
      open.push_back(number);
      const std::size_t from = cursor.at + 1;
      element.text = trim(text.substr(from, std::min(text.find('<', from), text.size()) - from));
    }
    elements_.push_back(element);
    const std::string* name = element.find("file");
    if (element.tag == "include" && name != nullptr) {
      const std::filesystem::path beside_model = files_.front().parent_path() / *name;
      const std::filesystem::path beside_this = files_[static_cast<std::size_t>(file)].parent_path() / *name;
      read(std::filesystem::exists(beside_model) ? beside_model : beside_this, &element, number);
    }
  }
  if (!any) broken("there is no element in it", 0);
}

void ModelSource::refuseAt(const ModelElement& element, const std::string& what, const std::string& help) const {
  throw ModelError(files_[static_cast<std::size_t>(element.file)].string(), element.line, element.title() + ": " + what, help);
}

void ModelSource::check() const {
  for (const ModelElement& element : elements_) {
    for (const auto& [key, value] : element.attributes) {
      if (!isIn(kNumeric, key)) continue;
      const std::vector<double> numbers = readNumbers(value);
      for (const double number : numbers) {
        if (!std::isnan(number)) continue;
        refuseAt(element, fmt::format("{}=\"{}\" is not a number", key, value), "write a finite number");
      }
      if (isIn(kNotNegative, key) && !numbers.empty() && numbers.front() < 0.0) {
        refuseAt(element, fmt::format("{} = {} is negative", key, numbers.front()), "write a number ≥ 0");
      }
      if (isIn(kRanges, key) && numbers.size() == 2 && numbers[0] > numbers[1]) {
        refuseAt(element, fmt::format("{} {} to {} is reversed", key, numbers[0], numbers[1]),
                 fmt::format("write {}=\"{} {}\"", key, numbers[1], numbers[0]));
      }
    }
    const std::string *lower = element.find("lower"), *upper = element.find("upper");
    if (element.tag == "limit" && lower != nullptr && upper != nullptr && std::atof(lower->c_str()) > std::atof(upper->c_str())) {
      refuseAt(element, fmt::format("limits {} to {} are reversed", *lower, *upper), "exchange lower and upper");
    }
  }
}

// The element that a message speaks of: by its line, by its name, by a file it names.
const ModelElement* ModelSource::findNamedIn(const std::string& message) const {
  const std::size_t at = message.find("line ");
  const int line = at == message.npos ? 0 : std::atoi(message.c_str() + at + 5);
  for (const ModelElement& element : elements_) {
    if (line > 0 && element.file == 0 && element.line == line) return &element;
  }
  for (std::size_t begin = message.find('\''); begin != message.npos; begin = message.find('\'', begin + 1)) {
    const std::size_t end = message.find('\'', begin + 1);
    if (end == message.npos) break;
    const std::string word = message.substr(begin + 1, end - begin - 1);
    for (const ModelElement& element : elements_) {
      for (const auto& [key, value] : element.attributes) {
        if (!value.empty() && (value == word || (key == "file" && word.ends_with(value)) || (key == "filename" && value.ends_with(word)))) {
          return &element;
        }
      }
    }
    begin = end;
  }
  return nullptr;
}

void ModelSource::refuse(const std::string& message) const {
  std::string text = message;
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  if (const ModelElement* element = findNamedIn(text)) refuseAt(*element, text, kHelp);
  throw ModelError(files_.front().string(), 0, text, kHelp);
}

}  // namespace cornet
