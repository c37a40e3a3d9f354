#include "command_line.h"

#include <algorithm>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>

namespace cornet::app {

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::typeName(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::showDefault() {
  option_->capture_default_str();
  return *this;
}

Option& Option::needs(Option other) {
  option_->needs(other.option_);
  return *this;
}

Option& Option::oneValueEach() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::range(int low, int high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Option& Option::range(double low, double high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Option& Option::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Option& Option::oneOf(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

std::size_t Option::count() const { return option_->count(); }

std::string Option::name() const { return option_->get_name(); }

Verb Verb::addVerb(const std::string& name, const std::string& help) {
  return Verb(app_->add_subcommand(name, help));
}

void Verb::requireOneVerb() { app_->require_subcommand(1); }

Option Verb::addOption(const std::string& names, std::string& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Verb::addOption(const std::string& names, std::vector<std::string>& values, const std::string& help) {
  return Option(app_->add_option(names, values, help));
}

Option Verb::addOption(const std::string& names, double& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Verb::addOption(const std::string& names, int& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Verb::addOption(const std::string& names, bool& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Verb::addChoice(const std::string& names, const std::vector<std::string>& words,
                       std::function<void(std::size_t)> set, const std::string& help) {
  const auto take = [words, set = std::move(set)](const std::string& word) {
    set(static_cast<std::size_t>(std::ranges::find(words, word) - words.begin()));
  };
  return Option(app_->add_option_function<std::string>(names, take, help)).oneOf(words);
}

Option Verb::addFlag(const std::string& names, bool& value, const std::string& help) {
  return Option(app_->add_flag(names, value, help));
}

bool Verb::has(const std::string& name) const { return app_->get_option_no_throw(name) != nullptr; }

std::size_t Verb::count(const std::string& name) const { return app_->get_option(name)->count(); }

std::vector<Option> Verb::options() const {
  std::vector<Option> list;
  for (CLI::Option* option : app_->get_options()) list.emplace_back(option);
  return list;
}

CommandLine::CommandLine(const std::string& name, const std::string& help, const std::string& footer,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(help, name)) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(0, 1);
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

Verb CommandLine::program() { return Verb(app_.get()); }

std::optional<std::string> CommandLine::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& request) {
    app_->exit(request);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  const std::vector<CLI::App*> given = app_->get_subcommands();
  return given.empty() ? "" : given.front()->get_name();
}

}  // namespace cornet::app
