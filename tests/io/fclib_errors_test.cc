// Bad files: each error names the file, the object, what was found and what was expected.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cornet/io/fclib.h"
#include "cornet/io/format_error.h"
#include "cornet/io/hdf5_file.h"
#include "cornet/io/sparse_entries.h"
#include "support/rigid_scene.h"
#include "support/temporary_folder.h"

namespace cornet {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The pieces of a local problem with one contact; a test spoils one of them.
struct Pieces {
  int spacedim = 3;
  int m = 3, n = 3, nz = -2;
  std::vector<int> p = {0, 1, 2, 3};
  std::vector<int> i = {0, 1, 2};
  std::vector<double> x = {1, 1, 1};
  std::vector<double> q = {-1, 0, 0};
  std::vector<double> mu = {0.5};
  std::string left_out;
};

void write(const std::filesystem::path& file, const Pieces& pieces) {
  Hdf5Writer writer(file);
  const auto put = [&](const std::string& path, const auto& value) {
    if (path != pieces.left_out) writer.write("/fclib_local/" + path, value);
  };
  put("spacedim", pieces.spacedim);
  put("W/m", pieces.m);
  put("W/n", pieces.n);
  put("W/nz", pieces.nz);
  put("W/p", pieces.p);
  put("W/i", pieces.i);
  put("W/x", pieces.x);
  put("vectors/q", pieces.q);
  put("vectors/mu", pieces.mu);
  writer.commit();
}

// The message that reading the spoilt file gives.
std::string complaint(const std::function<void(Pieces&)>& spoil) {
  const test::TemporaryFolder folder;
  Pieces pieces;
  spoil(pieces);
  write(folder / "bad.hdf5", pieces);
  try {
    readProblem(folder / "bad.hdf5");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no error";
}

void expectMentions(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(text.find(word), std::string::npos) << "\"" << word << "\" not in: " << text;
  }
}

TEST(FclibErrors, TheUnspoiltFileIsFine) {
  EXPECT_EQ(complaint([](Pieces&) {}), "no error");
}

TEST(FclibErrors, NumbersThatAreNotFinite) {
  expectMentions(complaint([](Pieces& p) { p.q[1] = kNaN; }),
                 {"bad.hdf5", "/fclib_local/vectors/q", "nan at entry 1", "finite"});
  expectMentions(complaint([](Pieces& p) { p.x[2] = INFINITY; }),
                 {"/fclib_local/W/x", "inf at entry 2"});
  expectMentions(complaint([](Pieces& p) { p.mu[0] = kNaN; }), {"/fclib_local/vectors/mu", "nan"});
}

TEST(FclibErrors, NegativeFriction) {
  expectMentions(complaint([](Pieces& p) { p.mu[0] = -0.1; }),
                 {"/fclib_local/vectors/mu", "-0.1 at entry 0", "≥ 0"});
}

TEST(FclibErrors, SizesThatDisagree) {
  expectMentions(complaint([](Pieces& p) { p.mu = {0.5, 0.5}; }),
                 {"vectors/mu", "found 2 entries", "expected 1"});
  expectMentions(complaint([](Pieces& p) { p.q = {1, 2, 3, 4}; }), {"vectors/q", "multiple of 3"});
  expectMentions(complaint([](Pieces& p) { p.m = 6; p.p = {0, 1, 2, 3, 3, 3, 3}; }),
                 {"/fclib_local/W", "6 x 3", "3 x 3"});
  expectMentions(complaint([](Pieces& p) { p.n = 2'000'000'000; }), {"/fclib_local/W", "3 x 3"});
  expectMentions(complaint([](Pieces& p) { p.nz = 3; p.m = 2'000'000'000; p.p = {0, 1, 2}; }),
                 {"/fclib_local/W", "3 x 3"});
  expectMentions(complaint([](Pieces& p) { p.x = {1, 1}; }), {"W/x", "2 entries", "at least 3"});
  expectMentions(complaint([](Pieces& p) { p.p = {0, 1}; }), {"W/p", "2 entries", "at least 4"});
}

TEST(FclibErrors, IndicesOutOfRange) {
  expectMentions(complaint([](Pieces& p) { p.i[1] = 3; }), {"W/i", "index 3 at entry 1", "0 to 2"});
  expectMentions(complaint([](Pieces& p) { p.i[1] = -1; }), {"W/i", "index -1"});
  expectMentions(complaint([](Pieces& p) { p.p = {0, 2, 1, 3}; }), {"W/p", "1 after 2"});
  expectMentions(complaint([](Pieces& p) { p.p = {0, 1, 2, 2'000'000'000}; }), {"W/i", "3 entries"});
  expectMentions(complaint([](Pieces& p) { p.nz = 3; p.p = {0, 1, 7}; }), {"W/p", "index 7"});
  expectMentions(complaint([](Pieces& p) { p.nz = -7; }), {"W/nz", "-7"});
  expectMentions(complaint([](Pieces& p) { p.m = -3; }), {"W/m", "-3"});
}

TEST(FclibErrors, MissingPieces) {
  for (const char* piece : {"spacedim", "W/m", "W/nz", "W/p", "W/x", "vectors/q", "vectors/mu"}) {
    expectMentions(complaint([piece](Pieces& p) { p.left_out = piece; }),
                   {std::string("/fclib_local/") + piece, "found nothing"});
  }
}

TEST(FclibErrors, PlanarProblemsAreRefusedWithAdvice) {
  expectMentions(complaint([](Pieces& p) { p.spacedim = 2; }), {"spacedim", "found 2", "embed"});
}

TEST(FclibErrors, FilesThatAreNotProblems) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(readProblem(folder / "missing.hdf5"), FileError);
  EXPECT_THROW(readProblem(folder / "."), FileError);
  std::ofstream(folder / "text.hdf5") << "not HDF5 at all";
  EXPECT_THROW(readProblem(folder / "text.hdf5"), FormatError);
  std::ofstream(folder / "empty.hdf5").close();
  EXPECT_THROW(readProblem(folder / "empty.hdf5"), FormatError);
  {
    Hdf5Writer writer(folder / "other.hdf5");
    writer.write("/something", 1);
    writer.commit();
  }
  EXPECT_THROW(readProblem(folder / "other.hdf5"), FormatError);
}

TEST(FclibErrors, TruncatedFilesAtEveryLength) {
  const test::TemporaryFolder folder;
  write(folder / "whole.hdf5", Pieces{});
  std::ifstream stream(folder / "whole.hdf5", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  for (std::size_t length = 0; length < bytes.size(); length += 97) {
    std::ofstream(folder / "cut.hdf5", std::ios::binary) << bytes.substr(0, length);
    EXPECT_THROW(readProblem(folder / "cut.hdf5"), FormatError) << length;
  }
}

TEST(FclibErrors, MassMatrixThatIsNotPositiveDefinite) {
  const test::TemporaryFolder folder;
  {
    Hdf5Writer writer(folder / "m.hdf5");
    const std::string g = "/fclib_global";
    writer.write(g + "/spacedim", 3);
    writeMatrix(writer, g + "/M", {3, 3, {{0, 0, 1.0}, {1, 1, -1.0}, {2, 2, 1.0}}});
    writeMatrix(writer, g + "/H", {3, 3, {{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, 1.0}}});
    writer.write(g + "/vectors/f", std::vector<double>{0, 0, 0});
    writer.write(g + "/vectors/w", std::vector<double>{0, 0, 0});
    writer.write(g + "/vectors/mu", std::vector<double>{0.5});
    writer.commit();
  }
  try {
    readProblem(folder / "m.hdf5");
    FAIL() << "a negative mass was accepted";
  } catch (const FormatError& error) {
    expectMentions(error.what(), {"/fclib_global/M", "not positive definite"});
  }
}

TEST(FclibErrors, ExtensionOfANewerVersion) {
  const test::TemporaryFolder folder;
  ProblemFile content;
  content.problem = DelassusProblem{};
  {
    Hdf5Writer writer(folder / "new.hdf5");
    writer.write("/fclib_local/spacedim", 3);
    writer.write("/cornet/version", 2);
    writer.commit();
  }
  try {
    readProblem(folder / "new.hdf5");
    FAIL();
  } catch (const FormatError& error) {
    expectMentions(error.what(), {"/cornet/version", "found 2", "newer"});
  }
}

TEST(FclibErrors, WritingNeverDamagesWhatIsThere) {
  const test::TemporaryFolder folder;
  ProblemFile good;
  good.problem = test::assemble(test::boxOnFloor(0.5));
  writeProblem(folder / "p.hdf5", good);
  ProblemFile bad = good;
  std::get<ContactProblem>(bad.problem).v_free[0] = kNaN;
  EXPECT_THROW(writeProblem(folder / "p.hdf5", bad), std::invalid_argument);
  EXPECT_NO_THROW(readProblem(folder / "p.hdf5"));
  EXPECT_THROW(writeProblem(folder / "no/such/folder/p.hdf5", good), FileError);
  {
    Hdf5Writer unfinished(folder / "p.hdf5");
    unfinished.write("/half", 1);
  }  // no commit
  EXPECT_NO_THROW(readProblem(folder / "p.hdf5"));
}

}  // namespace
}  // namespace cornet
