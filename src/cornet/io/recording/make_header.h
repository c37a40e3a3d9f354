#pragma once

#include <string>

#include "cornet/io/recording/recording.h"
#include "cornet/io/scene/scene.h"

namespace cornet {

/// Place in the recording of each body of a world: those that move, surroundings with prescribed motion, fixed ones.
std::vector<int> calcRecordedPlaces(const WorldModel& world);

/// The header for a world that is stepped by hand: what is known without a scene.
RecordingHeader makeRecordingHeader(const WorldModel& world, const SimulatorOptions& options, double dt,
                                    const std::string& title, int record_every = 1);

/// The header for a run of a scene. `program` names the program with its version, `command` is how it was called.
RecordingHeader makeRecordingHeader(const Scene& scene, const std::string& program, const std::string& command,
                                    int record_every = 1);

}  // namespace cornet
