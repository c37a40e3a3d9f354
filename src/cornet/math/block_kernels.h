#pragma once

#include <cstring>

/// Products of small column-major blocks with vectors, on raw memory. Sums run in a fixed order.
namespace cornet::kernels {

/// Two doubles that the compiler keeps in one SSE2 register, the baseline of x86-64.
using Pair = double __attribute__((vector_size(16)));

inline Pair loadPair(const double* p) {
  Pair pair;
  std::memcpy(&pair, p, sizeof pair);
  return pair;
}

/// Sum over a row of 3x3 blocks. The three columns of a block go to separate sums, so that
/// successive blocks do not wait for each other's additions.
class RowSum3 {
 public:
  void add(const double* block, const double* x) {
    upper_[0] += loadPair(block) * Pair{x[0], x[0]};
    lower_[0] += block[2] * x[0];
    upper_[1] += loadPair(block + 3) * Pair{x[1], x[1]};
    lower_[1] += block[5] * x[1];
    upper_[2] += loadPair(block + 6) * Pair{x[2], x[2]};
    lower_[2] += block[8] * x[2];
  }
  void addTo(double* y) const {
    const Pair upper = (upper_[0] + upper_[1]) + upper_[2];
    y[0] += upper[0];
    y[1] += upper[1];
    y[2] += (lower_[0] + lower_[1]) + lower_[2];
  }

 private:
  Pair upper_[3] = {};
  double lower_[3] = {};
};

/// y += B x with B rows x cols.
inline void addProduct(int rows, int cols, const double* B, const double* x, double* y) {
  for (int c = 0; c < cols; ++c) {
    for (int r = 0; r < rows; ++r) y[r] += B[c * rows + r] * x[c];
  }
}

/// y += Bᵀ x with B rows x cols.
inline void addTransposedProduct(int rows, int cols, const double* B, const double* x, double* y) {
  for (int c = 0; c < cols; ++c) {
    double sum = 0.0;
    for (int r = 0; r < rows; ++r) sum += B[c * rows + r] * x[r];
    y[c] += sum;
  }
}

/// As addProduct, with loops unrolled for the shapes of free rigid bodies.
inline void addBlockProduct(int rows, int cols, const double* B, const double* x, double* y) {
  if (rows == 3 && cols == 6) {
    addProduct(3, 6, B, x, y);
  } else if (rows == 6 && cols == 3) {
    addProduct(6, 3, B, x, y);
  } else if (rows == 3 && cols == 3) {
    addProduct(3, 3, B, x, y);
  } else {
    addProduct(rows, cols, B, x, y);
  }
}

}  // namespace cornet::kernels
