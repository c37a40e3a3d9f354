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

void require(bool condition, const std::string& text) {
  if (!condition) throw std::invalid_argument("buildECOSProblem: " + text);
}

// First row of every contact; together they are all rows, each once.
void requireContacts(const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
                     const FrictionConeSpec& spec, int contacts) {
  const long rows = 3L * contacts;
  require(contacts == spec.numContacts,
          fmt::format("{} contacts, but {} in the friction spec", contacts, spec.numContacts));
  require(A.rows() == rows && A.cols() == rows && b.size() == rows,
          fmt::format("A is {} x {} and b has {} entries where {} rows were expected", A.rows(),
                      A.cols(), b.size(), rows));
  require(A.allFinite() && b.allFinite(), "A or b has an entry that is not a finite number");
  std::vector<int> owner(static_cast<std::size_t>(rows), -1);
  for (int i = 0; i < contacts; ++i) {
    const int first = spec.normalIndices[i];
    require(first >= 0 && first + 2 < rows,
            fmt::format("contact {} has the rows {} to {} of {}", i, first, first + 2, rows));
    require(std::isfinite(spec.frictionCoefficients[i]),
            fmt::format("contact {}: μ is not finite", i));
    for (int r = first; r < first + 3; ++r) {
      require(owner[r] < 0, fmt::format("contacts {} and {} share row {}", owner[r], i, r));
      owner[r] = i;
    }
  }
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
  requireContacts(A, b, spec, numContacts);
  DelassusProblem problem;
  problem.q.resize(b.size());
  problem.bias.setZero(b.size());
  for (const double mu : spec.frictionCoefficients) problem.rows.addCone(mu);
  problem.W = BlockSparseMatrix(problem.rows.offsets());
  for (int i = 0; i < numContacts; ++i) {
    problem.W.appendRow(3);
    problem.q.segment<3>(3 * i) = -b.segment<3>(spec.normalIndices[i]);
    for (int j = 0; j < numContacts; ++j) {
      problem.W.block(i, problem.W.appendBlock(j)) =
          A.block<3, 3>(spec.normalIndices[i], spec.normalIndices[j]);
    }
  }
  ECOSData data = buildECOSProblem(problem);
  const std::vector<ConicRow> ordered = data.rows;
  for (int row = 0; row < 3 * numContacts; ++row) {
    data.rows[spec.normalIndices[row / 3] + row % 3] = ordered[row];
  }
  return data;
}

}  // namespace cornet
