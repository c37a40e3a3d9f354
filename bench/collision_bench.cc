// Contacts of one pair, and of many bodies.
#include <benchmark/benchmark.h>

#include "collision_scenes.h"
#include "cornet/collision/detector.h"

namespace cornet {
namespace {

using bench::cloud;
using bench::posesOver;

void collide(benchmark::State& state, const Shape& a, const Shape& b, const std::vector<Pose>& poses) {
  NarrowPhase narrow;
  Manifold manifold;
  const ManifoldOptions options{1e-3, 8};
  std::size_t k = 0;
  for (auto _ : state) {
    narrow.collideInOrder(a, Pose(), b, poses[k++ % poses.size()], options, manifold);
    benchmark::DoNotOptimize(manifold.data());
  }
}

const Shape kBox = Box(Vector3d::Constant(0.5));

void BoxBoxFaceOverlap(benchmark::State& state) { collide(state, kBox, kBox, posesOver(-1e-4, false)); }
void BoxBoxFaceGap(benchmark::State& state) { collide(state, kBox, kBox, posesOver(5e-4, false)); }
void BoxBoxAnyTurn(benchmark::State& state) { collide(state, kBox, kBox, posesOver(0.1, true)); }
void SphereSphere(benchmark::State& state) {
  collide(state, Sphere{0.5}, Sphere{0.5}, posesOver(0.0, true));
}
void CapsuleCapsule(benchmark::State& state) {
  collide(state, Capsule{0.3, 0.5}, Capsule{0.3, 0.5}, posesOver(-0.2, true));
}
void HalfSpaceBox(benchmark::State& state) {
  collide(state, HalfSpace{}, kBox, posesOver(-0.5, false));
}
void BoxCylinder(benchmark::State& state) {
  if (!NarrowPhase::supports(kBox, Cylinder{})) return state.SkipWithError("built without coal");
  collide(state, kBox, Cylinder{0.5, 0.5}, posesOver(-1e-4, false));
}
BENCHMARK(BoxCylinder);
BENCHMARK(BoxBoxFaceOverlap);
BENCHMARK(BoxBoxFaceGap);
BENCHMARK(BoxBoxAnyTurn);
BENCHMARK(SphereSphere);
BENCHMARK(CapsuleCapsule);
BENCHMARK(HalfSpaceBox);

// The broad phase alone: 1,000 boxes that move by state.range(0) mm to and fro, and all pairs.
void BroadPhase(benchmark::State& state) {
  std::vector<Vector3d> places = cloud(1000);
  BoundsTree tree;
  std::vector<int> leaves;
  const auto boundsAt = [](const Vector3d& p) {
    return Bounds{p - Vector3d::Constant(0.1), p + Vector3d::Constant(0.1)};
  };
  for (std::size_t k = 0; k < places.size(); ++k) {
    leaves.push_back(tree.insert(boundsAt(places[k]), 0.01, static_cast<int>(k)));
  }
  std::vector<std::pair<int, int>> pairs;
  double shift = 1e-3 * static_cast<double>(state.range(0));
  for (auto _ : state) {
    for (std::size_t k = 0; k < places.size(); ++k) {
      places[k][k % 3] += k % 2 == 0 ? shift : -shift;
      tree.update(leaves[k], boundsAt(places[k]), 0.01);
    }
    shift = -shift;
    pairs.clear();
    tree.findPairs(pairs);
    benchmark::DoNotOptimize(pairs.data());
  }
  state.counters["pairs"] = static_cast<double>(pairs.size());
}
BENCHMARK(BroadPhase)->Arg(1)->Arg(30)->Unit(benchmark::kMicrosecond);

// Boxes in a cloud of constant density, all moving a little.
void DetectBoxes(benchmark::State& state) {
  const auto count = static_cast<int>(state.range(0));
  Detector detector;
  std::vector<Pose> poses;
  for (const Vector3d& place : cloud(count)) {
    detector.addShape(static_cast<int>(poses.size()), Box(Vector3d::Constant(0.1)), {});
    poses.emplace_back(Matrix3d::Identity(), place);
  }
  const std::vector<double> margins(poses.size(), 1e-3);
  ContactSet contacts;
  double shift = 1e-3;
  for (auto _ : state) {
    for (Pose& pose : poses) pose.p.x() += shift;
    shift = -shift;
    detector.detect(poses, margins, contacts);
  }
  state.counters["contacts"] = contacts.size();
}
BENCHMARK(DetectBoxes)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond);

// The contacts of the same cloud at other poses.
void RefreshBoxes(benchmark::State& state) {
  Detector detector;
  std::vector<Pose> poses;
  for (const Vector3d& place : cloud(1000)) {
    detector.addShape(static_cast<int>(poses.size()), Box(Vector3d::Constant(0.1)), {});
    poses.emplace_back(Matrix3d::Identity(), place);
  }
  const std::vector<double> margins(poses.size(), 1e-3);
  ContactSet contacts;
  detector.detect(poses, margins, contacts);
  for (auto _ : state) detector.refresh(poses, contacts);
}
BENCHMARK(RefreshBoxes)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cornet
