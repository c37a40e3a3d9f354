#pragma once

#include <fstream>
#include <string>

#include "cornet/body/mujoco/mujoco_model.h"
#include "support/temporary_folder.h"

namespace cornet::test {

inline std::filesystem::path robotFile(const std::string& name) { return std::filesystem::path(CORNET_ROBOTS) / name; }

/// Models written down in a test.
class ModelFolder {
 public:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  MujocoModel read(const std::string& text) const { return MujocoModel(write("model.xml", text)); }

 private:
  TemporaryFolder folder_;
};

}  // namespace cornet::test
