// The scenes of collision_bench.cc by coal: functors and results are kept, as its pages advise.
#include <benchmark/benchmark.h>
#include <coal/broadphase/broadphase_callbacks.h>
#include <coal/broadphase/broadphase_dynamic_AABB_tree.h>
#include <coal/collision.h>
#include <coal/contact_patch.h>
#include <coal/shape/geometric_shapes.h>

#include "collision_scenes.h"

namespace cornet {
namespace {

// Contacts of a pair with a margin of 1 mm; with patches for what has faces.
void collide(benchmark::State& state, const coal::ShapeBase& a, const coal::ShapeBase& b,
             const std::vector<Pose>& poses, bool with_patch) {
  coal::ComputeCollision collision(&a, &b);
  coal::ComputeContactPatch patch(&a, &b);
  coal::CollisionRequest request(coal::CollisionRequestFlag::CONTACT, 1);
  request.security_margin = 1e-3;
  const coal::ContactPatchRequest patch_request;
  coal::CollisionResult result;
  coal::ContactPatchResult patches(patch_request);
  std::vector<coal::Transform3s> places;
  for (const Pose& pose : poses) places.emplace_back(pose.R, pose.p);
  std::size_t k = 0;
  for (auto _ : state) {
    const coal::Transform3s& X = places[k++ % places.size()];
    result.clear();
    collision(coal::Transform3s(), X, request, result);
    if (with_patch) {
      patches.clear();
      patch(coal::Transform3s(), X, result, patch_request, patches);
    }
    benchmark::DoNotOptimize(&result);
  }
}

const coal::Box kBox(1.0, 1.0, 1.0);

void CoalBoxBoxFaceOverlap(benchmark::State& state) {
  collide(state, kBox, kBox, bench::posesOver(-1e-4, false), true);
}
void CoalBoxBoxFaceGap(benchmark::State& state) {
  collide(state, kBox, kBox, bench::posesOver(5e-4, false), true);
}
void CoalBoxBoxAnyTurn(benchmark::State& state) {
  collide(state, kBox, kBox, bench::posesOver(0.1, true), true);
}
void CoalSphereSphere(benchmark::State& state) {
  const coal::Sphere sphere(0.5);
  collide(state, sphere, sphere, bench::posesOver(0.0, true), false);
}
void CoalCapsuleCapsule(benchmark::State& state) {
  const coal::Capsule capsule(0.3, 1.0);
  collide(state, capsule, capsule, bench::posesOver(-0.2, true), false);
}
void CoalHalfSpaceBox(benchmark::State& state) {
  collide(state, coal::Halfspace(0.0, 0.0, 1.0, 0.0), kBox, bench::posesOver(-0.5, false), true);
}
void CoalBoxCylinder(benchmark::State& state) {
  collide(state, kBox, coal::Cylinder(0.5, 1.0), bench::posesOver(-1e-4, false), true);
}
BENCHMARK(CoalBoxBoxFaceOverlap);
BENCHMARK(CoalBoxBoxFaceGap);
BENCHMARK(CoalBoxBoxAnyTurn);
BENCHMARK(CoalSphereSphere);
BENCHMARK(CoalCapsuleCapsule);
BENCHMARK(CoalHalfSpaceBox);
BENCHMARK(CoalBoxCylinder);

struct CountPairs : coal::CollisionCallBackBase {
  bool collide(coal::CollisionObject*, coal::CollisionObject*) override {
    ++count;
    return false;
  }
  int count = 0;
};

void CoalBroadPhase(benchmark::State& state) {
  const auto box = std::make_shared<coal::Box>(0.2, 0.2, 0.2);
  std::vector<Vector3d> places = bench::cloud(1000);
  std::vector<std::unique_ptr<coal::CollisionObject>> objects;
  coal::DynamicAABBTreeCollisionManager manager;
  for (const Vector3d& place : places) {
    objects.push_back(std::make_unique<coal::CollisionObject>(box, Matrix3d::Identity(), place));
    objects.back()->computeAABB();
    manager.registerObject(objects.back().get());
  }
  manager.setup();
  CountPairs pairs;
  double shift = 1e-3 * static_cast<double>(state.range(0));
  for (auto _ : state) {
    for (std::size_t k = 0; k < places.size(); ++k) {
      places[k][k % 3] += k % 2 == 0 ? shift : -shift;
      objects[k]->setTranslation(places[k]);
      objects[k]->computeAABB();
    }
    shift = -shift;
    manager.update();
    pairs.count = 0;
    manager.collide(&pairs);
  }
  state.counters["pairs"] = pairs.count;
}
BENCHMARK(CoalBroadPhase)->Arg(1)->Arg(30)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cornet
