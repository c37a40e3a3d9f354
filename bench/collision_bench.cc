// Contacts of one pair, and of many bodies.
#include <random>

#include <benchmark/benchmark.h>

#include "cornet/collision/detector.h"

namespace cornet {
namespace {

// Poses of a second unit cube over the first: faces nearly parallel at this gap, or turned anyhow.
std::vector<Pose> posesOver(double gap, bool any_turn) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<Pose> poses;
  for (int k = 0; k < 256; ++k) {
    const double tilt = any_turn ? 1.0 : 1e-4;
    const Vector3d turn(tilt * normal(random), tilt * normal(random), normal(random));
    poses.emplace_back(expMap(turn), Vector3d(0.2 * normal(random), 0.2 * normal(random), 1.0 + gap));
  }
  return poses;
}

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
BENCHMARK(BoxBoxFaceOverlap);
BENCHMARK(BoxBoxFaceGap);
BENCHMARK(BoxBoxAnyTurn);
BENCHMARK(SphereSphere);
BENCHMARK(CapsuleCapsule);
BENCHMARK(HalfSpaceBox);

// Boxes in a cloud of constant density, all moving a little.
void DetectBoxes(benchmark::State& state) {
  const auto count = static_cast<int>(state.range(0));
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(0.0, 0.35 * std::cbrt(count));
  Detector detector;
  std::vector<Pose> poses;
  for (int k = 0; k < count; ++k) {
    detector.addShape(k, Box(Vector3d::Constant(0.1)), {});
    poses.emplace_back(Matrix3d::Identity(), Vector3d(place(random), place(random), place(random)));
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
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(0.0, 3.5);
  Detector detector;
  std::vector<Pose> poses;
  for (int k = 0; k < 1000; ++k) {
    detector.addShape(k, Box(Vector3d::Constant(0.1)), {});
    poses.emplace_back(Matrix3d::Identity(), Vector3d(place(random), place(random), place(random)));
  }
  const std::vector<double> margins(poses.size(), 1e-3);
  ContactSet contacts;
  detector.detect(poses, margins, contacts);
  for (auto _ : state) detector.refresh(poses, contacts);
}
BENCHMARK(RefreshBoxes)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cornet
