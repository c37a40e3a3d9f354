// A loop of one's own, recorded without a scene: a pendulum on a hinge, with what its joint carries.
#include <cmath>
#include <cstdio>

#include "cornet/constraints/joints/joints.h"
#include "cornet/io/recording/make_header.h"
#include "cornet/io/recording/recorder.h"
#include "cornet/sim/simulator.h"

int main() {
  using namespace cornet;
  const double dt = 1e-3;
  WorldModel world;
  world.addBody(AssetInertial::fromMass("rod", {{Box(Vector3d(0.5, 0.02, 0.02)), Pose()}}, 1.0).place({0.5, 0, 0}));
  const int hook = world.environmentBody(world.addEnvironment({"hook", {}}));
  world.addConstraint(std::make_unique<HingeJoint>(hook, 0, world.environment(0).calcState(0.0), world.body(0).initial(),
                                                   Vector3d::Zero(), Vector3d::UnitY()));
  Simulator simulator(world);
  State state = world.makeState();
  StepMemory memory;
  Recorder recorder("pendulum.h5", makeRecordingHeader(world, simulator.options(), dt, "A pendulum"), world);
  recorder.add({world, world.calcBodies(state)});
  int inaccurate = 0;
  for (int k = 0; k < 1000; ++k) {
    const StepReport report = simulator.step(dt, state, memory);
    inaccurate += !report.isAccurate();
    recorder.add({world, simulator.bodies(), &report, simulator.contacts(), simulator.joints(), dt});
  }
  recorder.finish();
  const JointOutcome& joint = simulator.joints().front();
  std::printf("t = %.3f s: angle %.4f rad, rate %.4f rad/s, the hook carries %.3f N\n", state.time, joint.position,
              joint.rate, joint.force.norm());
  std::printf("%d of 1000 steps inaccurate; see: cornet view pendulum.h5\n", inaccurate);
  return inaccurate == 0 ? 0 : 1;
}
