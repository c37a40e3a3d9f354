#include "cornet/base/status.h"

namespace cornet {

std::string_view toString(SolveStatus status) {
  switch (status) {
    case SolveStatus::solved: return "solved";
    case SolveStatus::inaccurate: return "inaccurate";
    case SolveStatus::max_iterations: return "max_iterations";
    case SolveStatus::infeasible: return "infeasible";
    case SolveStatus::numerical_error: return "numerical_error";
    case SolveStatus::unsupported: return "unsupported";
  }
  return "unknown";
}

}  // namespace cornet
