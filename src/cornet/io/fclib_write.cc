#include <algorithm>
#include <cmath>

#include "cornet/io/fclib.h"
#include "cornet/io/fclib_layout.h"
#include "cornet/io/hdf5_file.h"
#include "cornet/io/sparse_entries.h"

namespace cornet {
namespace {

// The entries of the rows and columns that have a place in the maps; an empty map keeps all.
SparseEntries select(const SparseEntries& matrix, const std::vector<int>& row_map, int rows,
                     const std::vector<int>& column_map, int cols) {
  SparseEntries result{rows, cols, {}};
  for (const SparseEntries::Entry& e : matrix.entries) {
    const int row = row_map[e.row];
    const int column = column_map.empty() ? e.column : column_map[e.column];
    if (row >= 0 && column >= 0) result.entries.push_back({row, column, e.value});
  }
  return result;
}

void writeExtension(Hdf5Writer& writer, const ConstraintRows& rows, const ProblemFile& content,
                    double dt) {
  std::vector<int> kind, size, origin_kind, origin_index;
  for (int i = 0; i < rows.blockCount(); ++i) {
    kind.push_back(static_cast<int>(rows.kind[i]));
    size.push_back(rows.size(i));
    origin_kind.push_back(static_cast<int>(rows.origin[i].kind));
    origin_index.push_back(rows.origin[i].index);
  }
  writer.write("/cornet/version", kExtensionVersion);
  writer.write("/cornet/dt", dt);
  writer.write("/cornet/rows/kind", kind);
  writer.write("/cornet/rows/size", size);
  writer.write("/cornet/rows/mu", rows.mu);
  writer.write("/cornet/rows/lower", rows.lower);
  writer.write("/cornet/rows/upper", rows.upper);
  writer.write("/cornet/rows/compliance", rows.compliance);
  writer.write("/cornet/rows/lever", rows.lever);
  writer.write("/cornet/rows/key", rows.key);
  writer.write("/cornet/rows/origin_kind", origin_kind);
  writer.write("/cornet/rows/origin_index", origin_index);
  if (content.warm_impulse.size() > 0) {
    writer.write("/cornet/warm_impulse", asSpan(content.warm_impulse));
  }
}

void writeInfo(Hdf5Writer& writer, const std::string& group, const ProblemFile& content) {
  writer.write(group + "/spacedim", 3);
  writer.writeString(group + "/info/title", content.title);
  writer.writeString(group + "/info/description", content.description);
  writer.writeString(group + "/info/math_info", content.math_info);
}

void writeForm(Hdf5Writer& writer, const DelassusProblem& problem, const ProblemFile& content) {
  const std::string group = "/fclib_local";
  const FclibRows map(problem.rows);
  const SparseEntries W = listEntries(problem.W);
  writeInfo(writer, group, content);
  writeMatrix(writer, group + "/W", select(W, map.cone, map.cone_count, map.cone, map.cone_count));
  writer.write(group + "/vectors/q", pick(problem.q, map.cone, map.cone_count));
  writer.write(group + "/vectors/mu", map.mu);
  if (map.equality_count > 0) {
    const int count = map.equality_count;
    writeMatrix(writer, group + "/V", select(W, map.cone, map.cone_count, map.equality, count));
    writeMatrix(writer, group + "/R", select(W, map.equality, count, map.equality, count));
    writer.write(group + "/vectors/s", pick(problem.q, map.equality, count));
  }
  writeExtension(writer, problem.rows, content, problem.dt);
  writer.write("/cornet/bias", asSpan(problem.bias));
  if (!map.complete()) {
    writeMatrix(writer, "/cornet/W", W);
    writer.write("/cornet/q", asSpan(problem.q));
  }
}

SparseEntries massEntries(const BlockDiagonalMatrix& M) {
  SparseEntries list{M.dimension(), M.dimension(), {}};
  for (int i = 0; i < M.blockCount(); ++i) {
    for (int r = 0; r < M.size(i); ++r) {
      for (int c = 0; c < M.size(i); ++c) {
        list.entries.push_back({M.offset(i) + r, M.offset(i) + c, M.block(i)(r, c)});
      }
    }
  }
  return list;
}

void writeForm(Hdf5Writer& writer, const ContactProblem& problem, const ProblemFile& content) {
  const std::string group = "/fclib_global";
  const FclibRows map(problem.rows);
  const SparseEntries J = listEntries(problem.J);
  const int dofs = problem.dofCount();
  VectorXd f;
  problem.M.multiply(problem.v_free, f);
  if (!f.allFinite()) throw std::invalid_argument("M v_free overflows: it cannot be written");
  writeInfo(writer, group, content);
  writeMatrix(writer, group + "/M", massEntries(problem.M));
  writeMatrix(writer, group + "/H", select(J, map.cone, map.cone_count, {}, dofs).transposed());
  writer.write(group + "/vectors/f", asSpan(f));
  writer.write(group + "/vectors/w", pick(problem.bias, map.cone, map.cone_count));
  writer.write(group + "/vectors/mu", map.mu);
  if (map.equality_count > 0) {
    const int count = map.equality_count;
    writeMatrix(writer, group + "/G", select(J, map.equality, count, {}, dofs).transposed());
    writer.write(group + "/vectors/b", pick(problem.bias, map.equality, count));
  }
  writeExtension(writer, problem.rows, content, problem.dt);
  std::vector<int> tree_sizes;
  for (int i = 0; i < problem.M.blockCount(); ++i) tree_sizes.push_back(problem.M.size(i));
  writer.write("/cornet/tree_sizes", tree_sizes);
  writer.write("/cornet/v_free", asSpan(problem.v_free));
  if (!map.complete()) {
    writeMatrix(writer, "/cornet/J", J);
    writer.write("/cornet/bias", asSpan(problem.bias));
  }
}

}  // namespace

void writeProblem(const std::filesystem::path& file, const ProblemFile& content) {
  std::visit([](const auto& problem) { problem.validate(); }, content.problem);
  const Eigen::Index warm = content.warm_impulse.size();
  if (warm != 0 && warm != content.rows().rowCount()) {
    throw std::invalid_argument("warm_impulse needs one entry per row, or none");
  }
  if (!content.warm_impulse.allFinite()) {
    throw std::invalid_argument("warm_impulse has entries that are not finite");
  }
  Hdf5Writer writer(file);
  std::visit([&](const auto& problem) { writeForm(writer, problem, content); }, content.problem);
  writer.commit();
}

}  // namespace cornet
