#include "cornet/math/panel_factor.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "cornet/math/block_kernels.h"
#include "cornet/math/panel_product.h"

namespace cornet {
namespace {

using kernels::Columns;

// A pivot below this share of the largest entry of its square has lost all its digits.
constexpr double kPivotFloor = 1e-13;

// Two rows of a panel of fixed width, in registers.
template <int kWidth>
struct RowPair {
  kernels::Pair x[kWidth];

  void load(const double* p, int stride) {
    for (int k = 0; k < kWidth; ++k) x[k] = kernels::loadPair(p + std::ptrdiff_t{k} * stride);
  }
  void store(double* p, int stride) const {
    for (int k = 0; k < kWidth; ++k) kernels::storePair(p + std::ptrdiff_t{k} * stride, x[k]);
  }
};
// One row: the last of an odd number.
template <int kWidth>
struct SingleRow {
  double x[kWidth];

  void load(const double* p, int stride) {
    for (int k = 0; k < kWidth; ++k) x[k] = p[std::ptrdiff_t{k} * stride];
  }
  void store(double* p, int stride) const {
    for (int k = 0; k < kWidth; ++k) p[std::ptrdiff_t{k} * stride] = x[k];
  }
};

// Calls f with all rows of a panel, two at a time.
template <int kWidth, class Function>
void forRows(int rows, Function&& f) {
  int r = 0;
  for (; r + 2 <= rows; r += 2) f(r, RowPair<kWidth>{});
  if (r < rows) f(r, SingleRow<kWidth>{});
}

// L D Lᵀ or L U of a small square, L unit lower.
template <bool kSymmetric, int kWidth>
class SquareFactors {
 public:
  // In place.
  SquareFactors(Columns<double> A, PivotGuard& guard) {
    for (int c = 0; c < kWidth; ++c) {
      for (int r = kSymmetric ? c : 0; r < kWidth; ++r) a_[c][r] = A.values[r + std::ptrdiff_t{c} * A.stride];
    }
    for (int k = 0; k < kWidth; ++k) {
      a_[k][k] = guard(a_[k][k]);
      inverse_[k] = 1.0 / a_[k][k];
      for (int j = k + 1; j < kWidth; ++j) {
        const double factor = kSymmetric ? a_[k][j] * inverse_[k] : a_[j][k];
        if constexpr (kSymmetric) {
          for (int r = j; r < kWidth; ++r) a_[j][r] -= a_[k][r] * factor;
        } else {
          for (int r = k + 1; r < kWidth; ++r) a_[j][r] -= a_[k][r] * inverse_[k] * factor;
        }
      }
      for (int r = k + 1; r < kWidth; ++r) a_[k][r] *= inverse_[k];
    }
    for (int c = 0; c < kWidth; ++c) {
      for (int r = kSymmetric ? c : 0; r < kWidth; ++r) A.values[r + std::ptrdiff_t{c} * A.stride] = a_[c][r];
    }
  }

  // X <- X U⁻¹
  void solveUpper(int rows, Columns<double> X) const {
    forRows<kWidth>(rows, [&](int row, auto x) {
      x.load(X.values + row, X.stride);
      for (int k = 0; k < kWidth; ++k) {
        for (int j = 0; j < k; ++j) x.x[k] -= x.x[j] * a_[k][j];
        x.x[k] *= inverse_[k];
      }
      x.store(X.values + row, X.stride);
    });
  }

  // X <- X L⁻ᵀ
  void solveUnitLower(int rows, Columns<double> X) const {
    forRows<kWidth>(rows, [&](int row, auto x) {
      x.load(X.values + row, X.stride);
      stepUnitLower(x);
      x.store(X.values + row, X.stride);
    });
  }

  // LD <- L L_ss⁻ᵀ, L <- LD D⁻¹
  void solveSymmetric(int rows, Columns<double> L, Columns<double> LD) const {
    forRows<kWidth>(rows, [&](int row, auto x) {
      x.load(L.values + row, L.stride);
      stepUnitLower(x);
      x.store(LD.values + row, LD.stride);
      for (int k = 0; k < kWidth; ++k) x.x[k] *= inverse_[k];
      x.store(L.values + row, L.stride);
    });
  }

 private:
  template <class Rows>
  void stepUnitLower(Rows& x) const {
    for (int k = 1; k < kWidth; ++k) {
      for (int j = 0; j < k; ++j) x.x[k] -= x.x[j] * a_[j][k];
    }
  }

  double a_[kWidth][kWidth];  // [column][row]
  double inverse_[kWidth];    // of the pivots
};

// Largest entry of the square; for a symmetric one of its lower part.
template <bool kSymmetric>
double calcLargest(const PanelView& panel) {
  double largest = 0.0;
  for (int c = 0; c < panel.width; ++c) {
    const double* column = panel.lower + std::ptrdiff_t{c} * panel.stride();
    for (int r = kSymmetric ? c : 0; r < panel.width; ++r) largest = std::max(largest, std::abs(column[r]));
  }
  return largest;
}

}  // namespace

double PivotGuard::operator()(double pivot) {
  if (!(std::abs(pivot) > floor)) {
    ++replaced;
    pivot = std::signbit(pivot) ? -floor : floor;
  }
  if (pivot < 0.0) sign = -sign;
  return pivot;
}

// kWidth columns from `column` on, and what they mean for those right of them.
template <bool kSymmetric, int kWidth>
void PanelFactor::eliminate(const PanelView& panel, int column, PivotGuard& guard) {
  const int stride = panel.stride();
  const int height = panel.height;
  const int rest = panel.width - column - kWidth;
  const auto lower = [&](int row, int col) {
    return Columns<double>{panel.lower + row + std::ptrdiff_t{col} * stride, stride};
  };
  const auto upper = [&](int col) { return Columns<double>{panel.upper + std::ptrdiff_t{col} * height, height}; };
  const auto read = [](Columns<double> X) { return Columns<const double>{X.values, X.stride}; };
  const int next = column + kWidth;
  const SquareFactors<kSymmetric, kWidth> square(lower(column, column), guard);
  const Columns<double> turned{turned_.data(), rest};
  if constexpr (kSymmetric) {
    square.solveSymmetric(rest, lower(next, column), turned);
    square.solveSymmetric(height, lower(panel.width, column), upper(column));
    for (int c = 0; c < rest; c += kColumns) {
      const int cols = std::min(kColumns, rest - c);
      kernels::subtractProduct(rest - c + height, cols, kWidth, read(lower(next + c, column)),
                               {turned.values + c, rest}, lower(next + c, next + c));
    }
  } else {
    square.solveUpper(rest + height, lower(next, column));
    square.solveUnitLower(height, upper(column));
    if (rest == 0) return;
    for (int c = 0; c < rest; ++c) {
      for (int k = 0; k < kWidth; ++k) turned.values[c + k * rest] = *lower(column + k, next + c).values;
    }
    square.solveUnitLower(rest, turned);
    for (int c = 0; c < rest; ++c) {
      for (int k = 0; k < kWidth; ++k) *lower(column + k, next + c).values = turned.values[c + k * rest];
    }
    kernels::subtractProduct(rest + height, rest, kWidth, read(lower(next, column)), read(turned), lower(next, next));
    kernels::subtractProduct(height, rest, kWidth, read(upper(column)), read(lower(next, column)), upper(next));
  }
}

template <bool kSymmetric>
void PanelFactor::factor(const PanelView& panel, PivotGuard& guard) {
  const double largest = calcLargest<kSymmetric>(panel);
  guard.floor = kPivotFloor * (largest > 0.0 ? largest : 1.0);
  const std::size_t needed = static_cast<std::size_t>(kColumns) * static_cast<std::size_t>(panel.width);
  if (turned_.size() < needed) turned_.resize(needed);
  for (int column = 0; column < panel.width; column += kColumns) {
    switch (std::min(kColumns, panel.width - column)) {
      case 1: eliminate<kSymmetric, 1>(panel, column, guard); break;
      case 2: eliminate<kSymmetric, 2>(panel, column, guard); break;
      case 3: eliminate<kSymmetric, 3>(panel, column, guard); break;
      case 4: eliminate<kSymmetric, 4>(panel, column, guard); break;
      case 5: eliminate<kSymmetric, 5>(panel, column, guard); break;
      default: eliminate<kSymmetric, 6>(panel, column, guard);
    }
  }
}

template void PanelFactor::factor<true>(const PanelView&, PivotGuard&);
template void PanelFactor::factor<false>(const PanelView&, PivotGuard&);

}  // namespace cornet
