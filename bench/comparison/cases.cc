#include "comparison/cases.h"

#include <cmath>
#include <numbers>

#include "support/rigid_scene.h"

namespace cornet::bench {
namespace {

// A body of mass 1 comes down on a free body of another mass; they touch at points on a ring. It sticks,
// or slips and turns.
Case makeRing(int contacts, double mu, double ratio, bool slip) {
  test::Scene scene;
  const Vector3d half = Vector3d::Constant(0.5);
  scene.bodies = {{ratio, test::boxInertia(ratio, half), {0.0, 0.0, -0.5}},
                  {1.0, test::boxInertia(1.0, half), {0.0, 0.0, 0.5}}};
  scene.bodies[1].velocity = slip ? Vector3d(2.0, 0.7, -1.0) : Vector3d(0.02, 0.01, -1.0);
  scene.bodies[1].omega = Vector3d(0.0, 0.0, slip ? 1.0 : 0.01);
  for (int k = 0; k < contacts; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / contacts;
    const double radius = contacts == 1 ? 0.0 : 0.5;
    scene.contacts.push_back({0, 1, {radius * std::cos(angle), radius * std::sin(angle), 0.0},
                              Vector3d::UnitZ(), mu, 0.0});
  }
  return {"ring", slip ? "slip" : "stick", contacts, mu, ratio, test::assemble(scene)};
}

// Unit cubes; in motion the upper half slides over the lower one.
Case makeStack(int boxes, bool slip) {
  test::Scene scene = test::boxStack(std::vector<double>(boxes, 1.0));
  for (int k = boxes / 2; slip && k < boxes; ++k) {
    scene.bodies[k].velocity = Vector3d(0.5, 0.2, 0.0);
  }
  return {"stack", slip ? "slip" : "stick", 4 * boxes, 0.5, 1.0, test::assemble(scene)};
}

}  // namespace

std::vector<Case> makeCases() {
  std::vector<Case> cases;
  for (const int contacts : {1, 5, 10, 20}) {
    for (const double mu : {0.1, 0.5, 0.9}) {
      for (const double ratio : {1.0, 10.0, 100.0, 1000.0}) {
        cases.push_back(makeRing(contacts, mu, ratio, false));
        cases.push_back(makeRing(contacts, mu, ratio, true));
      }
    }
  }
  for (const int boxes : {1, 5, 10, 20, 50}) {
    cases.push_back(makeStack(boxes, false));
    cases.push_back(makeStack(boxes, true));
  }
  return cases;
}

}  // namespace cornet::bench
