#pragma once

#include <filesystem>
#include <list>
#include <memory>

#include "cornet/io/scene/scene.h"
#include "cornet/io/toml/table_reader.h"

/// A scene file with the files it includes, before anything is made of them: overrides are in place, and
/// every number that was written as a formula is a number.
namespace cornet {

struct SceneFile {
  explicit SceneFile(SourceText source);
  TomlFile content;
  std::filesystem::path folder;  // where the files it names are looked for
};

class SceneFiles {
 public:
  /// Throws FindingsError when the main file is not TOML. Whatever else is wrong waits for check().
  SceneFiles(SourceText main, const std::vector<SceneOverride>& overrides);

  /// Included files before those that include them; the main file is the last.
  std::list<SceneFile>& all() { return files_; }
  SceneFile& main() { return files_.back(); }
  const std::vector<SceneParameter>& parameters() const { return parameters_; }

  /// Throws FindingsError with the findings of all files. To be called when everything has been read.
  void check();

 private:
  void load(SourceText source, std::vector<std::filesystem::path>& chain);
  void include(SceneFile& file, std::vector<std::filesystem::path>& chain);
  void apply(const SceneOverride& item);
  void refuseKey(const SceneOverride& item);
  bool setParameter(const SceneOverride& item);
  void readParameters();
  void readParameter(SceneFile& file, TableReader table, TomlValue& value);

  std::list<SceneFile> files_;
  std::vector<std::filesystem::path> loaded_;
  std::vector<FindingsError> unreadable_;  // included files that are not TOML
  std::vector<SceneParameter> parameters_;
  Variables variables_;
};

}  // namespace cornet
