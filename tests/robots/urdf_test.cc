// URDF: files of packages, friction by the tags of others, joints that follow others.
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "cornet/io/robot/add_robots.h"
#include "cornet/run/scene_run.h"
#include "robots/model_files.h"

namespace cornet {
namespace {

using test::ModelFolder;

constexpr const char* kInertial = R"(<inertial><mass value="2"/><inertia ixx="0.2" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial>)";

// The corner of a cube of this side, as a binary STL.
std::string makeTetrahedron(float side) {
  const float points[4][3] = {{0, 0, 0}, {side, 0, 0}, {0, side, 0}, {0, 0, side}};
  const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::string file(80, ' ');
  const auto add = [&file](const void* data, std::size_t size) { file.append(static_cast<const char*>(data), size); };
  const std::uint32_t count = 4;
  const float normal[3] = {};
  const std::uint16_t attributes = 0;
  add(&count, 4);
  for (const auto& face : faces) {
    add(normal, 12);
    for (const int k : face) add(points[k], 12);
    add(&attributes, 2);
  }
  return file;
}

std::string makeRobot(const std::string& mesh) {
  return std::string("<robot name=\"r\"><link name=\"base\"/>\n<link name=\"arm\">") + kInertial + "<collision><geometry>\n<mesh filename=\"" + mesh +
         "\"/></geometry></collision></link>\n<joint name=\"j\" type=\"revolute\"><parent link=\"base\"/><child link=\"arm\"/><axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"9\" velocity=\"1\"/></joint></robot>";
}

// A workspace: src/repository/hand_description/{meshes, urdf}.
struct Workspace {
  Workspace() {
    std::filesystem::create_directories(package / "meshes");
    std::filesystem::create_directories(package / "urdf");
    write(package / "meshes" / "tip.stl", makeTetrahedron(0.1F));
  }
  std::filesystem::path write(const std::filesystem::path& file, const std::string& text) const {
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  test::TemporaryFolder folder;
  std::filesystem::path root = folder / "src";
  std::filesystem::path package = root / "repository" / "hand_description";
};

std::string faultOf(const std::filesystem::path& file, const ModelOptions& options = {}) {
  try {
    readModel(file, options);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

void expectTip(const MujocoModel& model) {
  ASSERT_EQ(model.shapes.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<ConvexHull>(*model.shapes[0].shape));
}

TEST(Urdf, FindsFilesOfPackages) {
  const Workspace workspace;
  const test::TemporaryFolder elsewhere;
  const std::string uri = "package://hand_description/meshes/tip.stl";
  // In the package itself, beside it, or by a relative name.
  for (const std::string& name : {uri, std::string("model://hand_description/meshes/tip.stl"), std::string("../meshes/tip.stl"), "file://" + (workspace.package / "meshes" / "tip.stl").string()}) {
    expectTip(*readModel(workspace.write(workspace.package / "urdf" / "hand.urdf", makeRobot(name))));
  }
  expectTip(*readModel(workspace.write(workspace.root / "repository" / "hand.urdf", makeRobot(uri))));
  // From elsewhere: by the folder, the one above it, the workspace.
  const auto file = workspace.write(elsewhere / "hand.urdf", makeRobot(uri));
  for (const std::filesystem::path& path : {workspace.package, workspace.package.parent_path(), workspace.root, workspace.folder / ""}) {
    expectTip(*readModel(file, {{elsewhere / "", path}}));
  }
  ASSERT_EQ(unsetenv("ROS_PACKAGE_PATH"), 0);
  const std::string fault = faultOf(file, {{elsewhere / ""}});
  EXPECT_NE(fault.find("hand.urdf:3"), std::string::npos) << fault;
  EXPECT_NE(fault.find("package 'hand_description'"), std::string::npos) << fault;
  EXPECT_NE(fault.find((elsewhere / "").string()), std::string::npos) << fault;
  EXPECT_NE(fault.find("--package-path"), std::string::npos) << fault;
  setenv("ROS_PACKAGE_PATH", ("/nowhere:" + workspace.root.string()).c_str(), 1);
  expectTip(*readModel(file));
  unsetenv("ROS_PACKAGE_PATH");
  const auto lost = workspace.write(elsewhere / "lost.urdf", makeRobot("package://hand_description/meshes/top.stl"));
  EXPECT_NE(faultOf(lost, {{workspace.root}}).find("meshes/top.stl does not exist"), std::string::npos);
}

TEST(Urdf, TakesPackagesFromScenes) {
  const Workspace workspace;
  const auto file = workspace.write(workspace.folder / "hand.urdf", makeRobot("package://hand_description/meshes/tip.stl"));
  const auto scene = workspace.write(workspace.folder / "scene.toml", "version = 1\n[[robot]]\nfile = 'hand.urdf'\npackages = ['src']\n");
  EXPECT_EQ(readScene(scene).world.body(0).shapes().size(), 1u);
  EXPECT_EQ(readScene(file, {{"package_path", workspace.root.string()}}).world.body(0).shapes().size(), 1u);
  EXPECT_THROW(readScene(file), FindingsError);  // it is below the model, which knows only of those beside and above it
}

// What the compiler drops.
TEST(Urdf, ReadsFrictionOfDrakeAndGazebo) {
  const ModelFolder folder;
  const auto drake = [](const std::string& tags) { return "<drake:proximity_properties>" + tags + "</drake:proximity_properties>"; };
  const auto collision = [](const std::string& more) { return "<collision>\n<geometry><sphere radius=\"0.1\"/></geometry>" + more + "</collision>"; };
  const auto robot = [&](const std::string& inner, const std::string& outer) {
    return "<robot name=\"r\"><link name=\"base\">" + collision(drake("<drake:mu_static value=\"0.25\"/>")) + "</link>\n<link name=\"arm\">" + kInertial +
           "<visual><geometry><sphere radius=\"0.3\"/></geometry></visual>" + inner +
           "</link>\n<joint name=\"j\" type=\"continuous\"><parent link=\"base\"/><child link=\"arm\"/><axis xyz=\"0 1 0\"/></joint>" + outer + "</robot>";
  };
  const std::string inner = collision(drake("<drake:mu_dynamic value=\"0.7\"/><drake:mu_static value=\"0.9\"/><drake:hydroelastic_modulus value=\"1e6\"/>")) + collision("") +
                            collision(drake("<drake:mu_dynamic value=\"0.3\"/>"));
  const std::string outer = "<gazebo reference=\"arm\">\n<mu1> 0.4 </mu1><mu2>0.5</mu2><material>Gazebo/Red</material></gazebo>";
  const auto model = readModel(folder.write("a.urdf", robot(inner, outer)));
  std::vector<double> friction;
  for (const ModelShape& shape : model->shapes) friction.push_back(shape.friction);
  EXPECT_EQ(friction, (std::vector<double>{0.25, 0.9, 0.4, 0.3}));
  std::vector<std::string> not_used;
  for (const NotUsed& item : model->not_used) not_used.push_back(toString(item));
  EXPECT_EQ(not_used, (std::vector<std::string>{"drake:hydroelastic_modulus on 1 collision", "drake:mu_dynamic on 1 collision", "gazebo material on 1 link", "gazebo mu2 on 1 link"}));
  EXPECT_NE(faultOf(folder.write("b.urdf", robot(collision(drake("<drake:mu_static value=\"-1\"/>")), ""))).find("b.urdf:4"), std::string::npos);
  EXPECT_NE(faultOf(folder.write("c.urdf", robot(collision(""), "\n<gazebo reference=\"arm\"><mu1>much</mu1></gazebo>"))).find("friction \"much\""), std::string::npos);
}

// A joint that mimics another one is held to it exactly, from the start on.
TEST(Urdf, JointsThatMimicFollowExactly) {
  const ModelFolder folder;
  const std::string limit = "<limit lower=\"-2\" upper=\"2\" effort=\"9\" velocity=\"1\"/>";
  const auto file = folder.write("m.urdf", std::string("<robot name=\"r\"><link name=\"base\"/><link name=\"a\">") + kInertial + "</link><link name=\"b\">" + kInertial + "</link><link name=\"c\">" + kInertial + "</link>" +
      "<joint name=\"ja\" type=\"revolute\"><parent link=\"base\"/><child link=\"a\"/><axis xyz=\"0 1 0\"/>" + limit + "</joint>" +
      "<joint name=\"jb\" type=\"prismatic\"><parent link=\"base\"/><child link=\"b\"/><axis xyz=\"0 0.6 0.8\"/>" + limit + "<mimic joint=\"ja\" multiplier=\"-0.5\" offset=\"0.1\"/></joint>" +
      "<joint name=\"jc\" type=\"prismatic\"><parent link=\"a\"/><child link=\"c\"/><origin xyz=\"0.3 0 0\"/><axis xyz=\"1 0 0\"/>" + limit + "<mimic joint=\"jb\" multiplier=\"2\"/></joint></robot>");
  const auto tree = [&](const Scene& scene, const State& state, const char* name) {
    return state.q[scene.world.tree(0).tree->joints()[static_cast<std::size_t>(scene.world.findTreeJoint(name).index)].q];
  };
  for (const std::string more : {"", "[[robot.joint]]\nname = 'ja'\nposition_rad = 0.4\n"}) {
    const Scene scene = readScene(SourceText("scene.toml", "version = 1\nduration = 1\ndt = 0.004\n[[robot]]\nfile = '" + file.string() + "'\n" + more));
    SceneRun run(scene);
    double worst = 0.0, way = 0.0;
    while (!run.isDone()) {
      const double a = tree(scene, run.state(), "ja"), b = tree(scene, run.state(), "jb"), c = tree(scene, run.state(), "jc");
      worst = std::max({worst, std::abs(b - (0.1 - 0.5 * a)), std::abs(c - 2.0 * b)});
      way = std::max(way, std::abs(a));
      run.step();
    }
    EXPECT_LT(worst, 1e-13);
    EXPECT_GT(way, 0.1);
    EXPECT_EQ(run.totals().inaccurate_steps, 0);
  }
}

}  // namespace
}  // namespace cornet
