#include "cornet/sim/kick_solver.h"

namespace cornet {

KickSolver::KickSolver(const SimulatorOptions& options)
    : solver_(makeSolver(options.solver, makeSolverOptions(options))) {}

}  // namespace cornet
