#include "cornet/problem/solution.h"

namespace cornet {

std::string_view toString(SolveStage::Kind kind) {
  switch (kind) {
    case SolveStage::Kind::warm_start: return "warm_start";
    case SolveStage::Kind::sticking: return "sticking";
    case SolveStage::Kind::sweeps: return "sweeps";
    case SolveStage::Kind::interior_point: return "interior_point";
    case SolveStage::Kind::polish: return "polish";
    case SolveStage::Kind::reduction: return "reduction";
    case SolveStage::Kind::acting_rows: return "acting_rows";
  }
  return "unknown";
}

}  // namespace cornet
