#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "cornet/math/types.h"

namespace cornet {

/// A list of matrices in one contiguous block of memory. Matrices of a fixed size stand one after the other
/// and are seen by reference; those of other sizes are seen through maps, each column-major. Memory grows
/// and is never given back: `clear` keeps it. What `add` returns has any values and holds until the next `add`.
template <class Matrix>
class EigenPool {
 public:
  static constexpr bool kFixed = Matrix::SizeAtCompileTime != Eigen::Dynamic;
  using View = std::conditional_t<kFixed, Matrix&, Eigen::Map<Matrix>>;
  using ConstView = std::conditional_t<kFixed, const Matrix&, Eigen::Map<const Matrix>>;

  /// Makes room for this many matrices of this many entries each.
  void reserve(int count, int entries_each = kFixed ? int{Matrix::SizeAtCompileTime} : 0) {
    if constexpr (kFixed) {
      values_.reserve(static_cast<std::size_t>(count));
    } else {
      shapes_.reserve(static_cast<std::size_t>(count));
      values_.reserve(static_cast<std::size_t>(count) * static_cast<std::size_t>(entries_each));
    }
  }

  void clear() {
    values_.clear();
    shapes_.clear();
  }

  View add(int rows = int{Matrix::RowsAtCompileTime}, int cols = int{Matrix::ColsAtCompileTime}) {
    if constexpr (kFixed) {
      return values_.emplace_back();
    } else {
      shapes_.push_back({values_.size(), rows, cols});
      values_.resize(values_.size() + static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
      return (*this)[size() - 1];
    }
  }

  /// As many matrices of a fixed size as wanted.
  void resize(int count) requires kFixed { values_.resize(static_cast<std::size_t>(count)); }
  /// Matrices of the shapes of another pool.
  void resizeLike(const EigenPool& other) {
    shapes_.assign(other.shapes_.begin(), other.shapes_.end());
    values_.resize(other.values_.size());
  }

  int size() const { return static_cast<int>(kFixed ? values_.size() : shapes_.size()); }

  View operator[](int i) {
    if constexpr (kFixed) {
      return values_[static_cast<std::size_t>(i)];
    } else {
      const Shape& shape = shapes_[static_cast<std::size_t>(i)];
      return View(values_.data() + shape.start, shape.rows, shape.cols);
    }
  }
  ConstView operator[](int i) const {
    if constexpr (kFixed) {
      return values_[static_cast<std::size_t>(i)];
    } else {
      const Shape& shape = shapes_[static_cast<std::size_t>(i)];
      return ConstView(values_.data() + shape.start, shape.rows, shape.cols);
    }
  }

 private:
  struct Shape {
    std::size_t start;
    int rows, cols;
  };
  std::vector<std::conditional_t<kFixed, Matrix, double>> values_;
  std::vector<Shape> shapes_;  // none for matrices of a fixed size
};

}  // namespace cornet
