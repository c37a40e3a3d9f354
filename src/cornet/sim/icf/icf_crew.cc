#include "cornet/sim/icf/icf_crew.h"

#include <algorithm>

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace cornet {

struct IcfCrew::Threads {
  explicit Threads(int count) : arena(count) {}
  oneapi::tbb::task_arena arena;
};

IcfCrew::IcfCrew(int threads) {
  const int count = std::min(threads, oneapi::tbb::info::default_concurrency());
  if (count > 1) threads_ = std::make_unique<Threads>(count);
}
IcfCrew::~IcfCrew() = default;

void IcfCrew::run(int count, const std::function<void(int)>& body) {
  if (!threads_ || count < 2) {
    for (int k = 0; k < count; ++k) body(k);
    return;
  }
  threads_->arena.execute([&] { oneapi::tbb::parallel_for(0, count, body); });
}

}  // namespace cornet
