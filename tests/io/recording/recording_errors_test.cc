// Recordings that are not: other files, newer ones, cut off, damaged.
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "cornet/io/format_error.h"
#include "cornet/io/recording/export_gltf.h"
#include "cornet/io/recording/frame_tables.h"
#include "cornet/io/recording/header_file.h"
#include "support/recorded_scene.h"
#include "support/temporary_folder.h"

namespace cornet {
namespace {

std::string readBytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void writeBytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

std::string refusalOf(const std::filesystem::path& file) {
  try {
    const RecordingReader reader(file);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(RecordingErrors, NameWhatIsNoRecording) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(RecordingReader(folder / "none.h5"), FileError);
  writeBytes(folder / "empty.h5", "");
  EXPECT_NE(refusalOf(folder / "empty.h5").find("not HDF5"), std::string::npos);
  writeBytes(folder / "text.h5", std::string(1000, 'x'));
  EXPECT_NE(refusalOf(folder / "text.h5").find("a recording (cornet run --record)"), std::string::npos);
  {
    Hdf5TableWriter other(folder / "other.h5");
    other.writeText("/format", "something else");
    other.close();
  }
  EXPECT_NE(refusalOf(folder / "other.h5").find("an HDF5 file of another kind"), std::string::npos);
  {
    Hdf5TableWriter newer(folder / "newer.h5");
    newer.writeText("/format", kRecordingFormat);
    newer.write("/version", std::array{std::int32_t{kRecordingVersion + 1}});
    newer.close();
  }
  EXPECT_NE(refusalOf(folder / "newer.h5").find("version 3"), std::string::npos);
  EXPECT_NE(refusalOf(folder / "newer.h5").find("a newer cornet reads it"), std::string::npos);
}

TEST(RecordingErrors, NameAFileThatCannotBeMade) {
  const test::TemporaryFolder folder;
  const Scene scene = test::readMixedScene();
  EXPECT_THROW(Recorder(folder / "no_such_folder/run.h5", makeRecordingHeader(scene, "", ""), scene.world), FileError);
}

TEST(RecordingErrors, NameFramesThatDoNotExist) {
  const test::TemporaryFolder folder;
  test::record(test::readMixedScene(), folder / "run.h5");
  const RecordingReader reader(folder / "run.h5");
  EXPECT_THROW(reader.readFrame(-1), std::out_of_range);
  EXPECT_THROW(reader.readFrame(41), std::out_of_range);
}

TEST(RecordingErrors, NameFramesThatAreNotFinite) {
  const test::TemporaryFolder folder;
  const RecordingHeader header = makeRecordingHeader(test::readMixedScene(), "", "");
  {
    Hdf5TableWriter file(folder / "run.h5");
    writeHeader(header, file);
    FrameTableWriter frames(FrameShape(header), file);
    file.startAppending();
    for (int k = 0; k < 5; ++k) {
      RecordedFrame frame;
      frame.numbers.time = 0.1 * k;
      frame.tracks.resize(static_cast<std::size_t>(header.trackCount()));
      if (k == 2) frame.numbers.kinetic = std::nan("");
      if (k == 3) frame.tracks[2].pose[1] = std::nan("");
      if (k == 4) frame.contacts.resize(2);
      if (k == 4) frame.contacts[1].slip[2] = std::numeric_limits<float>::infinity();
      frames.add(frame);
    }
    frames.write();
    file.close();
  }
  const RecordingReader reader(folder / "run.h5");
  ASSERT_EQ(reader.frameCount(), 5);
  EXPECT_EQ(summarize(reader).bad_frames, std::vector{2});
  EXPECT_EQ(reader.findFaults().not_finite, (std::vector{2, 3, 4}));
  EXPECT_TRUE(reader.findFaults().unreadable.empty());
  EXPECT_EQ(findProblem(header, reader.readFrame(1)), "");
  EXPECT_EQ(findProblem(header, reader.readFrame(2)), "kinetic is nan");
  EXPECT_EQ(findProblem(header, reader.readFrame(3)), "pose of body 'capsule' is not finite");
  try {
    makeGlb(reader, 3);
    FAIL() << "a frame that is not finite was exported";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("frame 3"), std::string::npos);
  }
}

TEST(RecordingErrors, FramesThatWereNeverWrittenAreNotThere) {
  const test::TemporaryFolder folder;
  const RecordingHeader header = makeRecordingHeader(test::readMixedScene(), "", "");
  {
    Hdf5TableWriter file(folder / "run.h5");
    writeHeader(header, file);
    FrameTableWriter frames(FrameShape(header), file);
    file.startAppending();
    for (int k = 0; k < 5; ++k) {
      RecordedFrame frame;
      frame.numbers.time = k < 3 ? 0.1 * k : 0.0;
      frame.tracks.resize(static_cast<std::size_t>(header.trackCount()));
      frames.add(frame);
    }
    frames.write();
    file.close();
  }
  const RecordingReader reader(folder / "run.h5");
  EXPECT_EQ(reader.frameCount(), 3);
  EXPECT_FALSE(reader.isComplete());
  EXPECT_NE(reader.problem().find("its last frames were not written; it holds 3 frames"), std::string::npos);
}

TEST(RecordingErrors, LeaveAReaderTheFileItHasOpen) {
  const test::TemporaryFolder folder;
  test::record(test::readMixedScene(), folder / "run.h5");
  const RecordingReader before(folder / "run.h5");
  const RecordedFrame last = before.readFrame(40);
  test::record(test::readMixedScene("duration = 0.1\ndt = 0.005\n"), folder / "run.h5");
  EXPECT_EQ(before.readFrame(40), last);
  EXPECT_EQ(before.readFrame(17).numbers.time, before.numbers()[17].time);
  EXPECT_EQ(RecordingReader(folder / "run.h5").frameCount(), 21);
}

TEST(RecordingErrors, LeaveWhatCannotBeReplaced) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "run.h5");
  EXPECT_THROW(Hdf5TableWriter(folder / "run.h5"), FileError);
  EXPECT_THROW(Hdf5TableWriter("/dev/null"), FileError);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  writeBytes(folder / "old.h5", "old");
  { Hdf5TableWriter never_closed(folder / "old.h5"); }
  EXPECT_EQ(readBytes(folder / "old.h5"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / ""), {}), 2);
}

// Whatever is left is read right, or refused.
void readEverything(const std::filesystem::path& file, const RecordingReader* whole, int& opened, int& frames) {
  try {
    const RecordingReader reader(file);
    ++opened;
    if (whole != nullptr) {
      ASSERT_LE(reader.frameCount(), whole->frameCount());
      EXPECT_FALSE(reader.problem().empty());
    }
    reader.problem();
    summarize(reader);
    for (int k = 0; k < reader.frameCount(); ++k) {
      try {
        const RecordedFrame frame = reader.readFrame(k);
        ++frames;
        if (whole != nullptr) { EXPECT_EQ(frame, whole->readFrame(k)); }
      } catch (const FormatError&) {
        EXPECT_EQ(whole, nullptr) << "frame " << k << " is promised and cannot be read";
      }
    }
  } catch (const FormatError&) {
  }
}

TEST(RecordingErrors, CutOffFilesGiveWhatTheyHave) {
  const test::TemporaryFolder folder;
  // Long enough for several chunks.
  test::record(test::readMixedScene("duration = 6\ndt = 0.005\n"), folder / "run.h5");
  const RecordingReader whole(folder / "run.h5");
  const std::string bytes = readBytes(folder / "run.h5");
  int opened = 0, frames = 0;
  constexpr int kCuts = 60;
  for (int k = 0; k < kCuts; ++k) {
    writeBytes(folder / "cut.h5", bytes.substr(0, bytes.size() * static_cast<std::size_t>(k) / kCuts));
    readEverything(folder / "cut.h5", &whole, opened, frames);
  }
  writeBytes(folder / "cut.h5", bytes.substr(0, bytes.size() - 1));
  readEverything(folder / "cut.h5", &whole, opened, frames);
  EXPECT_GT(opened, kCuts / 2);
  EXPECT_GT(frames, 200);
}

TEST(RecordingErrors, DamagedBytesDoNoHarm) {
  const test::TemporaryFolder folder;
  test::record(test::readMixedScene(), folder / "run.h5");
  const std::string bytes = readBytes(folder / "run.h5");
  std::mt19937 random(7);
  int opened = 0, frames = 0;
  for (int k = 0; k < 300; ++k) {
    std::string damaged = bytes;
    const int count = 1 << random() % 6;
    for (int j = 0; j < count; ++j) damaged[random() % damaged.size()] = static_cast<char>(random());
    if (k % 4 == 0) damaged[random() % 48] = static_cast<char>(random());
    if (k % 3 == 0) damaged[11] = 5;  // as if its writer were still at work
    writeBytes(folder / "damaged.h5", damaged);
    readEverything(folder / "damaged.h5", nullptr, opened, frames);
  }
  EXPECT_GT(opened, 0);
}

}  // namespace
}  // namespace cornet
