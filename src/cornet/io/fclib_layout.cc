#include "cornet/io/fclib_layout.h"

#include <cmath>

namespace cornet {

FclibRows::FclibRows(const ConstraintRows& rows)
    : cone(static_cast<std::size_t>(rows.rowCount()), -1), equality(cone) {
  for (int i = 0; i < rows.blockCount(); ++i) {
    const bool is_cone = rows.kind[i] == LawKind::cone && std::isfinite(rows.mu[i]);
    if (is_cone) mu.push_back(rows.mu[i]);
    for (int row = rows.offset(i); row < rows.offset(i) + rows.size(i); ++row) {
      if (is_cone) cone[row] = cone_count++;
      if (rows.kind[i] == LawKind::equality) equality[row] = equality_count++;
    }
  }
}

std::vector<double> pick(const VectorXd& x, const std::vector<int>& map, int count) {
  std::vector<double> result(static_cast<std::size_t>(count));
  for (std::size_t row = 0; row < map.size(); ++row) {
    if (map[row] >= 0) result[map[row]] = x[static_cast<Eigen::Index>(row)];
  }
  return result;
}

}  // namespace cornet
