#pragma once

#include "bench/results.h"
#include "problem_solver.h"

namespace cornet::app {

/// Times one of our solvers from zero impulses: `repeat` times at least, see Repetition. The time
/// is that of the solve with its set-up, without reading the file. Solved means that the
/// certificate says so and that the field's measure, on equilibrated data, meets the tolerance too.
BenchRun timeSolver(const ProblemFile& file, const SolverChoice& choice, int repeat);

}  // namespace cornet::app
