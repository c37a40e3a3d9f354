#include "cornet/audit/new_overlap.h"

#include <algorithm>
#include <utility>

#include "cornet/audit/body_way.h"

namespace cornet {

void judgeNewOverlap(const WorldModel& world, const ContactSet& before, const ContactSet& after, WorstOf& worst) {
  if (std::ranges::none_of(after.gap, [](double gap) { return gap < 0.0; })) return;
  int at = 0;
  for (int begin = 0, end = 0; begin < after.size(); begin = end) {
    const std::pair shapes(after.shape_a[begin], after.shape_b[begin]);
    double depth = 0.0;
    for (; end < after.size() && std::pair(after.shape_a[end], after.shape_b[end]) == shapes; ++end) {
      depth = std::max(depth, -after.gap[end]);
    }
    if (!(depth > 0.0)) continue;
    while (at < before.size() && std::pair(before.shape_a[at], before.shape_b[at]) < shapes) ++at;
    double known = 0.0;
    for (int k = at; k < before.size() && std::pair(before.shape_a[k], before.shape_b[k]) == shapes; ++k) {
      known = std::max(known, -before.gap[k]);
    }
    const int a = after.body_a[begin];
    const int b = after.body_b[begin];
    const double size = std::min(sizeOf(world, a), sizeOf(world, b));
    if (!(depth - known <= worst.value * size)) worst.add({(depth - known) / size, std::min(a, b), std::max(a, b)});
  }
}

}  // namespace cornet
