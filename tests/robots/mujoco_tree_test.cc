// Trees of robot models against the library itself, against differences, and against what mechanics says.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <mujoco/mujoco.h>

#include "cornet/body/mujoco/library.h"
#include "cornet/math/rotation.h"
#include "robots/model_files.h"

namespace cornet {
namespace {

using test::ModelFolder;
using test::robotFile;

const char* const kModels[] = {"gripper.xml", "quadruped.xml", "arm.xml", "top.xml", "four_bar.xml"};

struct Random {
  std::mt19937 engine{7};
  double operator()(double size) { return std::uniform_real_distribution<double>(-size, size)(engine); }
};

// A pose near the reference one, within reach of no constraint but the coordinates' own.
VectorXd makePose(const Tree& tree, const VectorXd& q0, Random& random) {
  VectorXd q = q0, step(tree.velocityCount());
  for (double& x : step) x = random(0.5);
  tree.advance(step, 1.0, q);
  return q;
}

VectorXd makeVelocity(const Tree& tree, Random& random) {
  VectorXd v(tree.velocityCount());
  for (double& x : v) x = random(2.0);
  return v;
}

// The library's own step, of a model that keeps its gravity.
struct Library {
  explicit Library(const std::filesystem::path& file) {
    char error[1000] = "";
    model = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
    EXPECT_NE(model, nullptr) << error;
    data = mj_makeData(model);
  }
  ~Library() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }
  mjModel* model = nullptr;
  mjData* data = nullptr;
};

// M⁻¹ (gravity + own forces + stiff terms, at what they are now - c).
VectorXd calcAcceleration(const Tree& tree, const VectorXd& q, const VectorXd& v, const VectorXd& activation, const Vector3d& gravity) {
  const auto cache = tree.makeCache();
  cache->activation = activation;
  tree.evaluate(q, TreeLevel::dynamics, *cache);
  VectorXd f = VectorXd::Zero(v.size()), c(v.size());
  for (int k = 0; k < tree.linkCount(); ++k) f += cache->jacobians[k].topRows<3>().transpose() * (tree.mass(k).mass * gravity);
  tree.addOwnForce(v, *cache, f);
  std::vector<StiffTerm> terms;
  tree.collectStiffTerms(v, *cache, terms);
  for (const StiffTerm& term : terms) {
    const double force = -term.stiffness * term.stretch - term.damping * (term.g.dot(v) - term.rate);
    f += std::clamp(force, term.lower, term.upper) * term.g;
  }
  tree.calcCoriolis(v, *cache, c);
  return cache->M.ldlt().solve(f - c);
}

void expectSmoothAccelerations(const std::filesystem::path& file) {
  const MujocoModel model(file);
  const Library library(file);
  Random random;
  for (int trial = 0; trial < 20; ++trial) {
    VectorXd control = VectorXd::Zero(model.control_count);
    for (double& x : control) x = random(1.0);
    for (int k = 0; k < model.control_count; ++k) library.data->ctrl[k] = control[k];
    VectorXd activation = model.activation;
    for (double& x : activation) x = random(1.0);
    std::copy(activation.begin(), activation.end(), library.data->act);
    std::vector<VectorXd> own;
    for (std::size_t k = 0; k < model.trees.size(); ++k) {
      const ModelTree& part = model.trees[k];
      const auto tree = model.makeTree(static_cast<int>(k), {Pose(), model.gravity, control});
      const VectorXd q = makePose(*tree, model.q(part.q), random), v = makeVelocity(*tree, random);
      for (std::size_t i = 0; i < part.q.size(); ++i) library.data->qpos[part.q[i]] = q[static_cast<Eigen::Index>(i)];
      for (std::size_t i = 0; i < part.v.size(); ++i) library.data->qvel[part.v[i]] = v[static_cast<Eigen::Index>(i)];
      own.push_back(calcAcceleration(*tree, q, v, activation(part.activations), model.gravity));
    }
    mj_forward(library.model, library.data);
    for (std::size_t k = 0; k < model.trees.size(); ++k) {
      for (std::size_t i = 0; i < model.trees[k].v.size(); ++i) {
        const double theirs = library.data->qacc_smooth[model.trees[k].v[i]];
        EXPECT_NEAR(own[k][static_cast<Eigen::Index>(i)], theirs, 1e-12 * std::max(1.0, own[k].lpNorm<Eigen::Infinity>())) << file << " tree " << k << " dof " << i;
      }
    }
  }
}

class RobotModels : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Shipped, RobotModels, testing::ValuesIn(kModels));

TEST_P(RobotModels, AccelerateAsInTheLibrary) { expectSmoothAccelerations(robotFile(GetParam())); }

// Springs of all joints, gear, a tendon, gravity compensation, rotors and dampers of actuators, a motor of limited force.
TEST(MujocoTree, AcceleratesAsInTheLibraryWithEverythingThatPulls) {
  const ModelFolder folder;
  expectSmoothAccelerations(folder.write("all.xml", R"(<mujoco>
  <worldbody>
    <body pos="0 0 1" gravcomp="0.7"><joint name="ball" type="ball" stiffness="3" damping="0.2"/><geom size="0.1" pos="0.1 0 0"/>
      <body pos="0.3 0 0"><joint name="a" axis="0 1 0" stiffness="2" springref="20" armature="0.1"/><geom type="box" size="0.1 0.02 0.03" pos="0.1 0 0"/>
        <site name="s" pos="0.2 0 0.1"/>
        <body pos="0.2 0 0"><joint name="b" type="slide" axis="1 0 0.3" stiffness="5" damping="1"/><geom type="capsule" size="0.02 0.1"/>
          <body pos="0.1 0 0.1"><geom type="ellipsoid" size="0.1 0.05 0.02"/></body></body></body></body>
    <body pos="0 2 1"><freejoint/><geom size="0.1" pos="0.05 0 0"/><site name="t"/></body>
    <site name="u" pos="0.3 0 2"/>
  </worldbody>
  <tendon><fixed name="f" stiffness="4" damping="0.3" springlength="0.05"><joint joint="a" coef="0.5"/><joint joint="b" coef="-2"/></fixed>
    <spatial name="w" stiffness="3" springlength="0 0.5"><site site="u"/><site site="s"/></spatial></tendon>
  <actuator><motor joint="a" gear="3" forcerange="-0.2 0.2"/><position joint="b" kp="30" kv="2" armature="0.2" gear="2"/><velocity joint="a" kv="4"/>
    <damper joint="b" kv="5" ctrlrange="0 2"/><general tendon="f" gainprm="2 0.3 0.1" gaintype="affine" biastype="affine" biasprm="0.1 -3 -0.4"/>
    <motor site="s" gear="1 2 3 0.1 0.2 0.3"/><cylinder joint="a" timeconst="0.1" area="0.5" bias="0.1 -0.2 -0.3"/>
    <general joint="b" dyntype="integrator" gaintype="affine" gainprm="2 0.5 -0.1"/><intvelocity joint="a" kp="7" kv="0.5" actrange="-1 1"/></actuator>
</mujoco>)"));
}

// Poses and Jacobians of links, at the place where the model stands.
TEST_P(RobotModels, HaveTheJacobiansThatDifferencesGive) {
  const MujocoModel model(robotFile(GetParam()));
  Random random;
  const Pose X_WM(expMap(Vector3d(0.3, -0.8, 0.5)), Vector3d(1, 2, 3));
  for (std::size_t k = 0; k < model.trees.size(); ++k) {
    const auto tree = model.makeTree(static_cast<int>(k), {X_WM, Vector3d::Zero(), {}});
    const VectorXd q = makePose(*tree, model.q(model.trees[k].q), random);
    const auto at = tree->makeCache(), before = tree->makeCache(), after = tree->makeCache();
    tree->evaluate(q, TreeLevel::poses, *at);
    constexpr double kStep = 1e-6;
    for (int i = 0; i < tree->velocityCount(); ++i) {
      VectorXd q0 = q, q1 = q;
      tree->advance(VectorXd::Unit(tree->velocityCount(), i), -kStep, q0);
      tree->advance(VectorXd::Unit(tree->velocityCount(), i), kStep, q1);
      tree->evaluate(q0, TreeLevel::poses, *before);
      tree->evaluate(q1, TreeLevel::poses, *after);
      for (int link = 0; link < tree->linkCount(); ++link) {
        const Vector3d v = (after->links[link].position - before->links[link].position) / (2.0 * kStep);
        const Vector3d w = logMap(after->links[link].orientation * before->links[link].orientation.conjugate()) / (2.0 * kStep);
        EXPECT_LT((at->jacobians[link].col(i).head<3>() - v).norm(), 1e-8);
        EXPECT_LT((at->jacobians[link].col(i).tail<3>() - w).norm(), 1e-8);
      }
    }
  }
}

// Rows of limits and loops: their rates are those of what they hold.
TEST_P(RobotModels, HaveTheRowsThatDifferencesGive) {
  const MujocoModel model(robotFile(GetParam()));
  Random random;
  for (std::size_t k = 0; k < model.trees.size(); ++k) {
    const auto tree = model.makeTree(static_cast<int>(k), {});
    const VectorXd q = makePose(*tree, model.q(model.trees[k].q), random);
    const auto cache = tree->makeCache();
    const auto rowsAt = [&](const VectorXd& x) {
      std::vector<TreeRow> rows;
      tree->evaluate(x, TreeLevel::poses, *cache);
      tree->collectRows(*cache, rows);
      return rows;
    };
    constexpr double kStep = 1e-6;
    const std::vector<TreeRow> rows = rowsAt(q);
    for (int i = 0; i < tree->velocityCount(); ++i) {
      VectorXd q0 = q, q1 = q;
      tree->advance(VectorXd::Unit(tree->velocityCount(), i), -kStep, q0);
      tree->advance(VectorXd::Unit(tree->velocityCount(), i), kStep, q1);
      const std::vector<TreeRow> before = rowsAt(q0), after = rowsAt(q1);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        EXPECT_NEAR(rows[r].g[i], rows[r].kind == TreeRow::Kind::friction ? rows[r].g[i] : (after[r].C - before[r].C) / (2.0 * kStep), 1e-8);
      }
    }
  }
}

// M = Σ JᵀmJ over the links, and the rotors.
TEST_P(RobotModels, HaveTheMassOfTheirLinksAndRotors) {
  const MujocoModel model(robotFile(GetParam()));
  Random random;
  for (std::size_t k = 0; k < model.trees.size(); ++k) {
    const auto tree = model.makeTree(static_cast<int>(k), {});
    const auto cache = tree->makeCache();
    tree->evaluate(makePose(*tree, model.q(model.trees[k].q), random), TreeLevel::dynamics, *cache);
    MatrixXd M = MatrixXd::Zero(tree->velocityCount(), tree->velocityCount());
    for (int link = 0; link < tree->linkCount(); ++link) {
      const auto& J = cache->jacobians[link];
      const Matrix3d R = cache->links[link].orientation.toRotationMatrix();
      M += tree->mass(link).mass * J.topRows<3>().transpose() * J.topRows<3>() +
           J.bottomRows<3>().transpose() * (R * tree->mass(link).inertia * R.transpose()) * J.bottomRows<3>();
    }
    for (int i = 0; i < tree->velocityCount(); ++i) M(i, i) += 2.0 * tree->calcRotorEnergy(VectorXd::Unit(tree->velocityCount(), i));
    EXPECT_LT((M - cache->M).norm(), 1e-12 * M.norm());
  }
}

// d/dt (½ vᵀMv) = -vᵀc where nothing else acts: c turns energy into nothing.  Ṁ from differences.
TEST_P(RobotModels, KeepTheirEnergyUnderCoriolisForces) {
  const MujocoModel model(robotFile(GetParam()));
  Random random;
  for (std::size_t k = 0; k < model.trees.size(); ++k) {
    const auto tree = model.makeTree(static_cast<int>(k), {});
    const VectorXd q = makePose(*tree, model.q(model.trees[k].q), random), v = makeVelocity(*tree, random);
    const auto cache = tree->makeCache();
    constexpr double kStep = 1e-5;
    double energy[2];
    for (int side = 0; side < 2; ++side) {
      VectorXd x = q;
      tree->advance(v, side == 0 ? -kStep : kStep, x);
      tree->evaluate(x, TreeLevel::dynamics, *cache);
      energy[side] = 0.5 * v.dot(cache->M * v);
    }
    VectorXd c(v.size());
    tree->evaluate(q, TreeLevel::dynamics, *cache);
    tree->calcCoriolis(v, *cache, c);
    EXPECT_NEAR((energy[1] - energy[0]) / (2.0 * kStep), v.dot(c), 1e-7 * (1.0 + v.dot(cache->M * v)));
  }
}

// A limit of a ball is a cone about its reference: angle and rate.
TEST(MujocoTree, LimitsABallByACone) {
  const ModelFolder folder;
  const MujocoModel model = folder.read(R"(<mujoco><worldbody><body><joint type="ball" range="0 60"/><geom size="0.1" pos="0 0 -0.5"/></body></worldbody></mujoco>)");
  const auto tree = model.makeTree(0, {});
  const auto cache = tree->makeCache();
  VectorXd q = model.q;
  tree->advance(Vector3d(0.3, -0.4, 0.0), 1.0, q);
  tree->evaluate(q, TreeLevel::poses, *cache);
  std::vector<TreeRow> rows;
  tree->collectRows(*cache, rows);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_NEAR(rows[0].C, M_PI / 3.0 - 0.5, 1e-14);
  EXPECT_LT((rows[0].g - Vector3d(-0.6, 0.8, 0.0)).norm(), 1e-14);
}

// A fault on which the library would end the process comes back, as often as it happens, with what it said; warnings are handed over.
TEST(MujocoLibrary, FaultsComeBack) {
  for (int trial = 0; trial < 3; ++trial) {
    try {
      guarded([] { mju_error("broken %d", 7); });
      FAIL() << "no fault";
    } catch (const LibraryFault& fault) {
      EXPECT_NE(std::string(fault.what()).find("broken 7"), std::string::npos) << fault.what();
    }
    EXPECT_NE(guarded([] { mju_warning("odd"); }).find("odd"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists("MUJOCO_LOG.TXT"));
}

// Trees that a loop joins are one; one that nothing joins and drives is a free body.
TEST(MujocoTree, JoinsTreesThatBelongTogether) {
  const MujocoModel bars(robotFile("four_bar.xml")), gripper(robotFile("gripper.xml"));
  ASSERT_EQ(bars.trees.size(), 1u);
  EXPECT_EQ(bars.trees[0].links.size(), 3u);
  ASSERT_EQ(gripper.trees.size(), 2u);
  EXPECT_FALSE(gripper.trees[0].is_free_body);
  EXPECT_TRUE(gripper.trees[1].is_free_body);
}

}  // namespace
}  // namespace cornet
