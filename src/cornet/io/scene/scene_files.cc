#include "cornet/io/scene/scene_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cornet/io/format_error.h"
#include "cornet/io/scene/formulas.h"
#include "cornet/io/toml/suggestion.h"

namespace cornet {
namespace {

namespace fs = std::filesystem;

fs::path nameOfFile(const std::string& name) { return fs::path(name).lexically_normal(); }

// Values given beside a file stand nowhere in it.
void moveBeside(TomlValue& value) {
  value.place = {0, 1};
  for (TomlValue& item : value.items) moveBeside(item);
  for (TomlEntry& entry : value.entries) {
    entry.place = {0, 1};
    moveBeside(entry.value);
  }
}

// Numbers that people write and TOML does not: ".001", "1.", "007".
void readNumber(const std::string& text, TomlValue& value) {
  double number = 0.0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || !std::isfinite(number)) return;
  value.kind = TomlValue::Kind::number;
  value.number = number;
}

TomlValue parseValue(const std::string& text) {
  TomlValue value;
  try {
    TomlValue table = parseToml(SourceText("", "value = " + text));
    if (table.entries.size() == 1) value = std::move(table.entries.front().value);
  } catch (const FindingsError&) {
    value.kind = TomlValue::Kind::string;
    value.string = text;
    readNumber(text, value);
  }
  moveBeside(value);
  return value;
}

void set(TomlValue& table, const std::string& key, TomlValue value) {
  const auto entry = std::ranges::find(table.entries, key, &TomlEntry::key);
  if (entry != table.entries.end()) {
    entry->value = std::move(value);
  } else {
    table.entries.push_back({key, {0, 1}, std::move(value)});
  }
}

bool isNamed(const TomlValue& item, std::string_view name) {
  const TomlEntry* entry = item.find("name");
  return entry && entry->value.kind == TomlValue::Kind::string && entry->value.string == name;
}

// The table that a part of a dotted key leads to; null when there is none.
TomlValue* descend(TomlValue& value, const std::string& part) {
  if (value.kind == TomlValue::Kind::array) {
    const auto item = std::ranges::find_if(value.items, [&](const TomlValue& x) { return isNamed(x, part); });
    return item == value.items.end() ? nullptr : &*item;
  }
  if (value.kind != TomlValue::Kind::table) return nullptr;
  const auto entry = std::ranges::find(value.entries, part, &TomlEntry::key);
  if (entry != value.entries.end()) return &entry->value;
  return nullptr;
}

constexpr std::array kTopKeys = {"title", "description", "duration", "dt", "seed", "gravity", "long",
                                "overlap", "start"};

}  // namespace

SceneFile::SceneFile(SourceText source)
    : content(std::move(source)), folder(fs::path(content.source().name()).parent_path()) {}

SceneFiles::SceneFiles(SourceText main, const std::vector<SceneOverride>& overrides) {
  std::vector<fs::path> chain;
  load(std::move(main), chain);
  for (const SceneOverride& item : overrides) apply(item);
  readParameters();
  for (SceneFile& file : files_) evaluateFormulas(file.content.content(), variables_, file.content);
}

void SceneFiles::load(SourceText source, std::vector<fs::path>& chain) {
  chain.push_back(nameOfFile(source.name()));
  loaded_.push_back(chain.back());
  std::list<SceneFile> own;
  own.emplace_back(std::move(source));
  own.front().content.root().requireVersion(1);
  include(own.front(), chain);
  files_.splice(files_.end(), own);
  chain.pop_back();
}

void SceneFiles::include(SceneFile& file, std::vector<fs::path>& chain) {
  TableReader root = file.content.root();
  if (!root.has("include")) return;
  for (const std::string& name : root.strings("include")) {
    const fs::path path = nameOfFile((file.folder / name).string());
    if (const auto first = std::ranges::find(chain, path); first != chain.end()) {
      std::vector<std::string> names;
      for (auto it = first; it != chain.end(); ++it) names.push_back(it->filename().string());
      names.push_back(path.filename().string());
      root.refuse("include", fmt::format("files include each other: {}", fmt::join(names, " -> ")),
                  "take one of them out");
      continue;
    }
    if (std::ranges::find(loaded_, path) != loaded_.end()) continue;
    try {
      load(SourceText::read(path), chain);
    } catch (const FindingsError& error) {
      chain.pop_back();
      unreadable_.push_back(error);
    } catch (const FileError& error) {
      root.refuse("include", error.what(), "names are relative to the file that includes");
    }
  }
}

// ---- values given beside the file

bool SceneFiles::setParameter(const SceneOverride& item) {
  for (SceneFile& file : files_) {
    TomlValue* list = descend(file.content.content(), "parameter");
    TomlValue* parameter = list ? descend(*list, item.key) : nullptr;
    if (!parameter) continue;
    set(*parameter, "default", parseValue(item.value));
    return true;
  }
  return false;
}

void SceneFiles::apply(const SceneOverride& item) {
  if (setParameter(item)) return;
  TomlFile& content = main().content;
  TomlValue* table = &content.content();
  std::string_view rest = item.key;
  for (auto dot = rest.find('.'); dot != rest.npos; dot = rest.find('.')) {
    const std::string part(rest.substr(0, dot));
    rest.remove_prefix(dot + 1);
    const bool is_options = part == "simulator" && table == &content.content();
    if (is_options && !descend(*table, part)) set(*table, part, TomlValue{});
    table = descend(*table, part);
    if (table) continue;
    return content.add({0, 1}, fmt::format("--set {}: there is no \"{}\"", item.key, part),
                       "expected the name of a parameter, a key such as simulator.tolerance, or a key of "
                       "a named entry such as body.NAME.mass");
  }
  const std::string key(rest);
  const bool is_top = table == &content.content();
  const bool is_known = !is_top || std::ranges::find(kTopKeys, key) != kTopKeys.end();
  if (table->kind != TomlValue::Kind::table || !is_known) return refuseKey(item);
  set(*table, key, parseValue(item.value));
}

void SceneFiles::refuseKey(const SceneOverride& item) {
  std::vector<std::string> known(kTopKeys.begin(), kTopKeys.end());
  for (SceneFile& file : files_) {
    TomlValue* list = descend(file.content.content(), "parameter");
    if (!list) continue;
    for (const TomlValue& parameter : list->items) {
      if (const TomlEntry* name = parameter.find("name")) known.push_back(name->value.string);
    }
  }
  const std::string near = suggest(item.key, known);
  main().content.add({0, 1}, fmt::format("--set {}: there is no parameter or key of this name", item.key),
                     near.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                                  : fmt::format("did you mean \"{}\"?", near));
}

// ---- parameters

void SceneFiles::readParameters() {
  for (SceneFile& file : files_) {
    TomlValue* list = descend(file.content.content(), "parameter");
    std::vector<TableReader> tables = file.content.root().tables("parameter");
    if (!list || tables.size() != list->items.size()) continue;
    for (std::size_t k = 0; k < tables.size(); ++k) readParameter(file, tables[k], list->items[k]);
  }
}

void SceneFiles::readParameter(SceneFile& file, TableReader table, TomlValue& value) {
  evaluateFormulas(value, variables_, file.content);  // earlier parameters may occur in it
  SceneParameter parameter;
  const int before = table.faults();
  parameter.name = table.string("name");
  parameter.min = table.number("min", {}, parameter.min);
  parameter.max = table.number("max", {}, parameter.max);
  parameter.value = table.number("default", Limits::between(parameter.min, parameter.max));
  parameter.unit = table.string("unit", "");
  parameter.description = table.string("description", "");
  if (table.faults() > before) {
    variables_.emplace(parameter.name, 1.0);  // known all the same
    return;
  }
  if (!isFormulaName(parameter.name)) {
    table.refuse("name", fmt::format("\"{}\" cannot stand in a formula", parameter.name),
                 "expected letters, digits and _, other than t, pi, deg");
  } else if (!variables_.emplace(parameter.name, parameter.value).second) {
    table.refuse("name", fmt::format("parameter \"{}\" exists twice", parameter.name), "names are unique");
  }
  parameters_.push_back(std::move(parameter));
}

void SceneFiles::check() {
  std::vector<FindingsError> errors = std::move(unreadable_);
  for (SceneFile& file : files_) {
    try {
      file.content.check();
    } catch (const FindingsError& error) {
      errors.push_back(error);
    }
  }
  if (!errors.empty()) throw FindingsError(errors);
}

}  // namespace cornet
