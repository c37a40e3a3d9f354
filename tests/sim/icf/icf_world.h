#pragma once

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "support/gravity.h"
#include "support/stepped_world.h"

namespace cornet::test {

/// A world in compliant contact: its bodies are of material 0, what stands is rigid, so that k of a contact is that of the bodies.
struct CompliantWorld : SteppedWorld {
  CompliantWorld() { options.integrator = IntegratorKind::icf; }

  void setMaterial(double stiffness, double dissipation, double friction = 0.5, double sliding = Material::kAsStatic) {
    Material material{"default", friction};
    material.stiffness = stiffness;
    material.dissipation = dissipation;
    material.dynamic_friction = sliding;
    world.materials.add(material);
    Material ground{"ground", friction};
    ground.stiffness = std::numeric_limits<double>::infinity();
    ground.dissipation = dissipation;
    ground.dynamic_friction = sliding;
    rigid = world.materials.add(ground);
  }
  void addFloor() { world.addEnvironment(AssetEnvironment("floor", {{HalfSpace{}, Pose(), rigid, {}}})); }
  /// The floor stays level, and gravity points down a slope.
  void incline(double angle) { world.gravity = kG * Vector3d(std::sin(angle), 0.0, -std::cos(angle)); }
  const StepReport& step(double dt) {
    SteppedWorld::step(dt);
    inaccurate += !last.isAccurate();
    return last;
  }
  void run(double duration, double dt) {
    const auto steps = std::lround(duration / dt);
    for (long k = 0; k < steps; ++k) step(dt);
    EXPECT_EQ(inaccurate, 0) << describe();
  }
  std::string describe() const {
    std::string text = std::string(toString(last.status)) + fmt::format(", relative {:.2g}", last.relative);
    for (const StepMeasure measure : kStepMeasures) text += fmt::format(", {} {:.2g}", nameOf(measure), last.certificate[measure].value);
    return text;
  }
  Vector3d contactForce(double dt) const {
    Vector3d sum = Vector3d::Zero();
    for (const ContactOutcome& contact : simulator->contacts()) sum += contact.impulse / dt;
    return sum;
  }
  const JointOutcome& joint(int j) const { return simulator->joints()[static_cast<std::size_t>(j)]; }

  int rigid = 0;
  int inaccurate = 0;
};

/// β² g h²/(4π²) with β = 0.1: how far a weight sags at what is as stiff as the step resolves.
inline double nearRigidSag(double acceleration, double h) {
  return 0.01 * acceleration * h * h / (4.0 * std::numbers::pi * std::numbers::pi);
}

}  // namespace cornet::test
