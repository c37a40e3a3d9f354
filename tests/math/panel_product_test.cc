#include "cornet/math/panel_product.h"

#include <random>

#include <gtest/gtest.h>

#include "cornet/math/types.h"

namespace cornet {
namespace {

// One sum per entry, in the order of the depth.
MatrixXd subtractOneByOne(const MatrixXd& A, const MatrixXd& B, MatrixXd C) {
  for (Eigen::Index r = 0; r < C.rows(); ++r) {
    for (Eigen::Index c = 0; c < C.cols(); ++c) {
      for (Eigen::Index d = 0; d < A.cols(); ++d) {
        volatile const double product = A(r, d) * B(c, d);  // rounded for itself
        C(r, c) -= product;
      }
    }
  }
  return C;
}

TEST(PanelProduct, GivesTheSameBitsAsASumInOrderForAnyShape) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const auto make = [&](int rows, int cols) {
    return MatrixXd(MatrixXd::NullaryExpr(rows, cols, [&] { return normal(random); }));
  };
  for (const int rows : {0, 1, 2, 3, 7, 8, 15, 24}) {
    for (const int cols : {0, 1, 2, 3, 5, 6, 11, 18}) {
      for (const int depth : {0, 1, 6, 13}) {
        const MatrixXd A = make(rows + 2, depth), B = make(cols + 1, depth);
        MatrixXd C = make(rows + 3, cols);
        MatrixXd plain = C;
        MatrixXd expected = C;
        expected.topRows(rows) = subtractOneByOne(A.topRows(rows), B.topRows(cols), C.topRows(rows));
        kernels::subtractProduct(rows, cols, depth, {A.data(), rows + 2}, {B.data(), cols + 1}, {C.data(), rows + 3});
        kernels::subtractProductPlain(rows, cols, depth, {A.data(), rows + 2}, {B.data(), cols + 1},
                                      {plain.data(), rows + 3});
        EXPECT_EQ(C, expected) << rows << " x " << cols << ", depth " << depth;
        EXPECT_EQ(plain, expected) << rows << " x " << cols << ", depth " << depth;
      }
    }
  }
}

}  // namespace
}  // namespace cornet
