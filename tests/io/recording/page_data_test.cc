// What the page is given, byte by byte.
#include <cstring>

#include <gtest/gtest.h>

#include "cornet/io/recording/page_data.h"
#include "support/recorded_scene.h"
#include "support/temporary_folder.h"

namespace cornet {
namespace {

template <class T>
T numberAt(const std::string& bytes, std::size_t place) {
  T value;
  EXPECT_LE(place + sizeof(T), bytes.size());
  std::memcpy(&value, bytes.data() + place, sizeof(T));
  return value;
}

RecordedFrame makeFrame() {
  RecordedFrame frame;
  frame.numbers = {.time = 0.5, .kinetic = 1, .potential = 2, .dissipated = 3, .work = 4, .certificate = 5,
                   .velocity_error = 99, .step_size = 6, .closure = 12, .new_overlap = 13, .unexplained = 14,
                   .momentum = 15, .energy_gain = 16, .rejections = 7, .contacts = 8, .sticking = 9, .iterations = 10,
                   .unsolved = 0, .inaccurate = 11, .worst_measure = 3, .worst_body = 1, .state_hash = 99,
                   .contact_end = 99};
  frame.tracks = {{}, {{1, 2, 3, 0.5, 0.5, -0.5, 0.5}, {4, 5, 6, 7, 8, 9}}};
  frame.joints = {{0.5, 0.25, 1e-9, {1, 2, 3}, {4, 5, 6}, 7, 8}};
  frame.contacts = {{{3, 1}, {1, 2, 3}, {0, 0, 1}, 0.5f, {4, 5, 6}, {7, 8, 9}, 2, 1e-9f}};
  return frame;
}

TEST(PageFrame, HasItsNumbersInTheirPlaces) {
  const std::string bytes = makePageFrame(17, makeFrame());
  ASSERT_EQ(bytes.size(), 28u + 20 * 8 + 2 * 13 * 4 + 11 * 4 + 17 * 4);
  EXPECT_EQ(bytes.substr(0, 4), "CFRM");
  const std::array<std::uint32_t, 6> head = {2, 17, 2, 1, 1, 1};
  for (std::size_t k = 0; k < head.size(); ++k) EXPECT_EQ(numberAt<std::uint32_t>(bytes, 4 + 4 * k), head[k]);
  const std::array<double, 20> numbers = {0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 11, 12, 13, 14, 15, 16, 3, 1};
  for (std::size_t k = 0; k < numbers.size(); ++k) EXPECT_EQ(numberAt<double>(bytes, 28 + 8 * k), numbers[k]) << k;
  const std::size_t second = 28 + 160 + 52;
  const std::array<float, 13> body = {1, 2, 3, 0.5, 0.5, -0.5, 0.5, 4, 5, 6, 7, 8, 9};
  for (std::size_t k = 0; k < body.size(); ++k) EXPECT_EQ(numberAt<float>(bytes, second + 4 * k), body[k]) << k;
  const std::array<float, 11> joint = {0.5, 0.25, 1e-9f, 1, 2, 3, 4, 5, 6, 7, 8};
  for (std::size_t k = 0; k < joint.size(); ++k) EXPECT_EQ(numberAt<float>(bytes, second + 52 + 4 * k), joint[k]) << k;
  const std::size_t contact = second + 52 + 44;
  EXPECT_EQ(numberAt<std::int32_t>(bytes, contact), 3);
  EXPECT_EQ(numberAt<std::int32_t>(bytes, contact + 4), 1);
  const std::array<float, 13> rest = {1, 2, 3, 0, 0, 1, 0.5, 4, 5, 6, 7, 8, 9};
  for (std::size_t k = 0; k < rest.size(); ++k) EXPECT_EQ(numberAt<float>(bytes, contact + 8 + 4 * k), rest[k]) << k;
  EXPECT_EQ(numberAt<std::uint32_t>(bytes, contact + 60), 2u);
  EXPECT_EQ(numberAt<float>(bytes, contact + 64), 1e-9f);
}

TEST(PageFrame, IsMarkedWhenAStepWasNotSolved) {
  RecordedFrame frame = makeFrame();
  frame.numbers.unsolved = 1;
  EXPECT_EQ(numberAt<std::uint32_t>(makePageFrame(0, frame), 20), 0u);
  frame.numbers = {};
  EXPECT_EQ(numberAt<std::uint32_t>(makePageFrame(0, frame), 20), 3u);
  frame.numbers.inaccurate = 1;
  EXPECT_EQ(numberAt<std::uint32_t>(makePageFrame(0, frame), 20), 1u);
}

TEST(PageSeries, GoesColumnByColumn) {
  std::vector<FrameNumbers> frames = {makeFrame().numbers, makeFrame().numbers};
  frames[1].time = 0.75;
  frames[1].unsolved = 1;
  const std::string bytes = makePageSeries(frames);
  ASSERT_EQ(bytes.size(), 16u + 2 * 20 * 8);
  EXPECT_EQ(bytes.substr(0, 4), "CSER");
  EXPECT_EQ(numberAt<std::uint32_t>(bytes, 8), 2u);
  EXPECT_EQ(numberAt<std::uint32_t>(bytes, 12), 20u);
  EXPECT_EQ(numberAt<double>(bytes, 16), 0.5);
  EXPECT_EQ(numberAt<double>(bytes, 24), 0.75);
  EXPECT_EQ(numberAt<double>(bytes, 16 + 8 * 2 * 11 + 8), 1.0);
}

TEST(PageHeader, DescribesBodiesAndSurvivesAnyText) {
  RecordingHeader header = makeRecordingHeader(test::readMixedScene(), "cornet 0.1.0", "cornet run");
  header.title = "a \"title\"\n\xff";
  const std::string text = makePageHeader(header, {600, true, "cut"});
  for (const char* part :
       {R"("title": "a \"title\"\u000a\ufffd")", R"("frame_count": 600)", R"("live": true)", R"("problem": "cut")",
        R"("file": "mixed.toml")", R"({"type": "sphere", "radius": 0.1, "pose": [0, 0, 0, 1, 0, 0, 0]})",
        R"("half_axes": [0.05, 0.06, 0.07])", R"("type": "half_space", "pose")", R"("triangles": [0, 1, 2, 0, 2, 3])",
        R"("name": "box, \"small\"", "moves": true, "mass": 2)", R"("solver": "exact")"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text.substr(0, 200);
  }
}

// A live run and its recording give the page the same bytes.
TEST(PageFrame, IsTheSameLiveAndRecorded) {
  const test::TemporaryFolder folder;
  const Scene scene = test::readMixedScene();
  test::record(scene, folder / "run.h5");
  const RecordingReader reader(folder / "run.h5");
  SceneRun run(scene);
  RecordedFrame live;
  for (int k = 1; k < 10; ++k) {
    run.step();
    copyFrame(run.moment(), calcRecordedPlaces(scene.world), reader.header().trackCount(), live);
    EXPECT_EQ(makePageFrame(k, live), makePageFrame(k, reader.readFrame(k)));
  }
  EXPECT_NE(makePageHeader(reader).find("\"frame_count\": 41"), std::string::npos);
}

}  // namespace
}  // namespace cornet
