// What there is of robot models when the library was not built in.
#include <fmt/format.h>

#include "cornet/body/mujoco/model_error.h"
#include "cornet/body/mujoco/mujoco_model.h"

namespace cornet {

std::string toString(const NotUsed& item) { return fmt::format("{} on {} {}", item.what, item.count, item.on); }

std::optional<double> ModelActuator::controlFor(double) const { return {}; }

std::string mujocoVersion() { return {}; }

MujocoModel::MujocoModel(const std::filesystem::path& file, const ModelOptions&) {
  throw ModelError(file.string(), 0, "robot models need MuJoCo, which was not built in", "./do build fetches it");
}

MujocoModel::~MujocoModel() = default;

void MujocoModel::follow(const std::vector<int>&, VectorXd&) const {}

std::shared_ptr<const Tree> MujocoModel::makeTree(int, const ModelTreeOptions&) const { return nullptr; }

}  // namespace cornet
