// Reports and recordings for the page: thinning, the slot, bounds of requests.
#include <cmath>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>
#include <zlib.h>

#include "support/recorded_scene.h"
#include "support/temporary_folder.h"
#include "view/compact_frame.h"
#include "view/deflate.h"
#include "view/page.h"
#include "view/page_recording.h"
#include "view/recording_site.h"
#include "view/report_file.h"

namespace cornet::app {
namespace {

using test::TemporaryFolder;

constexpr const char* kPage =
    "<html><script id=\"cornet-data\" "
    "type=\"application/json\"></script><script>code</script></html>";

std::string unpack(const std::string& packed, std::size_t size) {
  std::string bytes(size, '\0');
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, -15), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(size);
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  inflateEnd(&stream);
  return bytes;
}

std::vector<FrameNumbers> makeNumbers(int count) {
  std::vector<FrameNumbers> numbers(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) {
    FrameNumbers& n = numbers[static_cast<std::size_t>(k)];
    n.time = 0.01 * k;
    n.certificate = k == 37 ? 1e-3 : 1e-12;
    n.iterations = 2;
    n.unsolved = k == 37;
  }
  return numbers;
}

TEST(ThinFrames, KeepsTheFirstAndTheLastAndTheWorstCertificate) {
  const std::vector<FrameNumbers> all = makeNumbers(101);
  for (const int count : {2, 3, 7, 50, 100}) {
    const ThinnedFrames thinned = thinFrames(all, count);
    ASSERT_EQ(static_cast<int>(thinned.index.size()), count);
    EXPECT_EQ(thinned.index.front(), 0);
    EXPECT_EQ(thinned.index.back(), 100);
    double worst = 0.0;
    int iterations = 0, unsolved = 0;
    for (const FrameNumbers& n : thinned.numbers) {
      worst = std::max(worst, n.certificate);
      iterations += n.iterations;
      unsolved += n.unsolved;
    }
    EXPECT_EQ(worst, 1e-3);
    EXPECT_EQ(iterations, 202);
    EXPECT_EQ(unsolved, 1);
    // Evenly: gaps differ by one at most.
    int least = 101, most = 0;
    for (std::size_t k = 1; k < thinned.index.size(); ++k) {
      least = std::min(least, thinned.index[k] - thinned.index[k - 1]);
      most = std::max(most, thinned.index[k] - thinned.index[k - 1]);
    }
    EXPECT_LE(most - least, 1);
  }
}

TEST(ThinFrames, LeavesFewFramesAsTheyAre) {
  const std::vector<FrameNumbers> all = makeNumbers(40);
  EXPECT_EQ(thinFrames(all, 40).numbers, all);
  EXPECT_EQ(thinFrames(all, 1000).numbers, all);
  EXPECT_EQ(thinFrames({}, 10).index.size(), 0u);
  EXPECT_EQ(thinFrames(makeNumbers(1), 10).index.size(), 1u);
}

TEST(Deflate, UnpacksToTheSameBytes) {
  std::string bytes;
  for (int k = 0; k < 10000; ++k) bytes += static_cast<char>(k * k / 7);
  EXPECT_EQ(unpack(deflateRaw(bytes), bytes.size()), bytes);
  EXPECT_EQ(unpack(deflateRaw(""), 0), "");
}

TEST(Base64, HasTheLettersOfTheStandard) {  // RFC 4648, section 10
  EXPECT_EQ(toBase64(""), "");
  EXPECT_EQ(toBase64("f"), "Zg==");
  EXPECT_EQ(toBase64("fo"), "Zm8=");
  EXPECT_EQ(toBase64("foo"), "Zm9v");
  EXPECT_EQ(toBase64("foob"), "Zm9vYg==");
  EXPECT_EQ(toBase64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(toBase64("\xff\xfe\xfd"), "//79");
}

TEST(Page, TakesDataIntoItsSlot) {
  EXPECT_EQ(fillPage(kPage, "{}"),
            "<html><script id=\"cornet-data\" "
            "type=\"application/json\">{}</script><script>code</script></html>");
  EXPECT_THROW(fillPage("<html></html>", "{}"), std::logic_error);
}

TEST(Page, PacksItsCode) {
  const std::string code = "const a = '<b>'; if (a < 'c') a += `${a}`;";
  const std::string page = "<html><script type=\"module\">" + code + "</script><p></html>";
  const std::string packed = packPage(page);
  EXPECT_EQ(packed.find(code), std::string::npos);
  EXPECT_NE(packed.find(">" + toBase64(deflateRaw(code)) + "</script>"), std::string::npos);
  EXPECT_TRUE(packed.ends_with("<p></html>"));
  EXPECT_EQ(packPage(kPage), kPage);
}

TEST(Compact, RoundsToWhatCanBeSeen) {
  for (const float x : {1.0f, -3.14159265f, 1e-7f, -2.5e20f, 0.0f}) {
    EXPECT_NEAR(roundTo(16, x), x, std::abs(x) * 8e-6f);
    EXPECT_EQ(roundTo(16, roundTo(16, x)), roundTo(16, x));
  }
  const float most = std::numeric_limits<float>::max();
  EXPECT_EQ(roundTo(6, most), most);
  EXPECT_TRUE(std::isnan(roundTo(6, std::nanf(""))));
  EXPECT_TRUE(std::isinf(roundTo(6, -std::numeric_limits<float>::infinity())));
}

TEST(Compact, LeavesOutContactsThatCarryNothing) {
  RecordedFrame frame;
  frame.tracks.resize(1);
  frame.contacts.resize(3);
  frame.contacts[0].state = static_cast<std::uint8_t>(ContactState::stick);
  frame.contacts[1].state = static_cast<std::uint8_t>(ContactState::open);
  frame.contacts[2].state = static_cast<std::uint8_t>(ContactState::open);
  frame.contacts[2].impulse = {0, 0, 1e-3f};
  compact(frame);
  ASSERT_EQ(frame.contacts.size(), 2u);
  EXPECT_EQ(frame.contacts[0].state, static_cast<std::uint8_t>(ContactState::stick));
  EXPECT_NEAR(frame.contacts[1].impulse[2], 1e-3, 1e-8);
}

TEST(Report, HasNoTagInItsData) {
  const TemporaryFolder folder;
  Scene scene = test::readMixedScene();
  scene.title = "</script><b>&amp;";
  test::record(scene, folder / "run.h5");
  const Report report = makeReport(RecordingReader(folder / "run.h5"), kPage);
  EXPECT_EQ(report.frames, 41);
  EXPECT_EQ(report.html.find("<b>"), std::string::npos);
  EXPECT_NE(report.html.find("\\u003c/script>\\u003cb>&amp;"), std::string::npos);
}

TEST(Report, FitsAndSaysWhatItLeavesOut) {
  const TemporaryFolder folder;
  test::record(test::readMixedScene("duration = 1\ndt = 0.002\n"), folder / "run.h5");
  const RecordingReader reader(folder / "run.h5");
  const Report all = makeReport(reader, kPage);
  EXPECT_EQ(all.frames, 501);
  EXPECT_NE(all.html.find("\"note\": \"\""), std::string::npos);
  const Report some = makeReport(reader, kPage, all.html.size() / 3);
  EXPECT_LE(some.html.size(), all.html.size() / 3);
  EXPECT_GT(some.frames, 60);
  EXPECT_LT(some.frames, 250);
  EXPECT_NE(some.html.find(std::to_string(some.frames) + " of 501 frames"), std::string::npos);
  const Report tiny = makeReport(reader, kPage, 1);  // what it cannot do without
  EXPECT_EQ(tiny.frames, 2);
}

TEST(RecordingSite, GivesFramesThatExistAndNoOthers) {
  const TemporaryFolder folder;
  test::record(test::readMixedScene(), folder / "run.h5");
  const RecordingReader reader(folder / "run.h5");
  RecordingSite site(reader);
  EXPECT_EQ(site.problem(), "");
  EXPECT_EQ(site.get("/data/header").status, 200);
  EXPECT_EQ(site.get("/data/series").body.substr(0, 4), "CSER");
  std::string expected;
  for (int k = 3; k < 5; ++k) addSizedFrame(makePageFrame(k, reader.readFrame(k)), expected);
  EXPECT_EQ(site.get("/data/frames/3/5").body, expected);
  for (const char* range : {"0/0", "5/3", "-1/2", "0/42", "40/43", "a/b", "1", "1/", "/1", "0/1/2",
                            "0/99999999999999999999", "0x0/1", "1/2 ", "../x"}) {
    EXPECT_EQ(site.get(std::string("/data/frames/") + range).status, 400) << range;
  }
  EXPECT_EQ(site.get("/data/frame/0/1").status, 404);
}

TEST(RecordingSite, TellsOfAFileThatWasCut) {
  const TemporaryFolder folder;
  test::record(test::readMixedScene("duration = 2\ndt = 0.001\n"), folder / "run.h5");
  std::filesystem::resize_file(folder / "run.h5",
                               std::filesystem::file_size(folder / "run.h5") * 2 / 3);
  const RecordingReader reader(folder / "run.h5");
  RecordingSite site(reader);
  EXPECT_NE(site.problem(), "");
  EXPECT_NE(site.get("/data/header").body.find("the end of the file is missing"), std::string::npos)
      << site.problem();
}

}  // namespace
}  // namespace cornet::app
