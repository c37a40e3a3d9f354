#include "cornet/solvers/ecos/build_problem.h"

#include <cmath>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "cornet/solvers/ecos/conic_form.h"
#include "cornet/solvers/ecos/pivoted_cholesky.h"

namespace cornet {
namespace {

// B = S J L⁻ᵀ, and a column of its own for every row with compliance.
RowSparseMatrix makeFactor(const exact::ScaledProblem& scaled) {
  const BlockSparseMatrix& B = scaled.B();
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < B.rowBlockCount(); ++i) {
    for (int k = B.begin(i); k < B.end(i); ++k) {
      const auto block = B.block(i, k);
      for (int r = 0; r < block.rows(); ++r) {
        for (int c = 0; c < block.cols(); ++c) {
          if (block(r, c) == 0.0) continue;
          entries.emplace_back(B.rowOffset(i) + r, B.columnOffset(B.column(k)) + c, block(r, c));
        }
      }
    }
  }
  int columns = B.cols();
  const std::vector<double>& compliance = scaled.rows().compliance;
  for (int row = 0; row < scaled.rows().rowCount(); ++row) {
    if (compliance[row] > 0.0) entries.emplace_back(row, columns++, std::sqrt(compliance[row]));
  }
  RowSparseMatrix factor(scaled.rows().rowCount(), columns);
  factor.setFromTriplets(entries.begin(), entries.end());
  return factor;
}

// F with F Fᵀ = (A + Aᵀ)/2 + R.
RowSparseMatrix factorDelassus(const exact::ScaledProblem& scaled) {
  const BlockSparseMatrix& A = scaled.A();
  const int rows = scaled.rows().rowCount();
  MatrixXd dense = MatrixXd::Zero(rows, rows);
  for (int i = 0; i < A.rowBlockCount(); ++i) {
    for (int k = A.begin(i); k < A.end(i); ++k) {
      const int j = A.column(k);
      dense.block(A.rowOffset(i), A.columnOffset(j), A.rowSize(i), A.columnSize(j)) = A.block(i, k);
    }
  }
  dense = (0.5 * (dense + dense.transpose())).eval();
  for (int row = 0; row < rows; ++row) dense(row, row) += scaled.rows().compliance[row];
  return factorSemidefinite(std::move(dense)).sparseView();
}

}  // namespace

ECOSData buildECOSProblem(const ContactProblem& problem) {
  exact::ScaledProblem scaled;
  scaled.reset(problem, FrictionModel::convex);
  return makeConicForm(scaled, makeFactor(scaled), problem.rows.rowCount());
}

ECOSData buildECOSProblem(const DelassusProblem& problem) {
  exact::ScaledProblem scaled;
  scaled.reset(problem, FrictionModel::convex);
  return makeConicForm(scaled, factorDelassus(scaled), problem.rows.rowCount());
}

ECOSData buildECOSProblem(const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
                          const FrictionConeSpec& spec, int numContacts) {
  for (const double mu : spec.frictionCoefficients) {
    if (std::isfinite(mu)) continue;
    throw std::invalid_argument(fmt::format("μ = {}: ECOS needs a finite one", mu));
  }
  const DelassusProblem problem = makeDelassusProblem(A, b, spec, numContacts);
  ECOSData data = buildECOSProblem(problem);
  const std::vector<ConicRow> ordered = data.rows;
  for (int row = 0; row < 3 * numContacts; ++row) {
    data.rows[spec.normalIndices[row / 3] + row % 3] = ordered[row];
  }
  return data;
}

}  // namespace cornet
