#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include <mujoco/mujoco.h>

/// The robot library, behind one door: nothing else includes its headers. Where it finds a fault it would end the process; here
/// a fault jumps out of the call and comes back as LibraryFault. Messages of calls that do not come through here go to the handler that was
/// there before.
namespace cornet {

/// A fault inside the library, with its message.
class LibraryFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs call(data); returns the warnings it gave, a line each.
std::string runGuarded(void (*call)(const void*), const void* data);

/// The same for a lambda. It is left by a jump: no object with a destructor may live in it.
template <class Call>
std::string guarded(const Call& call) {
  return runGuarded([](const void* data) { (*static_cast<const Call*>(data))(); }, &call);
}

struct ModelDeleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
using ModelHandle = std::unique_ptr<mjModel, ModelDeleter>;

struct DataDeleter {
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using DataHandle = std::unique_ptr<mjData, DataDeleter>;

/// Data of a model, at its reference pose.
DataHandle makeData(const mjModel& model);

}  // namespace cornet
