#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "commands.h"
#include "cones/cone_export.h"
#include "cornet/io/format_error.h"
#include "exit_code.h"
#include "problem_files.h"

namespace cornet::app {
namespace {

namespace fs = std::filesystem;

struct ConesArguments {
  ConeStudyOptions study;
  std::string output;  // folder for cones.csv and cones.svg
  bool json = false;
};

int runCones(const ConesArguments& arguments) {
  std::vector<ConeModelStudy> models;
  try {
    if (!arguments.output.empty()) makeWritableFolder(arguments.output);
    models = studyCones(arguments.study);
    if (!arguments.output.empty()) {
      writeTextFile(fs::path(arguments.output) / "cones.csv", conesCsv(models));
      writeTextFile(fs::path(arguments.output) / "cones.svg", conesSvg(models, arguments.study));
    }
  } catch (const std::invalid_argument& error) {
    throw UsageError("cones", error.what());
  } catch (const FileError& error) {
    if (arguments.json) fmt::print("{}\n", conesFailureJson(error.what()));
    fmt::print(stderr, "cornet: error: {}\n", error.what());
    return kFileProblem;
  }
  fmt::print("{}\n", arguments.json ? conesJson(models, arguments.study)
                                    : conesTable(models, arguments.study));
  if (!arguments.output.empty() && !arguments.json) {
    fmt::print("written: {0}/cones.csv, {0}/cones.svg\n", arguments.output);
  } else if (!arguments.json) {
    fmt::print("--output DIR writes every heading (cones.csv) and a picture (cones.svg)\n");
  }
  return kDone;
}

}  // namespace

Command addCones(Verb program) {
  auto arguments = std::make_shared<ConesArguments>();
  Verb verb = program.addVerb(
      "cones", "Compare models of the friction cone with the exact law, heading by heading");
  verb.addOption("--mu", arguments->study.mu, "friction coefficient, 1e-6 to 50").showDefault();
  verb.addOption("--faces", arguments->study.faces, "corners of the polygon, even")
      .showDefault();
  verb.addOption("--headings", arguments->study.headings, "directions of slip")
      .showDefault()
      .range(1, 100'000);
  verb.addOption("--output", arguments->output, "write cones.csv and cones.svg into this folder")
      .typeName("DIR");
  verb.addFlag("--json", arguments->json, "print one JSON object (docs/formats/cones.md)");
  return [arguments] { return runCones(*arguments); };
}

}  // namespace cornet::app
