#pragma once

#include <vector>

#include "bench/results.h"
#include "solve_report.h"

/// What `cornet bench` says to programs (docs/formats/bench.md).
namespace cornet::app {

/// One line per problem and solver; a cell is empty where there is no number.
std::string toCsv(const BenchResults& results);

std::string toJson(const BenchResults& results, const std::vector<Message>& messages, bool ok);
/// The object for a run that could not even start.
std::string benchFailureJson(const std::string& text);

}  // namespace cornet::app
