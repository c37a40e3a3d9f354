// Recordings that are whole: what was recorded comes back.
#include <chrono>
#include <numbers>
#include <thread>

#include <gtest/gtest.h>

#include "cornet/io/recording/draw_mesh.h"
#include "cornet/io/recording/export_gltf.h"
#include "cornet/io/recording/frame_queue.h"
#include "support/recorded_scene.h"
#include "support/temporary_folder.h"

namespace cornet {
namespace {

TEST(Recording, BringsBackEveryBitOfEveryFrame) {
  const test::TemporaryFolder folder;
  const Scene scene = test::readMixedScene();
  test::record(scene, folder / "run.h5");
  const RecordingReader reader(folder / "run.h5");
  ASSERT_TRUE(reader.isComplete());
  EXPECT_EQ(reader.problem(), "");
  ASSERT_EQ(reader.frameCount(), 41);

  SceneRun run(scene);
  const std::vector<int> places = calcRecordedPlaces(scene.world);
  std::uint64_t contact_end = 0;
  for (int k = 0; k <= 40; ++k) {
    if (k > 0) run.step();
    RecordedFrame expected;
    copyFrame(run.moment(), places, reader.header().trackCount(), expected);
    expected.numbers.contact_end = contact_end += expected.contacts.size();
    EXPECT_EQ(reader.readFrame(k), expected) << "frame " << k;
    EXPECT_EQ(findProblem(reader.header(), expected), "");
  }
  EXPECT_GT(contact_end, 0u);
}

// A ball that two walls hit in one step, and one that nothing hits.
TEST(Recording, HasTheWaypointsOfStepsInParts) {
  const test::TemporaryFolder folder;
  const Scene scene = readScene(SourceText("walls.toml", R"(version = 1
duration = 0.056
dt = 0.014
gravity = [0, 0, 0]
[[material]]
name = "default"
friction = 0
restitution = 1
[[environment]]
name = "left"
shape = { type = "box", half_extents = [0.1, 1, 1] }
position = [-0.204, 0, 0]
[[environment]]
name = "right"
shape = { type = "box", half_extents = [0.1, 1, 1] }
position = [0.204, 0, 0]
[[body]]
name = "free"
mass = 1
position = [5, 0, 0]
shape = { type = "sphere", radius = 0.1 }
[[body]]
name = "ball"
mass = 1
velocity = [1, 0, 0]
shape = { type = "sphere", radius = 0.1 }
)"));
  test::record(scene, folder / "run.h5");
  const RecordingReader reader(folder / "run.h5");
  SceneRun run(scene);
  std::uint64_t end = 0;
  for (int k = 1; k < reader.frameCount(); ++k) {
    const RecordedFrame frame = reader.readFrame(k);
    run.step();
    EXPECT_EQ(frame.waypoints.size(), static_cast<std::size_t>(frame.numbers.parts - 1));
    ASSERT_EQ(frame.waypoints.size(), run.moment().waypoints.size());
    EXPECT_EQ(frame.numbers.waypoint_end, end += frame.waypoints.size());
    for (std::size_t j = 0; j < frame.waypoints.size(); ++j) {
      EXPECT_EQ(frame.waypoints[j].body, 1);
      EXPECT_EQ(frame.waypoints[j].track.pose[0], run.moment().waypoints[j].state.position.x());
      EXPECT_EQ(frame.waypoints[j].track.velocity[0], run.moment().waypoints[j].state.velocity.x());
    }
  }
  EXPECT_GT(end, 0u);
  EXPECT_TRUE(reader.findFaults().not_finite.empty());
}

TEST(Recording, HasTheHashesOfARunWithoutRecording) {
  const test::TemporaryFolder folder;
  const Scene scene = test::readMixedScene();
  test::record(scene, folder / "run.h5");
  const RecordingReader reader(folder / "run.h5");
  SceneRun run(scene);
  for (int k = 0; k < reader.frameCount(); ++k) {
    if (k > 0) run.step();
    const RecordedFrame frame = reader.readFrame(k);
    EXPECT_EQ(frame.numbers.state_hash, hashOf(run.state()));
    EXPECT_EQ(calcStateHash(frame, reader.header().movingCount()), hashOf(run.state()));
  }
}

TEST(Recording, DescribesTheSceneAndItsBodies) {
  const test::TemporaryFolder folder;
  const Scene scene = test::readMixedScene();
  test::record(scene, folder / "run.h5");
  const RecordingHeader header = RecordingReader(folder / "run.h5").header();
  EXPECT_EQ(header.title, "mixed");
  EXPECT_EQ(header.scene_file, "mixed.toml");
  EXPECT_EQ(header.scene_text, scene.sources.back().text());
  EXPECT_EQ(header.program, "cornet test");
  EXPECT_EQ(header.dt, 0.005);
  EXPECT_EQ(header.gravity[2], -9.81);
  ASSERT_EQ(header.bodies.size(), 8u);
  EXPECT_EQ(header.movingCount(), 5);
  EXPECT_EQ(header.trackCount(), 6);
  EXPECT_EQ(header.bodies[1].name, "box, \"small\"");
  EXPECT_EQ(header.bodies[5].name, "table");
  EXPECT_EQ(header.bodies[5].motion, RecordedMotion::prescribed);
  EXPECT_EQ(header.bodies[6].name, "floor");
  ASSERT_EQ(header.bodies[4].shapes.size(), 3u);
  EXPECT_EQ(header.bodies[4].shapes[1].type, RecordedShapeType::cone);
  ASSERT_EQ(header.meshes.size(), 2u);
  EXPECT_EQ(header.meshes[0].vertices.size(), 15u);
  EXPECT_EQ(header.meshes[1].triangles, (std::vector<std::int32_t>{0, 1, 2, 0, 2, 3}));
}

// The tower's frame is not its centre of mass; shapes stand where the scene has them all the same.
TEST(Recording, PlacesShapesFromTheCentreOfMass) {
  const Scene scene = test::readMixedScene();
  const RecordedBody tower = makeRecordingHeader(scene, "", "").bodies[4];
  constexpr std::array kHeights = {0.1, 0.3, 0.45};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(tower.pose[2] + tower.shapes[k].pose[2], kHeights[k], 1e-15);
}

TEST(Recording, OfEveryThirdStepSumsUpTheOthersAndKeepsTheLast) {
  const test::TemporaryFolder folder;
  const Scene scene = test::readMixedScene();
  test::record(scene, folder / "all.h5");
  test::record(scene, folder / "third.h5", 3);
  const RecordingReader all(folder / "all.h5"), third(folder / "third.h5");
  ASSERT_EQ(third.frameCount(), 15);  // 0, 3, ..., 39 and 40
  int iterations = 0;
  for (const FrameNumbers& frame : all.numbers()) iterations += frame.iterations;
  for (const FrameNumbers& frame : third.numbers()) iterations -= frame.iterations;
  EXPECT_EQ(iterations, 0);
  EXPECT_EQ(third.readFrame(1).tracks, all.readFrame(3).tracks);
  EXPECT_EQ(third.readFrame(14).contacts, all.readFrame(40).contacts);
  const RecordingSummary a = summarize(all), b = summarize(third);
  EXPECT_EQ(a.worst_certificate, b.worst_certificate);
  EXPECT_EQ(a.state_hash, b.state_hash);
  EXPECT_EQ(a.dissipated, b.dissipated);
}

TEST(Recording, BalancesTheEnergy) {
  const test::TemporaryFolder folder;
  test::record(test::readMixedScene(), folder / "run.h5");
  const RecordingSummary summary = summarize(RecordingReader(folder / "run.h5"));
  EXPECT_EQ(summary.frames, 41);
  EXPECT_EQ(summary.end, 0.2);
  EXPECT_LT(summary.balance_error, 1e-12 * std::abs(summary.start_energy));
  EXPECT_EQ(summary.unsolved_steps, 0);
  EXPECT_TRUE(summary.bad_frames.empty());
}

TEST(Recording, HasTheSameFramesRunAfterRun) {
  const test::TemporaryFolder folder;
  const Scene scene = test::readMixedScene();
  test::record(scene, folder / "a.h5");
  test::record(scene, folder / "b.h5");
  const RecordingReader a(folder / "a.h5"), b(folder / "b.h5");
  for (int k = 0; k < a.frameCount(); ++k) EXPECT_EQ(a.readFrame(k), b.readFrame(k));
}

TEST(Recording, OfAnEmptyWorldHasFramesAllTheSame) {
  const test::TemporaryFolder folder;
  test::record(readScene(SourceText("empty.toml", "version = 1\nduration = 0.01\ndt = 0.001\n")), folder / "run.h5");
  const RecordingReader reader(folder / "run.h5");
  EXPECT_EQ(reader.frameCount(), 11);
  EXPECT_TRUE(reader.readFrame(10).tracks.empty());
}

// Friction impulses lie in the cone, and point, normal and impulse of a ball on a plane are known.
TEST(Recording, HasContactsAsTheyAre) {
  const test::TemporaryFolder folder;
  const Scene scene = test::readMixedScene();
  test::record(scene, folder / "run.h5");
  const RecordedFrame frame = RecordingReader(folder / "run.h5").readFrame(20);
  int found = 0;
  for (const RecordedContact& c : frame.contacts) {
    if (c.bodies[0] != 0 && c.bodies[1] != 0) continue;
    ++found;
    const float sign = c.bodies[1] == 0 ? 1.0f : -1.0f;
    EXPECT_NEAR(c.point[2], 0.0f, 1e-6f);
    EXPECT_NEAR(c.point[0], frame.tracks[0].pose[0], 0.005);  // the ball moves on within the step
    EXPECT_NEAR(c.normal[2], sign, 1e-6f);
    EXPECT_NEAR(sign * c.impulse[2], 9.81 * 0.005, 1e-6);
    EXPECT_LT(c.residual, 1e-6f);
    EXPECT_NE(c.state, static_cast<std::uint8_t>(ContactState::open));
  }
  EXPECT_EQ(found, 1);
}

TEST(FrameQueue, WaitsWhenItIsFullAndLosesNothing) {
  FrameQueue queue(4, 1u << 20);
  std::vector<double> times;
  std::thread reader([&] {
    const auto take = [&](const RecordedFrame& frame) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      times.push_back(frame.numbers.time);
    };
    while (queue.drain(std::chrono::milliseconds(1), take)) {}
  });
  for (int k = 0; k < 100; ++k) queue.push([k](RecordedFrame& frame) { frame.numbers.time = k; });
  queue.close();
  reader.join();
  ASSERT_EQ(times.size(), 100u);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(times[static_cast<std::size_t>(k)], k);
  EXPECT_GT(queue.waits(), 0u);
  EXPECT_GT(queue.waitSeconds(), 0.0);
}

// (COL-1) of the drawn surface against the shape's own volume: closed, outward, of the right size.
TEST(DrawMesh, IsClosedAndOutward) {
  const auto volumeOf = [](RecordedShapeType type, std::array<double, 3> size) {
    const RecordedMesh mesh = makeDrawMesh({type, {}, size, -1}, {}, 1.0);
    std::vector<Vector3d> points;
    for (std::size_t k = 0; k < mesh.vertices.size(); k += 3) points.emplace_back(&mesh.vertices[k]);
    return calcVolumeProperties(points, mesh.triangles).volume;
  };
  const double pi = std::numbers::pi, coarse = 0.03;
  EXPECT_NEAR(volumeOf(RecordedShapeType::box, {1, 2, 3}), 48.0, 1e-12);
  EXPECT_NEAR(volumeOf(RecordedShapeType::sphere, {1, 0, 0}) / (4 * pi / 3), 1.0, coarse);
  EXPECT_NEAR(volumeOf(RecordedShapeType::capsule, {1, 2, 0}) / (4 * pi / 3 + 4 * pi), 1.0, coarse);
  EXPECT_NEAR(volumeOf(RecordedShapeType::cylinder, {1, 2, 0}) / (4 * pi), 1.0, coarse);
  EXPECT_NEAR(volumeOf(RecordedShapeType::cone, {1, 3, 0}) / (2 * pi), 1.0, coarse);
  EXPECT_NEAR(volumeOf(RecordedShapeType::ellipsoid, {1, 2, 3}) / (8 * pi), 1.0, coarse);
}

}  // namespace
}  // namespace cornet
