#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The text of a model, through its includes: which element stands where. The library says what is wrong, mostly without saying where;
/// and it takes some mistakes in silence, which are found here: reversed ranges, negative friction, numbers that are none.
namespace cornet {

struct ModelElement {
  std::string tag;
  int file = 0;  // of ModelSource::files()
  int line = 0;
  std::vector<std::pair<std::string, std::string>> attributes;
  int parent = -1;        // of ModelSource::elements(); an include is the parent of what it brings
  std::string text = {};  // before the first element in it

  /// The value of an attribute, or nullptr.
  const std::string* find(std::string_view attribute) const;
  /// <joint name="thumb">
  std::string title() const;
};

class ModelSource {
 public:
  /// Throws ModelError when a file or an include cannot be read or is no XML.
  explicit ModelSource(const std::filesystem::path& file);

  const std::vector<std::filesystem::path>& files() const { return files_; }
  const std::vector<ModelElement>& elements() const { return elements_; }

  /// Throws ModelError for what the library would take in silence.
  void check() const;
  /// What the library said as a ModelError, with the place of the element that it names.
  [[noreturn]] void refuse(const std::string& message) const;
  /// Throws ModelError with the place of an element.
  [[noreturn]] void refuseAt(const ModelElement& element, const std::string& what, const std::string& help) const;

 private:
  void read(const std::filesystem::path& file, const ModelElement* include, int number = -1);
  void scan(const std::string& text, int file, int include);
  const ModelElement* findNamedIn(const std::string& message) const;

  std::vector<std::filesystem::path> files_;
  std::vector<ModelElement> elements_;
};

}  // namespace cornet
