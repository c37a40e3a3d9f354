#pragma once

#include <algorithm>
#include <string>
#include <type_traits>

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>

#include "cornet/problem/constraint_rows.h"

namespace cornet::app {

/// Turns every option that visitOptions names into a flag: `max_seconds` becomes --max-seconds, and
/// --max_seconds is accepted too. Defaults are those the struct holds now.
template <class Options>
void addOptionFlags(CLI::App& verb, Options& options) {
  visitOptions(options, [&verb](const std::string& name, auto& field, const std::string& help) {
    std::string hyphenated = name;
    std::ranges::replace(hyphenated, '_', '-');
    const std::string flags =
        hyphenated == name ? "--" + name : "--" + hyphenated + ",--" + name;
    using Field = std::remove_reference_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, FrictionModel>) {
      const auto set = [&field](const std::string& word) {
        field = word == "convex" ? FrictionModel::convex : FrictionModel::coulomb;
      };
      verb.add_option_function<std::string>(flags, set, help)
          ->check(CLI::IsMember({"coulomb", "convex"}));
    } else {
      verb.add_option(flags, field, help)->capture_default_str();
    }
  });
}

}  // namespace cornet::app
