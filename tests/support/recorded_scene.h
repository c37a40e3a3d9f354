#pragma once

#include "cornet/io/recording/make_header.h"
#include "cornet/io/recording/recorder.h"
#include "cornet/run/scene_run.h"
#include "cornet/io/recording/recording_reader.h"

/// A scene with every kind of shape and of body, and recordings of it.
namespace cornet::test {

inline Scene readMixedScene(const std::string& settings = "duration = 0.2\ndt = 0.005\n") {
  return readScene(SourceText("folder/mixed.toml", "version = 1\ntitle = \"mixed\"\n" + settings + R"(
[[environment]]
name = "floor"
shape = { type = "half_space" }
[[environment]]
name = "table"
position = [3, 0, 0.2]
shape = { type = "box", half_extents = [0.5, 0.5, 0.1] }
motion = { type = "oscillation", amplitude = [0.1, 0, 0], frequency = 1 }
[[environment]]
name = "wedge"
position = [6, 0, 0]
shape = { type = "triangle_mesh", vertices = [[-1, -1, 0], [1, -1, 0], [1, 1, 0.2], [-1, 1, 0.2]], triangles = [[0, 1, 2], [0, 2, 3]] }
[[body]]
name = "ball"
mass = 1
shape = { type = "sphere", radius = 0.1 }
position = [0, 0, 0.1]
velocity = [1, 0, 0]
[[body]]
name = "box, \"small\""
mass = 2
shape = { type = "box", half_extents = [0.1, 0.1, 0.1] }
position = [3, 0, 0.4]
[[body]]
name = "capsule"
mass = 1
shape = { type = "capsule", radius = 0.1, half_length = 0.2 }
position = [6, 0, 0.5]
[[body]]
name = "hull"
mass = 1
shape = { type = "convex_hull", points = [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2], [0.2, 0.2, 0]] }
position = [1, 1, 0.01]
[[body]]
name = "tower"
mass = 3
shape = [
  { type = "cylinder", radius = 0.1, half_length = 0.1 },
  { type = "cone", radius = 0.1, half_length = 0.1, position = [0, 0, 0.2] },
  { type = "ellipsoid", radii = [0.05, 0.06, 0.07], position = [0, 0, 0.35] },
]
position = [-1, 0, 0.1]
)"));
}

/// Runs a scene to its end and records it. Returns the state hashes of all moments.
inline std::vector<std::uint64_t> record(const Scene& scene, const std::filesystem::path& file, int every = 1) {
  SceneRun run(scene);
  Recorder recorder(file, makeRecordingHeader(scene, "cornet test", "cornet run mixed.toml", every), scene.world);
  std::vector<std::uint64_t> hashes = {hashOf(run.state())};
  recorder.add(run.moment());
  while (!run.isDone()) {
    run.step();
    recorder.add(run.moment());
    hashes.push_back(hashOf(run.state()));
  }
  recorder.addLast(run.moment());
  recorder.finish();
  return hashes;
}

}  // namespace cornet::test
