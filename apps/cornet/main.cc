#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "bench/export.h"
#include "collide_report.h"
#include "commands.h"
#include "cones/cone_export.h"
#ifdef CORNET_WITH_ECOS
#include "cornet/solvers/ecos/use_ecos.h"
#endif
#include "exit_code.h"
#include "recording/recording_messages.h"
#include "scene/scene_messages.h"
#include "solve_report.h"

namespace {

using namespace cornet::app;

#ifdef CORNET_WITH_ECOS
constexpr const char* kVersion = "cornet " CORNET_VERSION ", with ECOS (GPL-3)";
void addBackends() { cornet::useEcos(); }
#else
constexpr const char* kVersion = "cornet " CORNET_VERSION;
void addBackends() {}
#endif

// How the program was called, as a person would type it elsewhere: without the folders of this machine.
std::string calledAs(int argc, char** argv) {
  std::string command = "cornet";
  for (int k = 1; k < argc; ++k) {
    std::string word = argv[k];
    if (const auto at = word.find('/'); at == 0 || (at != word.npos && word[at - 1] == '=')) {
      word = word.substr(0, at) + std::filesystem::path(word.substr(at)).filename().string();
    }
    const bool plain = word.find_first_of(" \t\n\"'$&;|<>*?()[]{}\\") == word.npos && !word.empty();
    command += plain ? " " + word : " '" + word + "'";
  }
  return command;
}

// A machine reads the answer, so it gets one even when nothing could be done.
bool wantsJson(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    if (std::string_view(argv[k]).starts_with("--json")) return true;
  }
  return false;
}

// The verb decides which kind of object that is.
std::string failureAnswer(int argc, char** argv, const std::string& text) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "bench") return benchFailureJson(text);
  if (verb == "collide") return collideFailureJson("", text);
  if (verb == "run") return sceneFailureJson("cornet.run/1", "", text);
  if (verb == "info") return infoFailureJson("", text);
  if (verb == "check") return checkFailureJson(text);
  return verb == "cones" ? conesFailureJson(text) : failureJson(text);
}

int fail(int argc, char** argv, int code, const std::string& text) {
  if (wantsJson(argc, argv)) fmt::print("{}\n", failureAnswer(argc, argv, text));
  fmt::print(stderr, "cornet: error: {}\n", text);
  return code;
}

// A result that did not arrive is no result.
int checkOutput(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  fmt::print(stderr, "cornet: error: the output could not be written (disk full, pipe closed?)\n");
  return kFileProblem;
}

}  // namespace

int main(int argc, char** argv) {
  addBackends();
  CommandLine line("cornet",
                   "Contact dynamics with exact Coulomb friction and a certificate on every step.\n"
                   "Start with: cornet demo",
                   "Exit codes: 0 done, 1 internal fault, 2 usage, 3 input invalid, "
                   "4 accuracy not reached,\n            5 file problem, 6 a check of a scene failed, "
                   "130 interrupted",
                   kVersion);
  const Verb program = line.program();
  std::map<std::string, Command> commands;
  commands["run"] = addRun(program, calledAs(argc, argv));
  commands["view"] = addView(program, calledAs(argc, argv));
  commands["report"] = addReport(program);
  commands["info"] = addInfo(program);
  commands["convert"] = addConvert(program);
  commands["check"] = addCheck(program);
  commands["new"] = addNew(program);
  commands["explain"] = addExplain(program);
  commands["solve"] = addSolve(program);
  commands["demo"] = addDemo(program, argv[0]);
  commands["bench"] = addBench(program);
  commands["cones"] = addCones(program);
  commands["collide"] = addCollide(program);

  try {
    const std::optional<std::string> verb = line.parse(argc, argv);
    if (!verb) return kDone;  // --help, --version
    if (verb->empty()) {
      return fail(argc, argv, kUsage,
                  "what to do? cornet demo, cornet run, cornet view, cornet report, cornet info, cornet convert, cornet check, cornet new, "
                  "cornet explain, cornet solve, cornet bench, cornet cones, cornet collide (see: cornet --help)");
    }
    return checkOutput(commands.at(*verb)());
  } catch (const UsageError& error) {
    return fail(argc, argv, kUsage, std::string(error.what()) + " (see: cornet --help)");
  } catch (const std::exception& error) {
    return fail(argc, argv, kInternalFault, error.what());
  }
}
