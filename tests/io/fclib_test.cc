#include "cornet/io/fclib.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "cornet/io/hdf5_file.h"
#include "cornet/io/sparse_entries.h"
#include "cornet/solvers/gauss_seidel.h"
#include "support/rigid_scene.h"
#include "support/temporary_folder.h"

namespace cornet {
namespace {

bool identicalProblems(const ProblemFile& a, const ProblemFile& b) {
  if (a.problem.index() != b.problem.index()) return false;
  if (const auto* velocity_form = std::get_if<ContactProblem>(&a.problem)) {
    return identical(*velocity_form, std::get<ContactProblem>(b.problem));
  }
  return identical(std::get<DelassusProblem>(a.problem), std::get<DelassusProblem>(b.problem));
}

void expectRoundTrip(const ProblemFile& content) {
  const test::TemporaryFolder folder;
  writeProblem(folder / "p.hdf5", content);
  const ProblemFile back = readProblem(folder / "p.hdf5");
  EXPECT_TRUE(identicalProblems(content, back));
  EXPECT_EQ(content.warm_impulse, back.warm_impulse);
  EXPECT_EQ(content.title, back.title);
  EXPECT_EQ(content.description, back.description);
}

// Every law, compliance, lever, key, origin, an infinite μ and a negative zero.
ContactProblem everything() {
  std::mt19937 random(81);
  std::normal_distribution<double> normal;
  ContactProblem problem = test::assemble(test::boxStack({1.0, 3.0}));
  const int equality = problem.rows.addEquality(5, {Origin::Kind::joint, 3});
  problem.rows.addUnilateral(1, {Origin::Kind::limit, 1});
  const std::vector<double> lower = {-1.5, -kInfinity};
  const std::vector<double> upper = {2.5, 0.0};
  problem.rows.addBox(lower, upper, {Origin::Kind::motor, 9});
  problem.rows.addCone(kInfinity, {Origin::Kind::contact, 77});
  problem.rows.addCone(0.0);
  for (const int rows : {5, 1, 2, 3, 3}) {
    problem.J.appendRow(rows);
    const int i = problem.J.rowBlockCount() - 1;
    for (int tree = 0; tree < 2; ++tree) {
      if (i % 2 == tree) continue;
      const int k = problem.J.appendBlock(tree);
      problem.J.block(i, k) = MatrixXd::NullaryExpr(rows, 6, [&] { return normal(random); });
    }
  }
  problem.J.block(equality, problem.J.begin(equality))(0, 0) = -0.0;
  problem.J.block(equality, problem.J.begin(equality))(1, 1) = 0.0;
  problem.bias = VectorXd::NullaryExpr(problem.rows.rowCount(), [&] { return normal(random); });
  problem.v_free = VectorXd::NullaryExpr(problem.dofCount(), [&] { return normal(random); });
  problem.rows.compliance[24] = 1e-7;
  problem.rows.lever[25] = 0.3;
  problem.rows.key[3] = 0xFFFFFFFFFFFFFFFFull;
  problem.dt = 1.0 / 3.0;
  problem.validate();
  return problem;
}

TEST(Fclib, AnyContactProblemReturnsBitEqual) {
  ProblemFile content;
  content.problem = everything();
  content.warm_impulse = VectorXd::LinSpaced(content.rows().rowCount(), -1.0, 1.0 / 3.0);
  content.title = "everything";
  content.description = "one of each law";
  expectRoundTrip(content);
}

TEST(Fclib, AnyDelassusProblemReturnsBitEqual) {
  ProblemFile content;
  content.problem = makeDelassusProblem(everything());
  expectRoundTrip(content);
}

TEST(Fclib, EmptyProblemsAreValid) {
  ProblemFile content;
  content.problem = ContactProblem{};
  expectRoundTrip(content);
  content.problem = DelassusProblem{};
  expectRoundTrip(content);
}

TEST(Fclib, OtherToolsFindConesAndEqualitiesInTheFclibPart) {
  const test::TemporaryFolder folder;
  ProblemFile content;
  const ContactProblem problem = everything();
  content.problem = problem;
  writeProblem(folder / "p.hdf5", content);
  const Hdf5Reader reader(folder / "p.hdf5");
  const std::vector<double> mu = reader.readDoubles("/fclib_global/vectors/mu");
  EXPECT_EQ(mu.size(), 9u);  // the eight contacts of the stack and the frictionless one
  EXPECT_EQ(readMatrix(reader, "/fclib_global/H").cols, 27);
  EXPECT_EQ(readMatrix(reader, "/fclib_global/G").cols, 5);
  EXPECT_EQ(reader.readInt("/fclib_global/spacedim"), 3);
}

// The same matrix in the three storages of the format.
TEST(Fclib, ReadsRowsColumnsAndTriplets) {
  //  1 0 2
  //  0 3 0     rows: p 0 2 3 4; columns: p 0 1 3 4
  //  0 4 0
  const test::TemporaryFolder folder;
  const auto write = [&](const std::string& name, int nz, const std::vector<int>& p,
                         const std::vector<int>& i, const std::vector<double>& x) {
    Hdf5Writer writer(folder / name);
    writer.write("/A/m", 3);
    writer.write("/A/n", 3);
    writer.write("/A/nz", nz);
    writer.write("/A/nzmax", static_cast<int>(x.size()));
    writer.write("/A/p", p);
    writer.write("/A/i", i);
    writer.write("/A/x", x);
    writer.commit();
  };
  write("rows", -2, {0, 2, 3, 4}, {2, 0, 1, 1}, {2, 1, 3, 4});
  write("columns", -1, {0, 1, 3, 4}, {0, 2, 1, 0}, {1, 4, 3, 2});
  write("triplets", 5, {1, 0, 1, 2, 1}, {2, 0, 1, 0, 1}, {4, 1, 1, 2, 2});  // (1,1) twice
  for (const char* name : {"rows", "columns", "triplets"}) {
    const SparseEntries A = readMatrix(Hdf5Reader(folder / name), "/A");
    ASSERT_EQ(A.entries.size(), 4u) << name;
    const std::vector<std::vector<double>> expected = {{0, 0, 1}, {0, 2, 2}, {1, 1, 3}, {2, 1, 4}};
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(A.entries[k].row, expected[k][0]) << name;
      EXPECT_EQ(A.entries[k].column, expected[k][1]) << name;
      EXPECT_EQ(A.entries[k].value, expected[k][2]) << name;
    }
  }
}

// A file as another tool writes it: no /cornet group, diagonal M, equality rows in G.
void writeForeignGlobal(const std::filesystem::path& file, bool triangle) {
  Hdf5Writer writer(file);
  const std::string g = "/fclib_global";
  writer.write(g + "/spacedim", 3);
  SparseEntries M{6, 6, {}};
  for (int k = 0; k < 6; ++k) M.entries.push_back({k, k, 2.0});
  if (triangle) M.entries.push_back({0, 1, 0.5});
  M.sort();
  writeMatrix(writer, g + "/M", M);
  SparseEntries H{6, 3, {{0, 1, 1.0}, {1, 2, 1.0}, {2, 0, 1.0}}};
  writeMatrix(writer, g + "/H", H);
  SparseEntries G{6, 1, {{3, 0, 1.0}}};
  writeMatrix(writer, g + "/G", G);
  writer.write(g + "/vectors/f", std::vector<double>{2, 0, -4, 6, 0, 0});
  writer.write(g + "/vectors/w", std::vector<double>{0, 0, 0});
  writer.write(g + "/vectors/b", std::vector<double>{0.5});
  writer.write(g + "/vectors/mu", std::vector<double>{0.25});
  writer.commit();
}

TEST(Fclib, ReadsForeignGlobalProblemsWithEqualities) {
  const test::TemporaryFolder folder;
  writeForeignGlobal(folder / "g.hdf5", false);
  const ProblemFile content = readProblem(folder / "g.hdf5");
  Solution solution;
  GaussSeidel().solve(std::get<ContactProblem>(content.problem), solution);
  EXPECT_EQ(solution.status, SolveStatus::solved);
  // v_free = (1, 0, -2, 3, ..): the floor stops z, friction takes 0.25 * 2 m/s of x, and the
  // equality v_3 + 0.5 = 0 holds.
  EXPECT_NEAR(solution.v[0], 0.5, 1e-14);
  EXPECT_NEAR(solution.v[2], 0.0, 1e-14);
  EXPECT_NEAR(solution.v[3], -0.5, 1e-14);
}

TEST(Fclib, EqualitiesCountWhateverTheFileSaysOfTheirNumber) {
  const test::TemporaryFolder folder;
  {
    Hdf5Writer writer(folder / "l.hdf5");  // V without nzmax, no R
    const std::string g = "/fclib_local";
    writer.write(g + "/spacedim", 3);
    writeMatrix(writer, g + "/W", {3, 3, {{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, 1.0}}});
    writer.write(g + "/V/m", 3);
    writer.write(g + "/V/n", 1);
    writer.write(g + "/V/nz", 1);
    writer.write(g + "/V/i", std::vector<int>{1});
    writer.write(g + "/V/p", std::vector<int>{0});
    writer.write(g + "/V/x", std::vector<double>{1.0});
    writer.write(g + "/vectors/q", std::vector<double>{-1, 0, 0});
    writer.write(g + "/vectors/s", std::vector<double>{-0.1});
    writer.write(g + "/vectors/mu", std::vector<double>{0.5});
    writer.commit();
  }
  EXPECT_EQ(readProblem(folder / "l.hdf5").rows().blockCount(), 2);
}

TEST(Fclib, OneTriangleOfTheMassMatrixMeansTheSymmetricOne) {
  const test::TemporaryFolder folder;
  writeForeignGlobal(folder / "g.hdf5", true);
  const auto problem = std::get<ContactProblem>(readProblem(folder / "g.hdf5").problem);
  EXPECT_EQ(problem.M.block(0)(1, 0), 0.5);
  EXPECT_EQ(problem.M.block(0)(0, 1), 0.5);
}

TEST(Fclib, ReadsForeignLocalProblemsWithEqualities) {
  const test::TemporaryFolder folder;
  {
    Hdf5Writer writer(folder / "l.hdf5");
    const std::string g = "/fclib_local";
    writer.write(g + "/spacedim", 3);
    writeMatrix(writer, g + "/W", {3, 3, {{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, 1.0}}});
    writeMatrix(writer, g + "/V", {3, 1, {{1, 0, 0.5}}});
    writeMatrix(writer, g + "/R", {1, 1, {{0, 0, 1.0}}});
    writer.write(g + "/vectors/q", std::vector<double>{-1, 0, 0});
    writer.write(g + "/vectors/s", std::vector<double>{-0.1});
    writer.write(g + "/vectors/mu", std::vector<double>{0.5});
    writer.commit();
  }
  const auto problem = std::get<DelassusProblem>(readProblem(folder / "l.hdf5").problem);
  Solution solution;
  ASSERT_EQ(GaussSeidel().solve(problem, solution), SolveStatus::solved);
  // Sticking: r_t + 0.5 l = 0 and 0.5 r_t + l = 0.1.
  EXPECT_NEAR(solution.lambda[3], 0.1 / 0.75, 1e-8);
  EXPECT_NEAR(solution.lambda[1], -0.05 / 0.75, 1e-8);
}

std::vector<std::filesystem::path> collectedFiles() {
  std::vector<std::filesystem::path> files;
  std::vector<std::filesystem::path> folders = {CORNET_SHIPPED_PROBLEMS};
  if (const char* more = std::getenv("CORNET_FCLIB_DIR")) folders.emplace_back(more);
  for (const auto& folder : folders) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".hdf5") files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

// Public problems: those we ship, and a larger collection where CORNET_FCLIB_DIR names one.
TEST(Fclib, PublicProblemsLoadAndReturnBitEqual) {
  const auto files = collectedFiles();
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    expectRoundTrip(readProblem(file));
  }
}

}  // namespace
}  // namespace cornet
