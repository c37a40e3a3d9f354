#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace cornet {

/// Workspaces by the shape of islands: what one has taken in memory, and planned for its matrices, fits the next one of its shape. The
/// few that were used last are kept. What is computed does not depend on which one is used.
template <class Work>
class ByShape {
 public:
  /// The one for this shape; `make` makes a new one.
  template <class Make>
  Work& of(std::uint64_t shape, const Make& make) {
    auto place = std::ranges::find(kept_, shape, &Kept::shape);
    if (place == kept_.end()) {
      if (kept_.size() < kMost) {
        place = kept_.insert(kept_.end(), {shape, 0, make()});
      } else {
        place = std::ranges::min_element(kept_, {}, &Kept::used);
        place->shape = shape;
      }
    }
    place->used = ++uses_;
    return *place->work;
  }

 private:
  static constexpr std::size_t kMost = 16;

  struct Kept {
    std::uint64_t shape, used;
    std::unique_ptr<Work> work;
  };
  std::vector<Kept> kept_;
  std::uint64_t uses_ = 0;
};

}  // namespace cornet
