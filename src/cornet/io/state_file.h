#pragma once

#include <filesystem>

#include "cornet/world/state.h"

/// A moment of a simulation as a file (HDF5), every bit of it: what continues from a loaded moment is what would
/// have followed the saved one.
namespace cornet {

struct SavedMoment {
  State state;
  StepMemory memory;
};

/// Throws FileError when the file cannot be written. What was there before stays until all is written.
void saveMoment(const std::filesystem::path& file, const State& state, const StepMemory& memory);

/// Throws FileError when it cannot be read, FormatError when it is no such file, damaged, or from a newer
/// version.
SavedMoment loadMoment(const std::filesystem::path& file);

}  // namespace cornet
