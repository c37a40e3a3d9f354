#include "cornet/math/panel_product.h"

#include <cstddef>

namespace cornet::kernels {
namespace {

#define CORNET_INLINE [[gnu::always_inline]] inline

// Several doubles in one register, and in memory, where they are aligned as one.
template <int kLanes>
struct LanesOf;
template <>
struct LanesOf<1> {
  using InRegister = double;
  using InMemory = double;
};
template <>
struct LanesOf<2> {
  using InRegister = double __attribute__((vector_size(16)));
  using InMemory = double __attribute__((vector_size(16), aligned(8), may_alias));
};
template <>
struct LanesOf<4> {
  using InRegister = double __attribute__((vector_size(32)));
  using InMemory = double __attribute__((vector_size(32), aligned(8), may_alias));
};

template <class Value>
CORNET_INLINE Value* at(Columns<Value> X, int row, int column) {
  return X.values + row + std::ptrdiff_t{column} * X.stride;
}

// kRegisters x kLanes rows and kCols columns of C, held in registers while the depth goes by.
template <int kLanes, int kRegisters, int kCols>
CORNET_INLINE void subtractTile(int depth, Columns<const double> A, Columns<const double> B, Columns<double> C) {
  using Lanes = typename LanesOf<kLanes>::InRegister;
  using Memory = typename LanesOf<kLanes>::InMemory;
  Lanes sum[kCols][kRegisters];
  for (int c = 0; c < kCols; ++c) {
    for (int k = 0; k < kRegisters; ++k) sum[c][k] = *reinterpret_cast<const Memory*>(at(C, k * kLanes, c));
  }
  const double* a_d = A.values;
  const double* b_d = B.values;
  for (int d = 0; d < depth; ++d, a_d += A.stride, b_d += B.stride) {
    Lanes a[kRegisters];
    for (int k = 0; k < kRegisters; ++k) a[k] = *reinterpret_cast<const Memory*>(a_d + k * kLanes);
    for (int c = 0; c < kCols; ++c) {
      for (int k = 0; k < kRegisters; ++k) sum[c][k] -= a[k] * b_d[c];
    }
  }
  for (int c = 0; c < kCols; ++c) {
    for (int k = 0; k < kRegisters; ++k) *reinterpret_cast<Memory*>(at(C, k * kLanes, c)) = sum[c][k];
  }
}

// Rows in pieces of two registers, of one, of half of one, and single.
template <int kLanes, int kCols>
CORNET_INLINE void subtractColumns(int rows, int depth, Columns<const double> A, Columns<const double> B,
                                   Columns<double> C) {
  int r = 0;
  const auto from = [&](auto X) { return decltype(X){X.values + r, X.stride}; };
  for (; r + 2 * kLanes <= rows; r += 2 * kLanes) subtractTile<kLanes, 2, kCols>(depth, from(A), B, from(C));
  for (; r + kLanes <= rows; r += kLanes) subtractTile<kLanes, 1, kCols>(depth, from(A), B, from(C));
  if constexpr (kLanes > 2) {
    for (; r + 2 <= rows; r += 2) subtractTile<2, 1, kCols>(depth, from(A), B, from(C));
  }
  for (; r < rows; ++r) subtractTile<1, 1, kCols>(depth, from(A), B, from(C));
}

template <int kLanes>
CORNET_INLINE void subtract(int rows, int cols, int depth, Columns<const double> A, Columns<const double> B,
                            Columns<double> C) {
  int c = 0;
  const auto rest = [&] { return Columns<const double>{B.values + c, B.stride}; };
  const auto target = [&] { return Columns<double>{at(C, 0, c), C.stride}; };
  for (; c + 6 <= cols; c += 6) subtractColumns<kLanes, 6>(rows, depth, A, rest(), target());
  for (; c + 3 <= cols; c += 3) subtractColumns<kLanes, 3>(rows, depth, A, rest(), target());
  for (; c < cols; ++c) subtractColumns<kLanes, 1>(rows, depth, A, rest(), target());
}

using Product = void (*)(int, int, int, Columns<const double>, Columns<const double>, Columns<double>);

#if defined(__x86_64__)
// Without fused operations, which would round otherwise than the plain one.
__attribute__((target("avx2"))) void subtractWide(int rows, int cols, int depth, Columns<const double> A,
                                                  Columns<const double> B, Columns<double> C) {
  subtract<4>(rows, cols, depth, A, B, C);
}

Product chooseProduct() { return __builtin_cpu_supports("avx2") ? subtractWide : subtractProductPlain; }
#else
Product chooseProduct() { return subtractProductPlain; }
#endif

#undef CORNET_INLINE

}  // namespace

void subtractProduct(int rows, int cols, int depth, Columns<const double> A, Columns<const double> B,
                     Columns<double> C) {
  static const Product product = chooseProduct();
  product(rows, cols, depth, A, B, C);
}

void subtractProductPlain(int rows, int cols, int depth, Columns<const double> A, Columns<const double> B,
                          Columns<double> C) {
  subtract<2>(rows, cols, depth, A, B, C);
}

}  // namespace cornet::kernels
