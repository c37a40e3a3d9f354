#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "command_line.h"
#include "cornet/sim/options.h"
#include "cornet/solvers/solver.h"

namespace cornet::app {

/// `max_seconds` as a flag: "--max-seconds,--max_seconds".
inline std::string flagNames(const std::string& name) {
  std::string hyphenated = name;
  std::ranges::replace(hyphenated, '_', '-');
  return hyphenated == name ? "--" + name : "--" + hyphenated + ",--" + name;
}

/// Turns every option that visitOptions names into a flag, unless the verb has it already. Defaults
/// are those the struct holds now.
template <class Options>
void addOptionFlags(Verb verb, Options& options) {
  visitOptions(options, [&verb](const std::string& name, auto& field, const std::string& help) {
    if (verb.has("--" + name)) return;
    using Field = std::remove_reference_t<decltype(field)>;
    if constexpr (std::is_enum_v<Field>) {
      const auto set = [&field](std::size_t place) { field = static_cast<Field>(place); };
      verb.addChoice(flagNames(name), wordsOf(Field{}), set, help);
    } else {
      verb.addOption(flagNames(name), field, help).showDefault();
    }
  });
}

/// Copies every option that both structs have and that was given on the command line.
template <class From, class To>
void copyGivenOptions(Verb verb, From& from, To& to) {
  visitOptions(to, [&](const std::string& name, auto& target, const std::string&) {
    if (verb.count("--" + name) == 0) return;
    visitOptions(from, [&](const std::string& other, auto& source, const std::string&) {
      using Same = std::is_same<decltype(source), decltype(target)>;
      if constexpr (Same::value) {
        if (name == other) target = source;
      }
    });
  });
}

/// Names of all options of a struct.
template <class Options>
std::vector<std::string> optionNames(Options& options) {
  std::vector<std::string> names;
  visitOptions(options, [&](const std::string& name, auto&, const std::string&) {
    names.push_back(name);
  });
  return names;
}

}  // namespace cornet::app
