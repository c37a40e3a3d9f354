// Steps random scenes in compliant contact, and judges each step that is called accurate by formulas of its own: every normal impulse is
// the law's at the velocities that the bodies have, friction is no more than its coefficient allows and takes no energy from
// nowhere, momenta of free bodies are what forces and reported impulses make of them.
//
//   icf_scene_fuzz COUNT [SEED [FIRST]]
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include "cornet/run/scene_run.h"
#include "random_scene.h"

namespace cornet {
namespace {

constexpr int kMostSteps = 150;  // of a scene
constexpr double kLaw = 1e-6;    // of the impulses of a step

struct Judge {
  const Scene& scene;
  const State& before;
  const SceneRun& run;
  double h;
  double dissipation;

  double largest = 0.0;  // impulse, gravity's included [N s]
  std::string fault = "";

  // Of a point in the kick: momenta at the end, axes of the start.
  Vector3d velocityOf(int body, const Vector3d& arm, bool at_start) const {
    const WorldModel& world = scene.world;
    if (body >= world.bodyCount()) {
      const AssetEnvironment& asset = world.environment(body - world.bodyCount());
      const InertialState begin = asset.calcState(before.time), end = asset.calcState(before.time + h);
      const Quaterniond turn = end.orientation * begin.orientation.conjugate();
      const Eigen::AngleAxisd about(turn.w() < 0.0 ? Quaterniond(-turn.coeffs()) : turn);
      return (end.position - begin.position) / h + Vector3d(about.angle() / h * about.axis()).cross(arm);
    }
    const InertialState start = before.body(body), end = run.state().body(body);
    if (at_start) return start.velocity + start.omega.cross(arm);
    const Matrix3d R0 = start.orientation.toRotationMatrix(), R1 = end.orientation.toRotationMatrix();
    const Matrix3d& I = world.body(body).mass().inertia;
    const Vector3d L = R1 * I * R1.transpose() * end.omega;
    return end.velocity + Vector3d(R0 * I.inverse() * R0.transpose() * L).cross(arm);
  }
  void say(const std::string& what, double value, double allowed) {
    if (value <= allowed || !fault.empty()) return;
    fault = fmt::format("{}: {:.3g}, allowed {:.3g}", what, value, allowed);
  }

  void judgeContact(const ContactOutcome& contact, double error) {
    const Vector3d& n = contact.normal;
    const Vector3d u = velocityOf(contact.b, contact.arm_b, false) - velocityOf(contact.a, contact.arm_a, false);
    const Vector3d u0 = velocityOf(contact.b, contact.arm_b, true) - velocityOf(contact.a, contact.arm_a, true);
    const double k = contact.stiffness, d = dissipation;
    const double f = -k * contact.gap, u_n = u.dot(n);
    const double wanted = h * std::max(0.0, f - h * k * u_n) * std::max(0.0, 1.0 - d * u_n);
    const double slope = h * (h * k * (1.0 + d * std::abs(u_n)) + d * std::max(0.0, f - h * k * u_n));
    say("normal impulse", std::abs(contact.normalImpulse() - wanted), kLaw * largest + 2.0 * slope * (error + 1e-14 * u.norm()));
    const double n0 = h * std::max(0.0, f) * std::max(0.0, 1.0 - d * u0.dot(n));
    say("friction", contact.tangentImpulse().norm(), contact.mu * n0 * (1.0 + 1e-9) + 1e-12 * largest);
  }
  void judgeMomentum(int body) {
    const WorldModel& world = scene.world;
    const InertialState start = before.body(body), end = run.state().body(body);
    const double m = world.body(body).mass().mass;
    BodyStates at = world.calcBodies(before);
    std::vector<BodyForce> forces(static_cast<std::size_t>(world.bodyCount()));
    world.calcOwnForces(at, h, forces);
    const double drag = world.body(body).linearDrag();
    Vector3d missing = m * (end.velocity - start.velocity) - h * forces[static_cast<std::size_t>(body)].force +
                       h * drag * (end.velocity - start.velocity);
    double size = m * (start.velocity.norm() + end.velocity.norm());
    const auto take = [&](const Vector3d& impulse) {
      missing -= impulse;
      size += impulse.norm();
    };
    for (const ContactOutcome& contact : run.simulator().contacts()) {
      if (contact.b == body) take(contact.impulse);
      if (contact.a == body) take(-contact.impulse);
    }
    for (std::size_t c = 0; c < run.simulator().constraints().size(); ++c) {
      const Constraint& constraint = *world.constraints()[c];
      for (int k = 0; k < constraint.bodyCount(); ++k) {
        if (static_cast<int>(constraint.bodyIndex(k)) == body) take(run.simulator().constraints()[c].bodies[static_cast<std::size_t>(k)].linear);
      }
    }
    say("momentum", missing.norm(), 1e-10 * size);
  }
  void judge() {
    for (const ContactOutcome& contact : run.simulator().contacts()) largest = std::max(largest, contact.impulse.norm());
    for (int i = 0; i < scene.world.bodyCount(); ++i) {
      largest = std::max(largest, h * scene.world.body(i).mass().mass * (scene.world.gravity.norm() + before.body(i).velocity.norm() / h));
    }
    if (scene.options.friction_law == IcfFriction::lagged) {
      for (const ContactOutcome& contact : run.simulator().contacts()) judgeContact(contact, run.report().velocity_error);
    }
    for (int i = 0; i < scene.world.bodyCount(); ++i) judgeMomentum(i);
  }
};

struct Tally {
  long scenes = 0, steps = 0, unsolved = 0, inaccurate = 0, wrong = 0, bad = 0;
};

// All materials of one stiffness and dissipation; returns the latter.
double soften(std::mt19937& random, Scene& scene) {
  std::uniform_real_distribution<double> uniform;
  const double stiffness = std::pow(10.0, 3.0 + 6.0 * uniform(random));
  const double dissipation = uniform(random) < 0.2 ? 0.0 : 100.0 * uniform(random) * uniform(random);
  MaterialTable& materials = scene.world.materials;
  for (int a = 0; a < materials.size(); ++a) {
    for (int b = 0; b <= a; ++b) {
      const PairLaw made = materials.pair(a, b);
      materials.setPair(a, b, {.mu = made.mu, .restitution = made.restitution, .stiffness = stiffness, .dissipation = dissipation});
    }
  }
  const double law = uniform(random);
  scene.options.friction_law = law < 0.6 ? IcfFriction::lagged : law < 0.8 ? IcfFriction::similar : IcfFriction::sap;
  scene.options.integrator = IntegratorKind::icf;
  scene.options.sleep_time = 0.0;
  return dissipation;
}

void runScene(const std::string& name, const std::filesystem::path& file, std::mt19937& random, Tally& tally) {
  Scene scene = readScene(file);
  const double dissipation = soften(random, scene);
  ++tally.scenes;
  SceneRun run(scene);
  for (int k = 0; k < kMostSteps && !run.isDone(); ++k) {
    const State before = run.state();
    try {
      run.step();
    } catch (const std::exception& error) {
      fmt::print("{} step {}: {}\n", name, k + 1, error.what());
      ++tally.bad;
      return;
    }
    ++tally.steps;
    tally.unsolved += run.report().unsolved_islands > 0;
    tally.inaccurate += !run.report().isAccurate();
    if (!run.state().q.allFinite() || !run.state().v.allFinite()) {
      fmt::print("{} step {}: not finite\n", name, k + 1);
      ++tally.bad;
      return;
    }
    if (!run.report().isAccurate()) {
      const StepMeasure worst = run.report().certificate.worstMeasure(boundsOf(scene.options));
      fmt::print("{} step {}: {}, relative {:.2g}, {} {:.2g}\n", name, k + 1, toString(run.report().status), run.report().relative, nameOf(worst),
                 run.report().certificate[worst].value);
      continue;
    }
    Judge judge{scene, before, run, run.lastStepSize(), dissipation};
    judge.judge();
    if (judge.fault.empty()) continue;
    fmt::print("{} step {}: called accurate, but {}\n", name, k + 1, judge.fault);
    ++tally.wrong;
    return;
  }
}

int run(int count, std::uint32_t seed, int first) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / fmt::format("icf_scene_fuzz_{}.toml", std::random_device()());
  Tally tally;
  for (int k = first; k < first + count; ++k) {
    const fuzz::Family family = k % 2 == 0 ? fuzz::Family::bodies : fuzz::Family::mechanisms;
    std::mt19937 random(seed + 1000003u * static_cast<std::uint32_t>(k));
    std::ofstream(file, std::ios::binary) << fuzz::makeRandomScene(family, seed, static_cast<std::uint32_t>(k));
    runScene(fmt::format("{} {}", fuzz::nameOf(family), k), file, random, tally);
  }
  std::filesystem::remove(file);
  fmt::print("{} scenes, {} steps: {} unsolved and called so, {} inaccurate and called so, {} wrong, {} failed\n", tally.scenes, tally.steps,
             tally.unsolved, tally.inaccurate, tally.wrong, tally.bad);
  return tally.wrong + tally.bad == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cornet

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 100;
  const auto seed = static_cast<std::uint32_t>(argc > 2 ? std::atoi(argv[2]) : 1);
  return cornet::run(count, seed, argc > 3 ? std::atoi(argv[3]) : 0);
}
