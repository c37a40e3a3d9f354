#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// The command line: verbs and their options, read by CLI11. Its headers take seconds to compile, so
/// command_line.cc alone includes them.
namespace cornet::app {

/// The command line asks for what there is not; `subject` is the flag or verb.
struct UsageError : std::runtime_error {
  UsageError(const std::string& subject, const std::string& text)
      : std::runtime_error(subject + ": " + text) {}
  explicit UsageError(const std::string& text) : std::runtime_error(text) {}
};

/// An option, flag or argument of a verb, which owns it.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  /// What stands for the value in the help.
  Option& typeName(const std::string& name);
  /// The help tells the value that the variable holds now.
  Option& showDefault();
  Option& needs(Option other);
  /// One value each time it is given.
  Option& oneValueEach();

  Option& range(int low, int high);
  Option& range(double low, double high);
  Option& positive();
  Option& oneOf(const std::vector<std::string>& words);

  /// How often it was given.
  std::size_t count() const;
  std::string name() const;

 private:
  CLI::Option* option_;
};

/// A verb, or the program itself, which owns its verbs.
class Verb {
 public:
  Verb() = default;
  explicit Verb(CLI::App* app) : app_(app) {}

  Verb addVerb(const std::string& name, const std::string& help);
  void requireOneVerb();

  /// Variables must live until the command line is read. `names`: "file" is an argument, "-o,--output" an option.
  Option addOption(const std::string& names, std::string& value, const std::string& help);
  Option addOption(const std::string& names, std::vector<std::string>& values, const std::string& help);
  Option addOption(const std::string& names, double& value, const std::string& help);
  Option addOption(const std::string& names, int& value, const std::string& help);
  Option addOption(const std::string& names, bool& value, const std::string& help);
  /// One of these words; `set` gets its place among them.
  Option addChoice(const std::string& names, const std::vector<std::string>& words,
                   std::function<void(std::size_t)> set, const std::string& help);
  Option addFlag(const std::string& names, bool& value, const std::string& help);

  /// By one of its names.
  bool has(const std::string& name) const;
  /// How often an option that there is was given.
  std::size_t count(const std::string& name) const;
  /// All options, as they were added.
  std::vector<Option> options() const;

 private:
  CLI::App* app_ = nullptr;
};

/// The program's command line.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& help, const std::string& footer,
              const std::string& version);
  ~CommandLine();

  Verb program();

  /// The verb that was given, empty if there is none. Nothing if help or the version was asked for, and printed.
  /// Throws UsageError.
  std::optional<std::string> parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace cornet::app
