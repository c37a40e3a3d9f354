#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.h"
#include "cornet/io/format_error.h"
#include "cornet/io/toml/findings.h"
#include "exit_code.h"
#include "resources.h"

namespace cornet::app {
namespace {

namespace fs = std::filesystem;

struct NewArguments {
  std::string name;
  std::string from = "ramp";
};

std::vector<std::string> findTemplates() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(findScenes() / "templates")) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

int runNew(const NewArguments& arguments) {
  const std::vector<std::string> known = findTemplates();
  if (std::ranges::find(known, arguments.from) == known.end()) {
    throw UsageError("--template", fmt::format("there is no template \"{}\"; known: {}",
                                                         arguments.from, fmt::join(known, ", ")));
  }
  fs::path file = arguments.name;
  if (file.extension() != ".toml") file += ".toml";
  if (fs::exists(file)) throw FileError(file, "exists already and is left alone");
  const SourceText content = SourceText::read(findScenes() / "templates" / (arguments.from + ".toml"));
  std::ofstream stream(file, std::ios::binary);
  stream << content.text();
  stream.close();
  if (!stream) throw FileError(file, "cannot be written");
  fmt::print("{} is a scene; run it with: cornet run {}\n", file.string(), file.string());
  return kDone;
}

}  // namespace

Command addNew(Verb program) {
  auto arguments = std::make_shared<NewArguments>();
  Verb verb = program.addVerb("new", "Write a scene file to begin with");
  verb.addOption("name", arguments->name, "name of the file").required().typeName("NAME");
  verb.addOption("--template", arguments->from, "what to begin with: ramp, stack, pile, slide")
      .showDefault();
  return [arguments]() -> int {
    try {
      return runNew(*arguments);
    } catch (const FileError& error) {
      fmt::print(stderr, "cornet: error: {}\n", error.what());
      return kFileProblem;
    }
  };
}

}  // namespace cornet::app
