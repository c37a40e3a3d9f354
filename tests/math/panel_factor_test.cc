#include "cornet/math/panel_factor.h"

#include <random>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "cornet/math/types.h"

namespace cornet {
namespace {

class PanelFactorTest : public testing::TestWithParam<std::pair<int, int>> {
 protected:
  int width() const { return GetParam().first; }
  int height() const { return GetParam().second; }
  // Random, the square far from singular.
  void fill() {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    lower = MatrixXd::NullaryExpr(width() + height(), width(), [&] { return normal(random); });
    lower.topRows(width()).diagonal().array() += 4.0 * width();
    upper = MatrixXd::NullaryExpr(height(), width(), [&] { return normal(random); });
  }
  PanelView view() { return {width(), height(), lower.data(), upper.data()}; }
  MatrixXd square() const { return lower.topRows(width()); }
  MatrixXd below() const { return lower.bottomRows(height()); }

  MatrixXd lower, upper;
  PanelFactor panel_factor;
  PivotGuard guard;
};

TEST_P(PanelFactorTest, SplitsGeneralPanels) {
  fill();
  const MatrixXd A = square(), L_s = below(), U_s = upper;
  panel_factor.factor<false>(view(), guard);
  const MatrixXd L = square().triangularView<Eigen::UnitLower>();
  const MatrixXd U = square().triangularView<Eigen::Upper>();
  EXPECT_LT((L * U - A).norm(), 1e-13 * A.norm());
  EXPECT_LT((below() * U - L_s).norm(), 1e-13 * A.norm());
  EXPECT_LT((upper * L.transpose() - U_s).norm(), 1e-13 * A.norm());
  EXPECT_EQ(guard.replaced, 0);
}

TEST_P(PanelFactorTest, SplitsSymmetricPanels) {
  fill();
  const MatrixXd A = square().selfadjointView<Eigen::Lower>();
  const MatrixXd L_s = below();
  panel_factor.factor<true>(view(), guard);
  const MatrixXd L = square().triangularView<Eigen::UnitLower>();
  const MatrixXd D = square().diagonal().asDiagonal();
  EXPECT_LT((L * D * L.transpose() - A).norm(), 1e-13 * A.norm());
  EXPECT_LT((below() * D * L.transpose() - L_s).norm(), 1e-13 * A.norm());
  EXPECT_LT((upper * L.transpose() - L_s).norm(), 1e-13 * A.norm());
  EXPECT_EQ(guard.sign, 1);
}

INSTANTIATE_TEST_SUITE_P(Shapes, PanelFactorTest,
                         testing::Values(std::pair(1, 0), std::pair(2, 3), std::pair(3, 7), std::pair(6, 5), std::pair(7, 1),
                                         std::pair(12, 0), std::pair(16, 9), std::pair(29, 40)),
                         [](const auto& shape) {
                           return std::to_string(shape.param.first) + "_over_" + std::to_string(shape.param.second);
                         });

}  // namespace
}  // namespace cornet
