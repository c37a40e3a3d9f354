#include "cornet/math/growing_cholesky.h"

#include <cassert>
#include <cmath>

namespace cornet {

void GrowingCholesky::reset(int capacity) {
  L_.setZero(capacity, capacity);
  size_ = 0;
}

void GrowingCholesky::solveLower(const VectorXd& a, VectorXd& w) const {
  w = a;
  L_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().solveInPlace(w);
}

void GrowingCholesky::solveUpper(VectorXd& x) const {
  L_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().transpose().solveInPlace(x);
}

void GrowingCholesky::append(const VectorXd& w, double pivot) {
  assert(size_ < L_.rows() && w.size() == size_ && pivot > 0.0);
  L_.row(size_).head(size_) = w.transpose();
  L_(size_, size_) = std::sqrt(pivot);
  ++size_;
}

void GrowingCholesky::remove(int k) {
  assert(k >= 0 && k < size_);
  // Without row k the rest has one column too many from k on: rotate it away, pair by pair.
  for (int i = k; i + 1 < size_; ++i) L_.row(i).head(i + 2) = L_.row(i + 1).head(i + 2);
  --size_;
  for (int c = k; c < size_; ++c) {
    const double a = L_(c, c);
    const double b = L_(c, c + 1);
    const double length = std::sqrt(a * a + b * b);
    const double cosine = a / length;
    const double sine = b / length;
    for (int r = c; r < size_; ++r) {
      const double x = L_(r, c);
      const double y = L_(r, c + 1);
      L_(r, c) = cosine * x + sine * y;
      L_(r, c + 1) = cosine * y - sine * x;
    }
    L_(c, c + 1) = 0.0;
  }
  L_.row(size_).setZero();
}

}  // namespace cornet
