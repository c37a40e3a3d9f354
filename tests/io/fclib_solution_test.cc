#include <fstream>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "cornet/io/fclib.h"
#include "cornet/io/format_error.h"
#include "cornet/io/hdf5_file.h"
#include "cornet/solvers/gauss_seidel.h"
#include "support/rigid_scene.h"
#include "support/temporary_folder.h"

namespace cornet {
namespace {

TEST(FclibSolution, ImpulsesReturnBitEqual) {
  const test::TemporaryFolder folder;
  const ContactProblem problem = test::assemble(test::boxStack({1.0, 2.0}));
  Solution solution;
  GaussSeidel().solve(problem, solution);
  writeSolution(folder / "s.hdf5", problem.rows, solution);
  EXPECT_EQ(readImpulses(folder / "s.hdf5", problem.rows), solution.lambda);
}

TEST(FclibSolution, ReadsWhatOtherToolsWrite) {
  const test::TemporaryFolder folder;
  ConstraintRows rows;
  rows.addEquality(1);
  rows.addCone(0.5);
  {
    Hdf5Writer writer(folder / "s.hdf5");
    writer.write("/solution/r", std::vector<double>{1, 2, 3});
    writer.write("/solution/l", std::vector<double>{9});
    writer.commit();
  }
  EXPECT_EQ(readImpulses(folder / "s.hdf5", rows), Eigen::Vector4d(9, 1, 2, 3));
  std::ofstream(folder / "s.txt") << "9 1.0\n2e0 3\n";
  EXPECT_EQ(readImpulses(folder / "s.txt", rows), Eigen::Vector4d(9, 1, 2, 3));
}

TEST(FclibSolution, RefusesTheWrongNumberAndWordsThatAreNoNumbers) {
  const test::TemporaryFolder folder;
  ConstraintRows rows;
  rows.addCone(0.5);
  std::ofstream(folder / "short.txt") << "1 2";
  EXPECT_THROW(readImpulses(folder / "short.txt", rows), FormatError);
  std::ofstream(folder / "word.txt") << "1 two 3";
  EXPECT_THROW(readImpulses(folder / "word.txt", rows), FormatError);
  std::ofstream(folder / "nan.txt") << "1 nan 3";
  EXPECT_THROW(readImpulses(folder / "nan.txt", rows), FormatError);
  EXPECT_THROW(readImpulses(folder / "missing", rows), FileError);
  {
    Hdf5Writer writer(folder / "s.hdf5");
    writer.write("/solution/r", std::vector<double>{1, 2});
    writer.commit();
  }
  EXPECT_THROW(readImpulses(folder / "s.hdf5", rows), FormatError);
  rows.addUnilateral(1);
  EXPECT_THROW(readImpulses(folder / "s.hdf5", rows), FormatError);
}

}  // namespace
}  // namespace cornet
