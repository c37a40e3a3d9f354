#include "cornet/sim/island_crew.h"

#include <algorithm>

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "cornet/sim/by_shape.h"
#include "cornet/sim/trees/tree_island_step.h"

namespace cornet {

struct IslandCrew::Threads {
  explicit Threads(const SimulatorOptions& the_options)
      : options(the_options),
        count(std::min(options.threads, oneapi::tbb::info::default_concurrency())),
        tree_workers([the_options] { return TreeIslandStep(the_options); }) {
    if (count > 1) arena.initialize(count);
  }
  IslandStep& workerFor(const Island& island) {
    return workers.local().of(island.shape, [this] { return std::make_unique<IslandStep>(options); });
  }

  SimulatorOptions options;
  int count;
  oneapi::tbb::enumerable_thread_specific<ByShape<IslandStep>> workers;
  oneapi::tbb::enumerable_thread_specific<TreeIslandStep> tree_workers;
  oneapi::tbb::task_arena arena;
};

IslandCrew::IslandCrew(const SimulatorOptions& options) : threads_(std::make_unique<Threads>(options)) {}
IslandCrew::~IslandCrew() = default;
IslandCrew::IslandCrew(IslandCrew&&) noexcept = default;

void IslandCrew::run(const WorldModel& world, const StepView& step, const StepMemory& memory,
                     std::span<Island> islands) {
  const auto runOne = [&](std::size_t k) {
    if (islands[k].is_done) return;
    const IslandReport earlier = std::move(islands[k].report);
    islands[k].report = islands[k].has_trees ? threads_->tree_workers.local().run(world, step, islands[k], memory)
                                             : threads_->workerFor(islands[k]).run(world, step, islands[k], memory);
    islands[k].report.addEffort(earlier);
    islands[k].is_done = true;
  };
  if (threads_->count == 1 || islands.size() < 2) {
    for (std::size_t k = 0; k < islands.size(); ++k) runOne(k);
    return;
  }
  threads_->arena.execute([&] {
    oneapi::tbb::parallel_for(std::size_t{0}, islands.size(), runOne);
  });
}

}  // namespace cornet
