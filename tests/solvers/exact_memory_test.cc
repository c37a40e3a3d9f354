// A solve of a problem with the structure of the last one takes no memory. A program of its own,
// because it replaces the allocator.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "cornet/solvers/exact.h"
#include "support/rigid_scene.h"

namespace {
std::atomic<bool> counting = false;
std::atomic<long> allocations = 0;

void* take(std::size_t size) {
  if (counting) ++allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

// Eigen takes memory with malloc or aligned new; the library is linked to glibc's malloc, whose
// hooks are gone, so malloc itself is wrapped by the linker (-Wl,--wrap=malloc).
extern "C" void* __real_malloc(std::size_t size);
extern "C" void* __wrap_malloc(std::size_t size) {
  if (counting) ++allocations;
  return __real_malloc(size);
}
void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace cornet {
namespace {

template <class Problem>
long countAllocations(ExactSolver& solver, const Problem& problem, Solution& solution) {
  allocations = 0;
  counting = true;
  solver.solve(problem, solution);
  counting = false;
  return allocations;
}

// The same contacts with other data: solved cold, and from impulses that are nearly right.
template <class Problem>
void expectNoAllocation(Problem problem) {
  ExactSolver solver;
  Solution solution;
  solver.solve(problem, solution);
  ASSERT_GT(solution.factorizations, 0);
  for (const double factor : {1.001, 0.7, 1.0}) {
    const VectorXd warm = solution.lambda;
    if constexpr (std::is_same_v<Problem, ContactProblem>) {
      problem.v_free *= factor;
    } else {
      problem.q *= factor;
    }
    solution.lambda = factor == 1.0 ? VectorXd(VectorXd::Zero(warm.size())) : warm;
    EXPECT_EQ(countAllocations(solver, problem, solution), 0) << factor;
    EXPECT_EQ(solution.status, SolveStatus::solved);
  }
}

TEST(ExactMemory, WarmSolveAllocatesNothing) {
  expectNoAllocation(test::assemble(test::brickWall(4, 4)));
  expectNoAllocation(test::assemble(test::boxStack(std::vector<double>(10, 1.0))));
  expectNoAllocation(makeDelassusProblem(test::assemble(test::arch(9))));
  expectNoAllocation(test::assemble(test::spherePile(30, 4)));
}

}  // namespace
}  // namespace cornet
