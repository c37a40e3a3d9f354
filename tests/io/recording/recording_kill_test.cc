// A process that is killed leaves everything up to a second before.
#include <csignal>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <random>

#include <gtest/gtest.h>

#include "support/recorded_scene.h"
#include "support/temporary_folder.h"

namespace cornet {
namespace {

using SharedCount = std::atomic<int>;

SharedCount& makeSharedCount() {
  void* memory = ::mmap(nullptr, sizeof(SharedCount), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return *new (memory) SharedCount(0);
}

// Steps and records until it is killed; `frames` counts what was handed over.
void runOn(const std::filesystem::path& file, SharedCount& frames) {
  const Scene scene = test::readMixedScene("duration = 1000\ndt = 0.005\n");
  SceneRun run(scene);
  Recorder recorder(file, makeRecordingHeader(scene, "cornet", "cornet run"), scene.world);
  recorder.add(run.moment());
  while (!run.isDone()) {
    run.step();
    recorder.add(run.moment());
    ++frames;
  }
}

// In a process of its own, which never comes back into the tests.
pid_t startRun(const std::filesystem::path& file, SharedCount& frames) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    runOn(file, frames);
  } catch (...) {
  }
  ::_exit(1);
}

// Whether the process came that far, in ten seconds.
bool waitFor(const SharedCount& frames, int count) {
  for (int k = 0; k < 10'000 && frames < count; ++k) ::usleep(1000);
  return frames >= count;
}

TEST(KilledRecording, HoldsEverythingUpToASecondBefore) {
  const test::TemporaryFolder folder;
  std::mt19937 random(3);
  for (int k = 0; k < 5; ++k) {
    const auto file = folder / ("run" + std::to_string(k) + ".h5");
    SharedCount& frames = makeSharedCount();
    const pid_t child = startRun(file, frames);
    ASSERT_TRUE(waitFor(frames, 1));
    ::usleep(std::uniform_int_distribution(0, 700'000)(random));
    const int a_second_before = frames;
    ::usleep(1'000'000);
    const int in_the_end = frames;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);

    const RecordingReader reader(file);
    EXPECT_FALSE(reader.isComplete());
    EXPECT_NE(reader.problem().find("was killed"), std::string::npos);
    EXPECT_GT(reader.frameCount(), a_second_before) << "of " << in_the_end;
    EXPECT_LE(reader.frameCount(), in_the_end + 3);
    // What it promises can be read, and is what was simulated.
    const std::vector<FrameNumbers>& numbers = reader.numbers();
    for (int f = 0; f < reader.frameCount(); f += 1 + reader.frameCount() / 50) {
      const RecordedFrame frame = reader.readFrame(f);
      EXPECT_EQ(frame.numbers, numbers[static_cast<std::size_t>(f)]);
      EXPECT_EQ(calcStateHash(frame, reader.header().movingCount()), frame.numbers.state_hash);
    }
    RecordProperty("lost", in_the_end - reader.frameCount());
    ::munmap(&frames, sizeof(SharedCount));
  }
}

// Opened, read and opened again while it grows.
TEST(GrowingRecording, CanBeReadMeanwhile) {
  const test::TemporaryFolder folder;
  SharedCount& frames = makeSharedCount();
  const pid_t child = startRun(folder / "run.h5", frames);
  ASSERT_TRUE(waitFor(frames, 100));
  int last = 0;
  for (int k = 0; k < 4; ++k) {
    ::usleep(700'000);
    const RecordingReader reader(folder / "run.h5");
    EXPECT_GT(reader.frameCount(), last);
    last = reader.frameCount();
    const RecordedFrame frame = reader.readFrame(last - 1);
    EXPECT_EQ(calcStateHash(frame, reader.header().movingCount()), frame.numbers.state_hash);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::munmap(&frames, sizeof(SharedCount));
}

}  // namespace
}  // namespace cornet
