#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "collide_report.h"
#include "commands.h"
#include "cornet/collision/narrow_phase.h"
#include "cornet/io/format_error.h"
#include "exit_code.h"

namespace cornet::app {
namespace {

struct CollideArguments {
  std::string file;
  int digits = 6;
  bool json = false;
};

CollideReport collide(const std::string& file) {
  CollideReport report;
  report.file = file;
  report.pair = readShapePair(file);
  const ShapePair& pair = report.pair;
  NarrowPhase narrow;
  narrow.collide(pair.a, pair.X_WA, pair.b, pair.X_WB, pair.options, report.contacts);
  report.closest = narrow.calcDistance(pair.a, pair.X_WA, pair.b, pair.X_WB);
  return report;
}

int refuse(const CollideArguments& arguments, const std::exception& error, ExitCode code,
           const std::vector<Finding>& findings = {}) {
  if (arguments.json) fmt::print("{}\n", collideFailureJson(arguments.file, error.what(), findings));
  fmt::print(stderr, "{}{}\n", findings.empty() ? "cornet: error: " : "", error.what());
  return code;
}

int runCollide(const CollideArguments& arguments) {
  try {
    const CollideReport report = collide(arguments.file);
    fmt::print("{}\n", arguments.json ? collideJson(report) : collideTable(report, arguments.digits));
    return kDone;
  } catch (const FindingsError& error) {
    return refuse(arguments, error, kInputInvalid, error.findings());
  } catch (const std::invalid_argument& error) {  // a pair of shapes without a routine
    return refuse(arguments, error, kInputInvalid);
  } catch (const FileError& error) {
    return refuse(arguments, error, kFileProblem);
  }
}

}  // namespace

Command addCollide(Verb program) {
  auto arguments = std::make_shared<CollideArguments>();
  Verb verb =
      program.addVerb("collide", "Print distance and contacts of two shapes from a TOML file");
  verb.addOption("file", arguments->file, "two shapes and their poses (docs/formats/collide.md)")
      .required()
      .typeName("FILE.toml");
  verb.addOption("--digits", arguments->digits, "significant digits; 17 tell every number apart")
      .showDefault()
      .range(1, 17);
  verb.addFlag("--json", arguments->json, "print one JSON object, all digits");
  return [arguments] { return runCollide(*arguments); };
}

}  // namespace cornet::app
