// Contacts are values: once the buffers have their size, assembling them takes no memory. A program of
// its own, because it replaces the allocator.
#include "cornet/constraints/assembly.h"
#include "support/allocation_counter.h"

namespace cornet {
namespace {

TEST(AssemblyMemory, ContactsTakeNoMemoryAfterTheFirstTime) {
  constexpr int kBodies = 50;
  std::vector<BodyInProblem> bodies(kBodies + 1);  // the last one is the ground
  ContactProblem problem;
  const std::vector<int> sizes(kBodies, 6);
  problem.M = BlockDiagonalMatrix(sizes);
  problem.v_free = VectorXd::Zero(6 * kBodies);
  std::vector<ContactPoint> contacts;
  for (int i = 0; i < kBodies; ++i) {
    problem.M.block(i).setIdentity();
    bodies[i].tree = i;
    for (int k = 0; k < 4; ++k) {
      ContactPoint contact;
      contact.body_a = i == 0 ? kBodies : i - 1;
      contact.body_b = i;
      contact.p_BC_W = Vector3d(k % 2, k / 2, -0.5);
      contact.mu = k == 3 ? 0.0 : 0.5;
      contacts.push_back(contact);
    }
  }
  Assembler assembler;
  const auto assemble = [&] {
    assembler.reset(bodies, 0.01, 0.0, AssemblyLevel::velocity, problem);
    assembler.add(contacts);
    assembler.finish();
  };
  assemble();
  problem.validate();
  ASSERT_EQ(problem.rows.rowCount(), kBodies * 10);
  EXPECT_EQ(test::countAllocations(assemble), 0);
}

}  // namespace
}  // namespace cornet
