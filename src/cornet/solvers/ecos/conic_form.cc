#include "cornet/solvers/ecos/conic_form.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseQR>

namespace cornet {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

// Equalities closer to dependence than this are taken for the same joint given twice.
constexpr double kDependent = 1e-11;

// Which of the given rows of B are linearly independent.
std::vector<int> independentRows(const RowSparseMatrix& B, const std::vector<int>& rows) {
  if (rows.empty()) return {};
  Triplets entries;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (RowSparseMatrix::InnerIterator entry(B, rows[k]); entry; ++entry) {
      entries.emplace_back(static_cast<int>(entry.col()), static_cast<int>(k), entry.value());
    }
  }
  Eigen::SparseMatrix<double> transposed(B.cols(), static_cast<Eigen::Index>(rows.size()));
  transposed.setFromTriplets(entries.begin(), entries.end());
  transposed.makeCompressed();
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(kDependent);
  qr.compute(transposed);
  std::vector<int> chosen;
  for (Eigen::Index k = 0; k < qr.rank(); ++k) {
    chosen.push_back(rows[static_cast<std::size_t>(qr.colsPermutation().indices()[k])]);
  }
  std::ranges::sort(chosen);
  return chosen;
}

class Assembler {
 public:
  Assembler(const exact::ScaledProblem& scaled, const RowSparseMatrix& B, int row_count)
      : scaled_(scaled), rows_(scaled.rows()), B_(B) {
    const double square = rows_.c.squaredNorm();
    Y_ = square > 0.0 ? std::sqrt(square / static_cast<double>(rows_.rowCount())) : 1.0;
    VectorXd known;
    scaled.toImpulses(VectorXd::Zero(rows_.rowCount()), known);
    data_.rows.resize(static_cast<std::size_t>(row_count));
    for (int r = 0; r < row_count; ++r) data_.rows[r].impulse = known[r];
  }

  ECOSData assemble() {
    data_.num_velocities = B_.cols();
    sortRows();
    variables_ = static_cast<int>(B_.cols());
    for (const int row : positive_) addCone(row);
    for (const int row : bounded_) addBounded(row);
    data_.num_positive = static_cast<long>(data_.h.size());
    for (const int row : cone_rows_) addCone(row);
    data_.cone_sizes.assign(cone_rows_.size() / 3, 3);
    addParabola();
    return finish();
  }

 private:
  // Cones, rows with r ≥ 0, and rows with other bounds; of plain equalities the independent ones.
  void sortRows() {
    std::vector<int> plain;
    for (int i = 0; i < rows_.blockCount(); ++i) {
      for (int row = rows_.offset[i]; row < rows_.offset[i + 1]; ++row) {
        const bool below = std::isfinite(rows_.lower[row]), above = std::isfinite(rows_.upper[row]);
        if (rows_.is_cone[i]) {
          cone_rows_.push_back(row);
        } else if (!below && !above) {
          plain.push_back(row);
        } else {
          (!above && rows_.lower[row] == 0.0 ? positive_ : bounded_).push_back(row);
        }
      }
    }
    for (const int row : independentRows(B_, plain)) bounded_.push_back(row);
  }

  // B y + c in a cone: G = -B, h = c.
  void addCone(int row) {
    link(row, ConicRow::Part::cone, static_cast<int>(data_.h.size()), 1.0);
    addEntries(row, -1.0, static_cast<int>(data_.h.size()), G_);
    data_.h.push_back(rows_.c[row] / Y_);
  }

  // B y + c + e - f = 0, with the cost of leaving the bounds.
  void addBounded(int row) {
    const int equation = static_cast<int>(data_.b.size());
    link(row, ConicRow::Part::equality, equation, -1.0);
    addEntries(row, 1.0, equation, A_);
    data_.b.push_back(-rows_.c[row] / Y_);
    if (std::isfinite(rows_.upper[row])) addSlack(equation, 1.0, rows_.upper[row] / Y_);
    if (std::isfinite(rows_.lower[row])) addSlack(equation, -1.0, -rows_.lower[row] / Y_);
  }

  void addSlack(int equation, double sign, double cost) {
    A_.emplace_back(equation, variables_, sign);
    G_.emplace_back(static_cast<int>(data_.h.size()), variables_, -1.0);
    data_.h.push_back(0.0);
    cost_.push_back(cost);
    ++variables_;
  }

  void addParabola() {
    const int t = variables_++;
    cost_.push_back(1.0);
    int row = static_cast<int>(data_.h.size());
    for (const double side : {1.0, -1.0}) {
      G_.emplace_back(row++, t, -1.0);
      data_.h.push_back(side);
    }
    for (int k = 0; k < B_.cols(); ++k) {
      G_.emplace_back(row++, k, -std::sqrt(2.0));
      data_.h.push_back(0.0);
    }
    data_.cone_sizes.push_back(B_.cols() + 2);
  }

  void addEntries(int row, double sign, int target, Triplets& entries) const {
    for (RowSparseMatrix::InnerIterator entry(B_, row); entry; ++entry) {
      entries.emplace_back(target, static_cast<int>(entry.col()), sign * entry.value());
    }
  }

  void link(int row, ConicRow::Part part, int index, double sign) {
    ConicRow& link = data_.rows[scaled_.source(row)];
    const double scale = scaled_.scale(row);
    link.part = part;
    link.index = index;
    link.to_impulse = sign * scale * Y_;
    link.to_right_side = sign * scale / Y_;
  }

  ECOSData finish() {
    Eigen::SparseMatrix<double> G(static_cast<Eigen::Index>(data_.h.size()), variables_);
    G.setFromTriplets(G_.begin(), G_.end());
    data_.G = ECOSSparseMatrix::fromSparse(G);
    Eigen::SparseMatrix<double> A(static_cast<Eigen::Index>(data_.b.size()), variables_);
    A.setFromTriplets(A_.begin(), A_.end());
    data_.A = ECOSSparseMatrix::fromSparse(A);
    data_.c.assign(static_cast<std::size_t>(B_.cols()), 0.0);
    data_.c.insert(data_.c.end(), cost_.begin(), cost_.end());
    return std::move(data_);
  }

  const exact::ScaledProblem& scaled_;
  const exact::ScaledRows& rows_;
  const RowSparseMatrix& B_;
  double Y_ = 1.0;
  std::vector<int> cone_rows_, positive_, bounded_;
  int variables_ = 0;
  Triplets G_, A_;
  std::vector<double> cost_;  // of the variables after y
  ECOSData data_;
};

}  // namespace

ECOSData makeConicForm(const exact::ScaledProblem& scaled, const RowSparseMatrix& B,
                       int row_count) {
  return Assembler(scaled, B, row_count).assemble();
}

void assembleValues(const ECOSData& data, const VectorXd& velocities, const VectorXd& origin,
                    double width, ECOSValues& values) {
  values = data.values();
  for (std::size_t r = 0; r < data.rows.size(); ++r) {
    const ConicRow& row = data.rows[r];
    if (row.part == ConicRow::Part::none) continue;
    std::vector<double>& right = row.part == ConicRow::Part::cone ? values.h : values.b;
    right[row.index] += row.to_right_side * velocities[static_cast<Eigen::Index>(r)];
  }
  const long parabola = data.G.nrows - data.cone_sizes.back();
  values.h[parabola] = width;
  values.h[parabola + 1] = -width;
  for (long j = 0; j < data.num_velocities; ++j) {
    values.c[j] = origin[j];
    for (long k = data.G.col_ptrs[j]; k < data.G.col_ptrs[j + 1]; ++k) {
      const long row = data.G.row_indices[k];
      if (row < parabola) {
        values.h[row] -= data.G.data[k] * origin[j];
      } else {
        values.G[k] *= std::sqrt(width);
      }
    }
    for (long k = data.A.col_ptrs[j]; k < data.A.col_ptrs[j + 1]; ++k) {
      values.b[data.A.row_indices[k]] -= data.A.data[k] * origin[j];
    }
  }
}

VectorXd calcModelVelocities(const ECOSData& data) {
  const long parabola = data.G.nrows - data.cone_sizes.back();
  std::vector<double> cone = data.h, equality = data.b;  // h - G y and b - A y, with y = -Gᵀz - Aᵀy
  for (long j = 0; j < data.num_velocities; ++j) {
    double y = 0.0;
    for (long k = data.G.col_ptrs[j]; k < data.G.col_ptrs[j + 1]; ++k) {
      if (data.G.row_indices[k] < parabola) y -= data.G.data[k] * data.z[data.G.row_indices[k]];
    }
    for (long k = data.A.col_ptrs[j]; k < data.A.col_ptrs[j + 1]; ++k) {
      y -= data.A.data[k] * data.y[data.A.row_indices[k]];
    }
    for (long k = data.G.col_ptrs[j]; k < data.G.col_ptrs[j + 1]; ++k) {
      cone[data.G.row_indices[k]] -= data.G.data[k] * y;
    }
    for (long k = data.A.col_ptrs[j]; k < data.A.col_ptrs[j + 1]; ++k) {
      equality[data.A.row_indices[k]] -= data.A.data[k] * y;
    }
  }
  VectorXd velocities = VectorXd::Zero(static_cast<Eigen::Index>(data.rows.size()));
  for (std::size_t r = 0; r < data.rows.size(); ++r) {
    const ConicRow& row = data.rows[r];
    if (row.part == ConicRow::Part::none) continue;
    const std::vector<double>& right = row.part == ConicRow::Part::cone ? cone : equality;
    velocities[static_cast<Eigen::Index>(r)] = right[row.index] / row.to_right_side;
  }
  return velocities;
}

}  // namespace cornet
