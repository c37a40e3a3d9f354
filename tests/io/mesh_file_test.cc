#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "cornet/io/format_error.h"
#include "cornet/io/scene/mesh_file.h"

namespace cornet {
namespace {

namespace fs = std::filesystem;

class MeshFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("cornet_mesh_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::string faultOf(const fs::path& file) {
    try {
      file.extension() == ".csv" ? static_cast<void>(readHeights(file)) : static_cast<void>(readMesh(file));
    } catch (const std::runtime_error& error) {
      const std::string text = error.what();
      return text.substr(text.find(file.filename().string()) + file.filename().string().size());
    }
    return "none";
  }
  fs::path folder_;
};

constexpr const char* kObj = "# a square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1/1/1 2/2/1 3//1 -1\n";

TEST_F(MeshFile, ReadsPolygonsOfObjFilesAsFans) {
  const MeshData mesh = readMesh(write("a.obj", kObj));
  ASSERT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.vertices[2], Vector3d(1, 1, 0));
  EXPECT_EQ(mesh.triangles, (std::vector<int>{0, 1, 2, 0, 2, 3}));
}

TEST_F(MeshFile, ReadsTextAndBinaryStlWithSharedCorners) {
  const MeshData text = readMesh(write(
      "a.stl",
      "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n"
      "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n"));
  EXPECT_EQ(text.vertices.size(), 4u);
  EXPECT_EQ(text.triangles, (std::vector<int>{0, 1, 2, 0, 2, 3}));

  std::string binary(84, ' ');
  const std::uint32_t count = 1;
  std::memcpy(binary.data() + 80, &count, 4);
  const float numbers[12] = {0, 0, 1, 0, 0, 0, 0.5, 0, 0, 0, 2, 0};
  binary.append(reinterpret_cast<const char*>(numbers), sizeof numbers).append(2, '\0');
  const MeshData mesh = readMesh(write("b.stl", binary));
  EXPECT_EQ(mesh.triangles, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(mesh.vertices[2], Vector3d(0, 2, 0));
}

TEST_F(MeshFile, ReadsHeightsWithCommasOrBlanks) {
  const HeightData data = readHeights(write("h.csv", "# heights\n1, 2, 3\n4 5 6\n"));
  EXPECT_EQ(data.nx, 3);
  EXPECT_EQ(data.ny, 2);
  EXPECT_EQ(data.heights, (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST_F(MeshFile, SaysWhatIsWrong) {
  EXPECT_NE(faultOf(folder_ / "no.obj").find("no such file"), std::string::npos);
  EXPECT_NE(faultOf(write("a.ply", "")).find("the ending \".ply\""), std::string::npos);
  EXPECT_NE(faultOf(write("a.obj", "v 1 2\n")).find("2 numbers"), std::string::npos);
  EXPECT_NE(faultOf(write("b.obj", "v 1 2 x\n")).find("\"x\""), std::string::npos);
  EXPECT_NE(faultOf(write("c.obj", "v 0 0 0\nf 1 2 3\n")).find("vertex \"2\""), std::string::npos);
  EXPECT_NE(faultOf(write("d.obj", "")).find("no triangle"), std::string::npos);
  EXPECT_NE(faultOf(write("e.stl", "vertex 0 0 0\n")).find("1 of them"), std::string::npos);
  EXPECT_NE(faultOf(write("a.csv", "1 2\n3\n")).find("1 numbers"), std::string::npos);
  EXPECT_NE(faultOf(write("b.csv", "1 2\n")).find("2 x 1 heights"), std::string::npos);
}

}  // namespace
}  // namespace cornet
