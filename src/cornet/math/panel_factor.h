#pragma once

#include <vector>

/// Factorization of one panel of (LDU-2): a dense square, L below it, and Uᵀ of the part right of it.
namespace cornet {

/// Replaces pivots that are lost in rounding, keeping their sign; counts them and collects all signs.
struct PivotGuard {
  double floor = 0.0;
  int replaced = 0;
  int sign = 1;

  double operator()(double pivot);
};

/// A panel in memory: `lower` (width + height) x width, the square on top of L; `upper` height x width, Uᵀ.
struct PanelView {
  int width;
  int height;
  double* lower;
  double* upper;

  int stride() const { return width + height; }
};

/// Factors panels, a few columns at a time. The symmetric form reads the lower part only and leaves L D in `upper`.
class PanelFactor {
 public:
  static constexpr int kColumns = 6;  // at a time: those of a free body

  template <bool kSymmetric>
  void factor(const PanelView& panel, PivotGuard& guard);

 private:
  template <bool kSymmetric, int kWidth>
  void eliminate(const PanelView& panel, int column, PivotGuard& guard);

  std::vector<double> turned_;  // Uᵀ of the columns right of those that are eliminated, inside the square
};

}  // namespace cornet
