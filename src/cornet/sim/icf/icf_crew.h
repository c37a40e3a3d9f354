#pragma once

#include <functional>
#include <memory>

namespace cornet {

/// Threads for the islands of compliant steps: a loop whose bodies may run side by side.
class IcfCrew {
 public:
  explicit IcfCrew(int threads);
  ~IcfCrew();

  void run(int count, const std::function<void(int)>& body);

 private:
  struct Threads;
  std::unique_ptr<Threads> threads_;  // null: one
};

}  // namespace cornet
