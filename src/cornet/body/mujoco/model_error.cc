#include "cornet/body/mujoco/model_error.h"

#include <fmt/format.h>

namespace cornet {

ModelError::ModelError(std::string file, int line, std::string fault, std::string help)
    : std::runtime_error(fmt::format("{}{}: error: {}{}{}", file, line > 0 ? fmt::format(":{}", line) : "", fault,
                                     help.empty() ? "" : "\n  help: ", help)),
      file_(std::move(file)),
      line_(line),
      fault_(std::move(fault)),
      help_(std::move(help)) {}

}  // namespace cornet
