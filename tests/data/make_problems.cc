// Makes the problem files that are our own: tests/data (small, one per feature of the format) and
// scenes/problems (closed-form scenes to look at).
//
//   make_problems TESTS_DATA SCENES_PROBLEMS
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <vector>

#include "cornet/io/fclib.h"
#include "cornet/io/hdf5_file.h"
#include "cornet/io/sparse_entries.h"
#include "support/rigid_scene.h"

namespace {

using namespace cornet;
namespace fs = std::filesystem;

void save(const fs::path& file, std::variant<ContactProblem, DelassusProblem> problem,
          const std::string& description) {
  ProblemFile content;
  content.problem = std::move(problem);
  content.title = file.stem().string();
  content.description = description;
  writeProblem(file, content);
  std::printf("%s: %d rows\n", file.filename().c_str(), content.rows().rowCount());
}

// A problem with every law, as small as it gets: two bodies of one degree of freedom each.
ContactProblem everyLaw() {
  ContactProblem problem;
  problem.M = BlockDiagonalMatrix(std::vector<int>{3, 3});
  problem.M.block(0).setIdentity();
  problem.M.block(1) = 2.0 * Matrix3d::Identity();
  problem.v_free = VectorXd::LinSpaced(6, -1.0, 0.5);
  problem.J = BlockSparseMatrix(problem.M.offsets());
  const std::vector<double> lower = {-0.1};
  const std::vector<double> upper = {0.2};
  problem.rows.addCone(0.5, {Origin::Kind::contact, 0});
  problem.rows.addCone(std::numeric_limits<double>::infinity(), {Origin::Kind::contact, 1});
  problem.rows.addEquality(2, {Origin::Kind::joint, 0});
  problem.rows.addUnilateral(1, {Origin::Kind::limit, 0});
  problem.rows.addBox(lower, upper, {Origin::Kind::motor, 0});
  for (int i = 0; i < problem.rows.blockCount(); ++i) {
    problem.J.appendRow(problem.rows.size(i));
    for (int tree = 0; tree < 2; ++tree) {
      auto block = problem.J.block(i, problem.J.appendBlock(tree));
      block = MatrixXd::Identity(block.rows(), 3) * (tree == 0 ? 1.0 : -1.0);
    }
  }
  problem.bias = VectorXd::Zero(problem.rows.rowCount());
  problem.dt = 0.01;
  return problem;
}

// As other tools write: no extension, the storage given, with a bilateral block.
void saveForeign(const fs::path& file, int storage) {
  Hdf5Writer writer(file);
  const std::string g = "/fclib_local";
  writer.write(g + "/spacedim", 3);
  writer.write(g + "/W/m", 3);
  writer.write(g + "/W/n", 3);
  writer.write(g + "/W/nzmax", 3);
  writer.write(g + "/W/nz", storage);
  writer.write(g + "/W/p", storage >= 0 ? std::vector<int>{0, 1, 2} : std::vector<int>{0, 1, 2, 3});
  writer.write(g + "/W/i", std::vector<int>{0, 1, 2});
  writer.write(g + "/W/x", std::vector<double>{1.0, 2.0, 2.0});
  writeMatrix(writer, g + "/V", {3, 1, {{1, 0, 0.5}}});
  writeMatrix(writer, g + "/R", {1, 1, {{0, 0, 1.0}}});
  writer.write(g + "/vectors/q", std::vector<double>{-1.0, 0.1, 0.0});
  writer.write(g + "/vectors/s", std::vector<double>{-0.1});
  writer.write(g + "/vectors/mu", std::vector<double>{0.5});
  writer.writeString(g + "/info/title", file.stem().string());
  writer.commit();
}

test::Scene slidingCube() {
  test::Scene scene = test::boxOnFloor(0.5);
  scene.bodies[0].velocity = Vector3d(2.0, 0.0, 0.0);
  return scene;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const fs::path data = argv[1];
  save(data / "sliding_cube_delassus.hdf5", makeDelassusProblem(test::assemble(slidingCube())),
       "Delassus form of a cube on four contacts");
  save(data / "sliding_cube.hdf5", test::assemble(slidingCube()), "velocity form of the same");
  save(data / "every_law.hdf5", everyLaw(), "one block of each law");
  save(data / "no_contact.hdf5", ContactProblem{}, "nothing at all: valid, zero work");
  saveForeign(data / "foreign_rows.hdf5", -2);
  saveForeign(data / "foreign_columns.hdf5", -1);
  saveForeign(data / "foreign_triplets.hdf5", 3);

  const fs::path scenes = argv[2];
  save(scenes / "own_sliding_cube.hdf5", test::assemble(slidingCube()),
       "unit cube, mu 0.5, sliding at 2 m/s: v = 2 - mu g dt, no rotation, no lift");
  save(scenes / "own_stack_10.hdf5", test::assemble(test::boxStack(std::vector<double>(10, 1.0))),
       "ten unit cubes at rest: each joint carries the weight above it");
  save(scenes / "own_arch_15.hdf5", test::assemble(test::arch(15)),
       "semicircular arch of 15 voussoirs, mu 0.6, at rest");
  save(scenes / "own_brick_wall_6x6.hdf5", test::assemble(test::brickWall(6, 6)),
       "brick wall in running bond, mu 0.5, at rest");
  save(scenes / "own_sphere_pile_50.hdf5", test::assemble(test::spherePile(50, 1)),
       "50 spheres in a box, mu 0.5, thrown with random velocities");
  return 0;
}
