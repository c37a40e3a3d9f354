#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cornet/io/toml/suggestion.h"
#include "cornet/io/toml/table_reader.h"

namespace cornet {

void TomlFindings::add(SourcePlace place, std::string what, std::string help) {
  findings_.push_back({place, std::move(what), std::move(help)});
  ++count_;
}

void TomlFindings::addMissing(const TomlValue& table, std::string_view key, std::string help) {
  of(table).missing.emplace_back(key, std::move(help));
  ++count_;
}

void TomlFindings::finish(const TomlValue& table) {
  for (const TomlValue& item : table.items) finish(item);
  const auto found = asked_.find(&table);
  if (found == asked_.end()) return;
  Asked& asked = found->second;
  // What might be meant by a key that nobody asked for: those asked for that are not there.
  std::vector<std::string> absent;
  for (const std::string& key : asked.keys) {
    if (table.find(key) == nullptr) absent.push_back(key);
  }
  for (const TomlEntry& entry : table.entries) {
    if (std::ranges::find(asked.keys, entry.key) != asked.keys.end()) {
      finish(entry.value);
    } else if (!asked.rest_ignored) {
      const std::string near = suggest(entry.key, absent);
      // One mistake is one finding: a key that is only misspelt is not missing as well.
      std::erase_if(asked.missing, [&](const auto& missing) { return missing.first == near; });
      add(entry.place, fmt::format("unknown key \"{}\" in {}", entry.key, asked.name),
          near.empty() ? fmt::format("known here: {}", fmt::join(asked.keys, ", "))
                       : fmt::format("did you mean \"{}\"?", near));
    }
  }
  for (const auto& [key, help] : asked.missing) {
    add(table.place, fmt::format("{} has no \"{}\"", asked.name, key), help);
  }
}

TomlFile::TomlFile(SourceText source)
    : source_(std::move(source)),
      content_(std::make_unique<TomlValue>(parseToml(source_))),
      findings_(std::make_unique<TomlFindings>()) {}

void TomlFile::check() {
  findings_->finish(*content_);
  if (std::vector<Finding> findings = findings_->take(); !findings.empty()) {
    throw FindingsError(source_, std::move(findings));
  }
}

}  // namespace cornet
