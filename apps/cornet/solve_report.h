#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cornet/io/fclib.h"
#include "cornet/problem/diagnosis.h"

/// What `cornet solve` prints: a table for people, one JSON object for programs
/// (docs/formats/solve.md).
namespace cornet::app {

/// One line of the report.
struct SolvedProblem {
  std::string file;
  std::string form;
  int contacts = 0;
  int dofs = 0;
  double mu_min = 0.0;
  double mu_max = 0.0;
  std::string solver;
  Solution solution;
  std::optional<Diagnosis> diagnosis;  // when asked for
};

struct Message {
  std::string level;  // "error" or "note"
  std::string file;   // empty when it belongs to none
  std::string text;
};

struct SolveReport {
  bool ok = true;
  std::vector<SolvedProblem> problems;
  std::vector<Message> messages;
};

SolvedProblem describe(const std::string& file, const ProblemFile& content,
                       const std::string& solver, Solution solution);

/// "4.1 us", "24 us", "5.2 ms", "1.30 s".
std::string timeText(double seconds);

std::string tableHeader(std::size_t name_width);
std::string tableLine(const SolvedProblem& problem, std::size_t name_width);
/// The diagnosis as some indented lines.
std::string diagnosisText(const Diagnosis& diagnosis);
/// "33 problems: 30 solved, 3 above the tolerance; 1 error".
std::string summaryLine(const SolveReport& report);

std::string toJson(const SolveReport& report);
/// The object for a run that could not even start.
std::string failureJson(const std::string& text);

}  // namespace cornet::app
