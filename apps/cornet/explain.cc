#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include "commands.h"
#include "exit_code.h"

namespace cornet::app {
namespace {

struct Topic {
  std::string_view code;
  std::string_view summary;
  std::string_view text;
};

constexpr std::array kTopics = {
    Topic{"0", "done", "Everything that was asked for was done, to the tolerance that was asked for."},
    Topic{"1", "internal fault", "A mistake in Cornet. Please report the command and the file."},
    Topic{"2", "usage", "The command line was not understood. See: cornet VERB --help"},
    Topic{"3", "input invalid", "A file was read but is wrong. Every mistake is named with its place."},
    Topic{"4", "accuracy not reached",
          "A problem missed its tolerance, or with --strict a step was inaccurate; or a body left the finite range.\n"
          "Try a smaller dt, or look at masses, overlaps and joints: cornet check SCENE"},
    Topic{"5", "file problem", "A file could not be opened, read or written."},
    Topic{"6", "check failed", "A scene ran to its end, but a value it claims did not come out. The table says which."},
    Topic{"130", "interrupted", "Ctrl-C. What was printed are the results so far."},
    Topic{"solved", "the certificate meets the tolerance",
          "The certificate is computed from the returned impulses alone: the solver has no say in it."},
    Topic{"inaccurate", "above a tolerance or bound",
          "Of a problem: the solver stopped above the tolerance; the best result by certificate is kept. Of a step: its\n"
          "laws missed their tolerance, or judged as a whole it exceeds a bound: error of joints and limits (closure), overlap it\n"
          "added, motion that velocities do not explain, momentum, energy. The summary of cornet run says which, where and when."},
    Topic{"max_iterations", "the budget ran out", "Of iterations or of time; the best result by certificate is kept."},
    Topic{"infeasible", "no solution exists", "The data contradict each other: a wall that closes, a joint that tears."},
    Topic{"numerical_error", "left the finite range", "Numbers became infinite on the way; look at masses and units."},
    Topic{"unsupported", "a law this solver does not honour", "Choose another with --solver."},
    Topic{"certificate", "the largest error of any contact",
          "As a velocity, divided by the speeds in the problem: 1e-8 means that at 1 m/s no contact slips, sinks\n"
          "or pulls wrongly by more than 10 nm/s."},
    Topic{"energy", "what a step gained",
          "Kinetic plus potential energy. Contacts never add any; loads and moving surroundings may."},
    Topic{"penetration", "how deep bodies are in each other",
          "The deepest of all contacts at the start of a step. Overlaps of a scene's start are taken back slowly."}};

int runExplain(const std::string& code) {
  if (code.empty()) {
    for (const Topic& topic : kTopics) fmt::print("{:<16} {}\n", topic.code, topic.summary);
    return kDone;
  }
  const auto topic = std::ranges::find(kTopics, code, &Topic::code);
  if (topic == kTopics.end()) {
    throw UsageError("explain", fmt::format("there is nothing about \"{}\" (see: cornet explain)", code));
  }
  fmt::print("{}: {}\n{}\n", topic->code, topic->summary, topic->text);
  return kDone;
}

}  // namespace

Command addExplain(Verb program) {
  auto code = std::make_shared<std::string>();
  Verb verb = program.addVerb("explain", "Say what an exit code or a status means");
  verb.addOption("code", *code, "an exit code, a status or a word of a report; without one all are listed")
      .typeName("CODE");
  return [code] { return runExplain(*code); };
}

}  // namespace cornet::app
