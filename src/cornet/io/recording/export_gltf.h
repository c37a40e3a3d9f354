#pragma once

#include <filesystem>

#include "cornet/io/recording/recording_reader.h"

/// A recording as glTF 2.0, which browsers and drawing programs show: one binary file (.glb) with a node for each body,
/// meshes for all shapes and an animation of all bodies that move. z stays up: a root node turns the world.
namespace cornet {

/// Every `every`th frame. Throws std::invalid_argument when the recording has no frame, std::runtime_error naming a
/// frame whose poses are not finite or when the file would pass the 4 GB of the format, FileError when it cannot be
/// written.
void exportGltf(const RecordingReader& reader, int every, const std::filesystem::path& file);

/// The bytes of that file.
std::string makeGlb(const RecordingReader& reader, int every);

}  // namespace cornet
