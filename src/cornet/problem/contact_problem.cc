#include "cornet/problem/contact_problem.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/math/block_cholesky.h"
#include "cornet/problem/validation.h"

namespace cornet {
namespace {

// Files printed with 6 or 7 digits have mass matrices this far from symmetric.
constexpr double kMassAsymmetry = 1e-6;

void requireMassMatrix(const BlockDiagonalMatrix& M) {
  for (int i = 0; i < M.blockCount(); ++i) {
    const auto block = M.block(i);
    if (!block.allFinite()) {
      throw std::invalid_argument(fmt::format("mass block {} has an entry that is not finite", i));
    }
    const double size = block.cwiseAbs().maxCoeff();
    const double skew = (block - block.transpose()).cwiseAbs().maxCoeff();
    if (skew > kMassAsymmetry * size) {
      throw std::invalid_argument(
          fmt::format("mass block {} is not symmetric: entries differ by {} of {}", i, skew, size));
    }
  }
  BlockCholesky cholesky;
  if (const int bad = cholesky.factor(M); bad >= 0) {
    throw std::invalid_argument(fmt::format(
        "mass block {} (degrees of freedom {} to {}) is not positive definite", bad, M.offset(bad),
        M.offset(bad) + M.size(bad) - 1));
  }
}

}  // namespace

void ContactProblem::validate() const {
  rows.validate();
  requireSize("J rows", J.rows(), rows.rowCount());
  requireSize("J columns", J.cols(), M.dimension());
  requireSize("v_free", v_free.size(), M.dimension());
  requireSize("bias", bias.size(), rows.rowCount());
  if (!std::ranges::equal(J.rowOffsets(), rows.offsets()) ||
      !std::ranges::equal(J.columnOffsets(), M.offsets())) {
    throw std::invalid_argument("the blocks of J do not match the constraint blocks and trees");
  }
  requireFinite("J", J.values());
  requireFinite("v_free", v_free);
  requireFinite("bias", bias);
  requireStep(dt);
  requireMassMatrix(M);
}

bool identical(const ContactProblem& a, const ContactProblem& b) {
  return a.rows == b.rows && std::ranges::equal(a.M.offsets(), b.M.offsets()) &&
         sameBits(a.M.values(), b.M.values()) && a.J == b.J && sameBits(a.v_free, b.v_free) &&
         sameBits(a.bias, b.bias) && a.dt == b.dt;
}

}  // namespace cornet
