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

inline void storePair(double* p, Pair pair) { std::memcpy(p, &pair, sizeof pair); }

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

/// The same for a fixed shape, sums in registers.
template <int kRows, int kCols>
void addProductFixed(const double* B, const double* x, double* y) {
  double sum[kRows];
  for (int r = 0; r < kRows; ++r) sum[r] = y[r];
  for (int c = 0; c < kCols; ++c) {
    for (int r = 0; r < kRows; ++r) sum[r] += B[c * kRows + r] * x[c];
  }
  for (int r = 0; r < kRows; ++r) y[r] = sum[r];
}

/// y += Bᵀ x with B 3 x 6.
inline void addTransposedProduct36(const double* B, const double* x, double* y) {
  const double x0 = x[0], x1 = x[1], x2 = x[2];
  double sum[6];
  for (int c = 0; c < 6; ++c) sum[c] = (B[3 * c] * x0 + B[3 * c + 1] * x1) + B[3 * c + 2] * x2;
  for (int c = 0; c < 6; ++c) y[c] += sum[c];
}

/// y += Bᵀ x with B rows x cols.
inline void addTransposedProduct(int rows, int cols, const double* B, const double* x, double* y) {
  if (rows == 3 && cols == 6) return addTransposedProduct36(B, x, y);
  for (int c = 0; c < cols; ++c) {
    double sum = 0.0;
    for (int r = 0; r < rows; ++r) sum += B[c * rows + r] * x[r];
    y[c] += sum;
  }
}

/// As addProduct, with loops unrolled for the shapes of free rigid bodies.
inline void addBlockProduct(int rows, int cols, const double* B, const double* x, double* y) {
  if (rows == 3 && cols == 6) {
    addProductFixed<3, 6>(B, x, y);
  } else if (rows == 6 && cols == 3) {
    addProductFixed<6, 3>(B, x, y);
  } else if (rows == 3 && cols == 3) {
    addProductFixed<3, 3>(B, x, y);
  } else {
    addProduct(rows, cols, B, x, y);
  }
}

/// C += B, and C += Bᵀ, with B rows x cols packed and C column-major with a stride.
inline void addBlock(int rows, int cols, const double* B, double* C, int stride) {
  for (int c = 0; c < cols; ++c) {
    for (int r = 0; r < rows; ++r) C[r + static_cast<long>(c) * stride] += B[c * rows + r];
  }
}
inline void addBlockTransposed(int rows, int cols, const double* B, double* C, int stride) {
  for (int c = 0; c < cols; ++c) {
    for (int r = 0; r < rows; ++r) C[c + static_cast<long>(r) * stride] += B[c * rows + r];
  }
}

/// C = A B with A rows x depth and B depth x cols, C packed.
template <int kRows, int kDepth>
void setProductFixed(int cols, const double* A, const double* B, double* C) {
  for (int c = 0; c < cols; ++c, B += kDepth, C += kRows) {
    double sum[kRows] = {};
    for (int d = 0; d < kDepth; ++d) {
      for (int r = 0; r < kRows; ++r) sum[r] += A[d * kRows + r] * B[d];
    }
    for (int r = 0; r < kRows; ++r) C[r] = sum[r];
  }
}

inline void setProduct(int rows, int depth, int cols, const double* A, const double* B, double* C) {
  if (rows == 3 && depth == 3) return setProductFixed<3, 3>(cols, A, B, C);
  for (int c = 0; c < cols; ++c) {
    for (int r = 0; r < rows; ++r) {
      double sum = 0.0;
      for (int d = 0; d < depth; ++d) sum += A[d * rows + r] * B[c * depth + d];
      C[c * rows + r] = sum;
    }
  }
}

/// C += XᵀY with X depth x rows and Y depth x cols, C column-major with a stride.
template <int kDepth, int kRows>
void addCrossProductFixed(int cols, const double* X, const double* Y, double* C, int stride) {
  double transposed[kDepth][kRows];
  for (int r = 0; r < kRows; ++r) {
    for (int d = 0; d < kDepth; ++d) transposed[d][r] = X[r * kDepth + d];
  }
  for (int c = 0; c < cols; ++c, Y += kDepth, C += stride) {
    double sum[kRows];
    for (int r = 0; r < kRows; ++r) sum[r] = C[r];
    for (int d = 0; d < kDepth; ++d) {
      for (int r = 0; r < kRows; ++r) sum[r] += transposed[d][r] * Y[d];
    }
    for (int r = 0; r < kRows; ++r) C[r] = sum[r];
  }
}

inline void addCrossProduct(int depth, int rows, int cols, const double* X, const double* Y,
                            double* C, int stride) {
  if (depth == 3 && rows == 6) return addCrossProductFixed<3, 6>(cols, X, Y, C, stride);
  if (depth == 3 && rows == 3) return addCrossProductFixed<3, 3>(cols, X, Y, C, stride);
  for (int c = 0; c < cols; ++c) {
    for (int r = 0; r < rows; ++r) {
      double sum = 0.0;
      for (int d = 0; d < depth; ++d) sum += X[r * depth + d] * Y[c * depth + d];
      C[r + static_cast<long>(c) * stride] += sum;
    }
  }
}

}  // namespace cornet::kernels
