#include "cornet/solvers/ecos/anderson.h"

#include <Eigen/QR>

namespace cornet {

void Anderson::restart() {
  g_changes_.clear();
  f_changes_.clear();
  last_g_.resize(0);
}

VectorXd Anderson::next(const VectorXd& x, const VectorXd& g) {
  const VectorXd f = g - x;
  if (last_g_.size() == g.size()) {
    g_changes_.push_back(g - last_g_);
    f_changes_.push_back(f - last_f_);
    if (static_cast<int>(g_changes_.size()) > depth_) {
      g_changes_.erase(g_changes_.begin());
      f_changes_.erase(f_changes_.begin());
    }
  }
  last_g_ = g;
  last_f_ = f;
  if (g_changes_.empty()) return g.cwiseMax(0.0);

  const int count = static_cast<int>(g_changes_.size());
  MatrixXd F(f.size(), count), G(f.size(), count);
  for (int j = 0; j < count; ++j) {
    F.col(j) = f_changes_[j];
    G.col(j) = g_changes_[j];
  }
  Eigen::ColPivHouseholderQR<MatrixXd> qr(F);
  qr.setThreshold(1e-10);  // parallel changes add nothing but rounding
  return (g - G * qr.solve(f)).cwiseMax(0.0);
}

}  // namespace cornet
