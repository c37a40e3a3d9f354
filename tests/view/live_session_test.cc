// A live run: its bits, and what it does with commands and files.
#include <atomic>
#include <cstring>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "interrupt.h"
#include "support/temporary_folder.h"
#include "view/live_session.h"

namespace cornet::app {
namespace {

using test::TemporaryFolder;

constexpr const char* kScene = R"(version = 1
duration = 0.2
dt = 0.002
[[parameter]]
name = "mu"
default = 0.5
min = 0.0
max = 1.0
[[material]]
name = "default"
friction = "$mu"
[[environment]]
name = "floor"
shape = { type = "half_space" }
[[body]]
name = "cube"
mass = 2
shape = { type = "box", half_extents = [0.1, 0.1, 0.1] }
position = [0, 0, 0.1]
velocity = [1, 0, 0]
)";

class LiveSessionTest : public testing::Test {
 protected:
  LiveSessionTest() { write(kScene); }
  void write(const std::string& text) { std::ofstream(file) << text; }
  LiveSession::SceneReader reader() {
    return [this](const std::vector<SceneOverride>& more) { return readScene(file, more); };
  }
  std::uint64_t plainHash(const std::vector<SceneOverride>& overrides = {}) {
    const Scene scene = readScene(file, overrides);
    SceneRun run(scene);
    while (!run.isDone()) run.step();
    return hashOf(run.state());
  }
  // Runs to the end, or until the session wants another run.
  static bool runThrough(LiveSession& session, SceneRun& run) {
    bool goes_on = session.watch(run);
    while (goes_on && !run.isDone()) {
      run.step();
      goes_on = session.watch(run);
    }
    return goes_on;
  }
  // Saves a scene that cannot be read and waits for the page to be told; then the run is begun anew.
  bool spoil() {
    write("version = 1\n[[body]]\nname = 3\n");
    std::filesystem::last_write_time(
        file, std::filesystem::last_write_time(file) + std::chrono::seconds(5));
    bool is_told = false;
    for (int k = 0; k < 300 && !is_told; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      is_told = state(site).find("scene.toml:") != std::string::npos;
    }
    site.receive(R"({"type": "restart"})");
    return is_told;
  }
  static std::string state(LiveSite& site) { return *site.latest(Channel::state).bytes; }

  TemporaryFolder folder;
  std::filesystem::path file = folder / "scene.toml";
  LiveSite site;
};

TEST_F(LiveSessionTest, HasTheBitsOfARunWithoutAViewer) {
  LiveSession session(reader(), "cornet view scene.toml", site, {.real_time = false});
  SceneRun run(session.begin());
  EXPECT_TRUE(runThrough(session, run));
  EXPECT_EQ(hashOf(run.state()), plainHash());
  EXPECT_EQ(session.note(), "");
  EXPECT_NE(site.get("/data/header").body.find(R"("live": true, "run": 1)"), std::string::npos);
  EXPECT_NE(site.get("/data/header")
                .body.find(R"("name": "mu", "value": 0.5, "title": "mu", "min": 0, "max": 1)"),
            std::string::npos);
}

TEST_F(LiveSessionTest, StepsWhilePaused) {
  LiveSession session(reader(), "", site, {.real_time = false});
  SceneRun run(session.begin());
  for (int k = 0; k < 3; ++k) {
    site.receive(R"({"type": "pause"})");
    site.receive(R"({"type": "step"})");
    EXPECT_TRUE(session.watch(run));  // returns for one step
    run.step();
  }
  EXPECT_NE(state(site).find(R"("running":false)"), std::string::npos);
  site.receive(R"({"type": "resume"})");
  EXPECT_TRUE(runThrough(session, run));
  EXPECT_EQ(hashOf(run.state()), plainHash());
}

TEST_F(LiveSessionTest, ASliderBeginsARunWithThatValue) {
  LiveSession session(reader(), "cornet view scene.toml", site, {.real_time = false});
  {
    SceneRun run(session.begin());
    site.receive(R"({"type": "set", "name": "mu", "value": 0.25})");
    EXPECT_FALSE(session.watch(run));
    EXPECT_TRUE(session.wantsRestart());
  }
  SceneRun run(session.begin());
  EXPECT_EQ(session.command(), "cornet view scene.toml --set mu=0.25");
  EXPECT_TRUE(runThrough(session, run));
  EXPECT_EQ(hashOf(run.state()), plainHash({{"mu", "0.25"}}));
}

TEST_F(LiveSessionTest, ASliderBeyondItsRangeIsToldAndTheRunGoesOn) {
  LiveSession session(reader(), "", site, {.real_time = false});
  SceneRun run(session.begin());
  site.receive(R"({"type": "set", "name": "mu", "value": 7})");
  EXPECT_TRUE(session.watch(run));
  EXPECT_NE(state(site).find("mu = 7 lies outside 0 to 1"), std::string::npos);
  EXPECT_EQ(session.command(), "");
  site.receive(R"({"type": "set", "name": "mu", "value": 0.25})");
  EXPECT_FALSE(session.watch(run));
  session.begin();
  EXPECT_EQ(session.command(), " --set mu=0.25");
}

TEST_F(LiveSessionTest, OnlySlidersAreSet) {
  LiveSession session(reader(), "", site, {.real_time = false});
  SceneRun run(session.begin());
  for (const char* name : {"dt", "body.cube.mass", "nonsense"}) {
    site.receive(fmt::format(R"({{"type": "set", "name": "{}", "value": 0.01}})", name));
    EXPECT_TRUE(session.watch(run));
    EXPECT_NE(state(site).find(fmt::format("'{}' is no parameter", name)), std::string::npos);
  }
  EXPECT_EQ(session.command(), "");
}

TEST_F(LiveSessionTest, ASliderThatTheSavedSceneLacksIsForgotten) {
  LiveSession session(reader(), "", site, {.real_time = false});
  {
    SceneRun run(session.begin());
    site.receive(R"({"type": "set", "name": "mu", "value": 0.25})");
    EXPECT_FALSE(session.watch(run));
  }
  SceneRun run(session.begin());
  std::string renamed = kScene;
  for (const char* name : {"\"mu\"", "\"$mu\""}) {
    const bool is_use = name[1] == '$';
    renamed.replace(renamed.find(name), std::strlen(name), is_use ? "\"$rub\"" : "\"rub\"");
  }
  write(renamed);
  std::filesystem::last_write_time(
      file, std::filesystem::last_write_time(file) + std::chrono::seconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(session.watch(run));
  session.begin();
  EXPECT_EQ(session.command(), "");
}

TEST_F(LiveSessionTest, HandsThatAreFarOffOrGonePullNothing) {
  LiveSession session(reader(), "", site, {.real_time = false});
  SceneRun run(session.begin());
  site.receive(R"({"type": "pull", "body": 0, "point": [100, 0, 0], "target": [0, 0, 1]})");
  EXPECT_TRUE(session.watch(run));
  EXPECT_EQ(session.note(), "");  // not a point of the body
  site.receive(R"({"type": "pull", "body": 0, "point": [0, 0, 0], "target": [0, 0, 1e6]})");
  EXPECT_TRUE(session.watch(run));
  run.step();
  EXPECT_GT(run.state().body(0).velocity.z(), 0.1);
  EXPECT_LT(run.state().body(0).velocity.z(), 100.0);
  site.leave();
  EXPECT_TRUE(session.watch(run));
  const double before = run.state().body(0).velocity.z();
  run.step();
  EXPECT_LT(run.state().body(0).velocity.z(), before);  // it falls
}

TEST_F(LiveSessionTest, ASceneThatIsSavedIsReadAgainAndABadOneIsTold) {
  LiveSession session(reader(), "", site, {.real_time = false});
  {
    SceneRun run(session.begin());
    EXPECT_TRUE(session.watch(run));
    const auto save = [&](const std::string& text, int later) {
      write(text);
      std::filesystem::last_write_time(
          file, std::filesystem::last_write_time(file) + std::chrono::seconds(later));
    };
    save("version = 1\n[[body]]\nname = 3\n", 5);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_TRUE(session.watch(run));
    run.step();
    EXPECT_TRUE(session.watch(run));
    EXPECT_NE(state(site).find("scene.toml:"), std::string::npos) << state(site);
    std::string other = kScene;
    other.replace(other.find("[1, 0, 0]"), 9, "[2, 0, 0]");
    save(other, 10);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_FALSE(session.watch(run));
  }
  SceneRun run(session.begin());
  EXPECT_EQ(run.state().body(0).velocity.x(), 2.0);
  EXPECT_TRUE(session.watch(run));
  EXPECT_EQ(state(site).find("scene.toml:"), std::string::npos);
}

TEST_F(LiveSessionTest, ABadSceneIsToldWhileARunIsPaused) {
  LiveSession session(reader(), "", site, {.real_time = false});
  SceneRun run(session.begin());
  EXPECT_TRUE(session.watch(run));
  site.receive(R"({"type": "pause"})");
  std::thread hand([this] { EXPECT_TRUE(spoil()); });
  EXPECT_FALSE(session.watch(run));
  hand.join();
}

TEST_F(LiveSessionTest, ABadSceneIsToldAfterTheEndOfARun) {
  LiveSession session(reader(), "", site, {.real_time = false});
  SceneRun run(session.begin());
  EXPECT_TRUE(runThrough(session, run));
  std::thread hand([this] { EXPECT_TRUE(spoil()); });
  EXPECT_TRUE(session.waitForRestart(run, ""));
  hand.join();
}

TEST_F(LiveSessionTest, APulledBodyFollowsAndTheRunIsMarked) {
  LiveSession session(reader(), "", site, {.real_time = false});
  SceneRun run(session.begin());
  site.receive(R"({"type": "pull", "body": 0, "point": [0, 0, 0], "target": [0, 0, 3]})");
  EXPECT_TRUE(runThrough(session, run));
  EXPECT_GT(run.state().body(0).position.z(), 0.3);
  EXPECT_NE(session.note(), "");
  EXPECT_NE(state(site).find(R"("touched":true)"), std::string::npos);
  // The energy that the hand puts in is work.
  const RunTotals& totals = run.totals();
  EXPECT_NEAR(totals.end_energy, totals.start_energy + totals.work - totals.dissipated,
              1e-9 * totals.work);
  EXPECT_GT(totals.work, 1.0);
}

// The hand is an input of the run's steps: whoever else steps the scene does not feel it.
TEST_F(LiveSessionTest, APullChangesNothingInTheWorld) {
  LiveSession session(reader(), "", site, {.real_time = false});
  const Scene& scene = session.begin();
  SceneRun run(scene);
  site.receive(R"({"type": "pull", "body": 0, "point": [0, 0, 0], "target": [0, 0, 3]})");
  EXPECT_TRUE(session.watch(run));
  run.step();
  EXPECT_GT(run.state().body(0).velocity.z(), 0.0);
  SceneRun other(scene);
  while (!other.isDone()) other.step();
  EXPECT_EQ(hashOf(other.state()), plainHash());
}

TEST_F(LiveSessionTest, ABodyThatDoesNotExistCannotBePulledNorOneOfARunThatIsKept) {
  LiveSession session(reader(), "", site, {.real_time = false});
  SceneRun run(session.begin());
  site.receive(R"({"type": "pull", "body": 1, "point": [0, 0, 0], "target": [0, 0, 3]})");
  EXPECT_TRUE(runThrough(session, run));
  EXPECT_EQ(hashOf(run.state()), plainHash());

  LiveSession kept(reader(), "", site, {.real_time = false, .keeps = "a recording"});
  SceneRun recorded(kept.begin());
  site.receive(R"({"type": "pull", "body": 0, "point": [0, 0, 0], "target": [0, 0, 3]})");
  EXPECT_TRUE(runThrough(kept, recorded));
  EXPECT_EQ(hashOf(recorded.state()), plainHash());
  EXPECT_NE(state(site).find("goes into a recording"), std::string::npos);
}

TEST_F(LiveSessionTest, RealTimeIsNotFasterThanTheClock) {
  LiveSession session(reader(), "", site, {.real_time = true});
  SceneRun run(session.begin());
  const Stopwatch clock;
  EXPECT_TRUE(runThrough(session, run));
  EXPECT_GE(clock.seconds(), 0.19);
  EXPECT_EQ(hashOf(run.state()), plainHash());
}

TEST_F(LiveSessionTest, AfterItsEndARunIsBegunAgainWhenAskedTo) {
  LiveSession session(reader(), "", site, {.real_time = false});
  SceneRun run(session.begin());
  EXPECT_TRUE(runThrough(session, run));
  std::thread hand([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    site.receive(R"({"type": "restart"})");
  });
  EXPECT_TRUE(session.waitForRestart(run, ""));
  hand.join();
}

TEST_F(LiveSessionTest, ABadSceneIsRefusedAtTheStart) {
  write("version = 1\nduration = -1\n");
  EXPECT_THROW(LiveSession(reader(), "", site, {}), FindingsError);
}

}  // namespace
}  // namespace cornet::app
