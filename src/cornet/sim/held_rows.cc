#include "cornet/sim/held_rows.h"

#include <cmath>

namespace cornet {

void HeldRows::hold(const BlockDiagonalMatrix& M, std::span<const HeldRow> rows, double nothing, VectorXd& w,
                    std::vector<double>* multipliers) {
  if (multipliers) multipliers->assign(rows.size(), 0.0);
  for (int refinement = 0; refinement < refinements_; ++refinement) {
    residual_.clear();
    bool any = false;
    for (const HeldRow& row : rows) {
      residual_.push_back(row.calcMiss(w));
      if (std::abs(residual_.back()) < nothing) residual_.back() = 0.0;
      any |= residual_.back() != 0.0;
    }
    if (!any) return;
    if (refinement == 0) factor_.factor(M, rows);
    change_.setZero(w.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].pull(residual_[i] * factor_.weights()[i], change_);
    }
    factor_.solveInPlace(change_);
    // K Δw = GᵀD⁻¹r is M Δw = Gᵀν with ν = D⁻¹(r - G Δw).
    for (std::size_t i = 0; multipliers && i < rows.size(); ++i) {
      const double met = rows[i].target - rows[i].calcMiss(change_);
      (*multipliers)[i] += factor_.weights()[i] * (residual_[i] - met);
    }
    w += change_;
  }
}

}  // namespace cornet
