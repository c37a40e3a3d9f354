#include "cornet/collision/detector.h"

#include <algorithm>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "support/random_shapes.h"

namespace cornet {
namespace {

using test::Random;
using test::uniform;

Vector3d randomPoint(Random& random, double reach) {
  return {uniform(random, -reach, reach), uniform(random, -reach, reach), uniform(random, -reach, reach)};
}

Bounds randomBounds(Random& random, double reach) {
  const Vector3d centre = randomPoint(random, reach);
  const Vector3d half = randomPoint(random, 0.5).cwiseAbs();
  return {centre - half, centre + half};
}

// Every pair of overlapping leaf boxes, by looking at all of them.
std::vector<std::pair<int, int>> allPairs(const BoundsTree& tree, const std::vector<int>& leaves) {
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (std::size_t j = i + 1; j < leaves.size(); ++j) {
      if (leaves[i] < 0 || leaves[j] < 0) continue;
      if (tree.box(leaves[i]).overlaps(tree.box(leaves[j]))) {
        pairs.emplace_back(static_cast<int>(i), static_cast<int>(j));
      }
    }
  }
  return pairs;
}

TEST(BoundsTree, FindsAllPairsWhileBodiesComeMoveAndGo) {
  Random random(3);
  BoundsTree tree;
  std::vector<int> leaves(300, -1);
  for (int round = 0; round < 60; ++round) {
    for (int change = 0; change < 100; ++change) {
      const int i = static_cast<int>(random() % leaves.size());
      const Bounds bounds = randomBounds(random, 4.0);
      if (leaves[i] < 0) {
        leaves[i] = tree.insert(bounds, 0.05, i);
      } else if (random() % 4 == 0) {
        tree.remove(leaves[i]);
        leaves[i] = -1;
      } else {
        tree.update(leaves[i], bounds, 0.05);
        ASSERT_TRUE(tree.box(leaves[i]).contains(bounds));
      }
    }
    std::vector<std::pair<int, int>> pairs;
    tree.findPairs(pairs);
    std::ranges::sort(pairs);
    ASSERT_EQ(pairs, allPairs(tree, leaves));
    const Bounds window = randomBounds(random, 4.0);
    std::vector<int> found, expected;
    tree.findOverlaps(window, found);
    std::ranges::sort(found);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (leaves[i] >= 0 && tree.box(leaves[i]).overlaps(window)) expected.push_back(static_cast<int>(i));
    }
    ASSERT_EQ(found, expected);
  }
  EXPECT_LT(tree.height(), 25);
}

TEST(BoundsTree, SmallMotionsChangeNothing) {
  BoundsTree tree;
  const Bounds unit{Vector3d::Zero(), Vector3d::Ones()};
  const int leaf = tree.insert(unit, 0.1, 0);
  EXPECT_FALSE(tree.update(leaf, {Vector3d::Constant(0.05), Vector3d::Constant(1.05)}, 0.1));
  EXPECT_TRUE(tree.update(leaf, {Vector3d::Constant(0.2), Vector3d::Constant(1.2)}, 0.1));
}

// Boxes and spheres over a floor.
struct Pile {
  explicit Pile(int count, unsigned seed = 5) {
    Random random(seed);
    for (int k = 0; k < count; ++k) {
      poses.emplace_back(expMap(randomPoint(random, 2.0)), randomPoint(random, 2.0));
    }
    poses.emplace_back();  // the ground
    margins.assign(poses.size(), 0.02);
    order.resize(static_cast<std::size_t>(count) + 1);
    for (int k = 0; k <= count; ++k) order[static_cast<std::size_t>(k)] = k;
  }
  Detector make() const {
    Detector detector;
    for (const int body : order) {
      const bool ground = body + 1 == static_cast<int>(poses.size());
      if (ground) {
        detector.addShape(body, HalfSpace{}, Pose(Matrix3d::Identity(), {0, 0, -1.5}));
      } else if (body % 2 == 0) {
        detector.addShape(body, Box({0.3, 0.2, 0.4}), Pose());
      } else {
        detector.addShape(body, Sphere{0.3}, Pose());
      }
    }
    return detector;
  }
  std::vector<Pose> poses;
  std::vector<double> margins;
  std::vector<int> order;  // of insertion
};

TEST(Detector, FindsWhatAllPairsWouldFind) {
  const Pile pile(120);
  Detector detector = pile.make();
  ContactSet contacts;
  detector.detect(pile.poses, pile.margins, contacts);
  NarrowPhase narrow;
  Manifold manifold;
  int expected = 0;
  for (int i = 0; i < 120; ++i) {
    const Shape a = i % 2 == 0 ? Shape(Box({0.3, 0.2, 0.4})) : Shape(Sphere{0.3});
    for (int j = i + 1; j < 120; ++j) {
      const Shape b = j % 2 == 0 ? Shape(Box({0.3, 0.2, 0.4})) : Shape(Sphere{0.3});
      narrow.collideInOrder(a, pile.poses[i], b, pile.poses[j], {0.04, 8}, manifold);
      expected += static_cast<int>(manifold.size());
    }
    narrow.collideInOrder(HalfSpace{}, Pose(Matrix3d::Identity(), {0, 0, -1.5}), a, pile.poses[i],
                          {0.04, 8}, manifold);
    expected += static_cast<int>(manifold.size());
  }
  EXPECT_EQ(contacts.size(), expected);
  EXPECT_GT(expected, 100);
}

// The history of the tree must not show: bodies that came from elsewhere give the same contacts.
TEST(Detector, ContactsDoNotDependOnHowBodiesGotThere) {
  const Pile pile(100);
  Detector fresh = pile.make(), travelled = pile.make();
  ContactSet expected, found;
  fresh.detect(pile.poses, pile.margins, expected);
  for (unsigned seed = 1; seed < 5; ++seed) {
    travelled.detect(Pile(100, seed).poses, pile.margins, found);
  }
  travelled.detect(pile.poses, pile.margins, found);
  EXPECT_EQ(found.key, expected.key);
  EXPECT_EQ(found.gap, expected.gap);
  EXPECT_EQ(found.normal, expected.normal);
  EXPECT_EQ(found.body_a, expected.body_a);
  EXPECT_TRUE(std::ranges::is_sorted(expected.shape_a));
}

// Some bodies alone: their contacts with each other and with the ground, as they are among all.
TEST(Detector, AmongSomeBodiesFindsWhatIsBetweenThem) {
  const Pile pile(120);
  Detector detector = pile.make();
  ContactSet all, some;
  detector.detect(pile.poses, pile.margins, all);
  std::vector<char> has(120);
  for (std::size_t k = 0; k < has.size(); ++k) has[k] = k % 3 != 0;
  for (const bool is_fresh : {false, true}) {
    if (is_fresh) detector = pile.make();
    detector.detectAmong(pile.poses, pile.margins, has, some);
    std::vector<std::uint64_t> expected;
    const auto isMeant = [&](int body) { return body == 120 || has[static_cast<std::size_t>(body)]; };
    for (int k = 0; k < all.size(); ++k) {
      if (isMeant(all.body_a[k]) && isMeant(all.body_b[k])) expected.push_back(all.key[k]);
    }
    EXPECT_EQ(some.key, expected);
    EXPECT_GT(expected.size(), 20U);
  }
}

// The same features at other poses, against detection there.
TEST(Detector, RefreshAgreesWithDetection) {
  Random random(43);
  int compared = 0;
  double worst_gap = 0.0, worst_normal = 0.0;
  for (int trial = 0; trial < 40; ++trial) {
    Pile pile(40, 100 + trial);
    for (Pose& pose : pile.poses) pose.p *= 0.6;
    pile.poses.back() = Pose();
    Detector detector = pile.make();
    const auto ground = static_cast<int>(pile.poses.size()) - 1;
    detector.addShape(ground, Capsule{0.2, 0.5}, Pose(Matrix3d::Identity(), {0.3, 0.2, 0.1}));
    ContactSet contacts, later;
    detector.detect(pile.poses, pile.margins, contacts);
    ContactSet same = contacts;
    detector.refresh(pile.poses, same);
    for (int k = 0; k < contacts.size(); ++k) {
      ASSERT_NEAR(same.gap[k], contacts.gap[k], 1e-13);
      ASSERT_LT((same.normal[k] - contacts.normal[k]).norm(), 1e-10);
      ASSERT_LT((same.point_a[k] - contacts.point_a[k]).norm(), 1e-12);
      ASSERT_LT((same.point_b[k] - contacts.point_b[k]).norm(), 1e-12);
      const std::optional<double> gap = detector.calcGapAt(contacts, k, pile.poses[contacts.body_a[k]],
                                                           pile.poses[contacts.body_b[k]]);
      ASSERT_NEAR(gap.value_or(contacts.gap[k]), contacts.gap[k], 1e-13);
    }
    std::vector<Pose> moved = pile.poses;
    for (Pose& pose : moved) {
      pose = Pose(expMap(randomPoint(random, 1e-4)).toRotationMatrix() * pose.R,
                  pose.p + randomPoint(random, 1e-4));
    }
    detector.detect(moved, pile.margins, later);
    detector.refresh(moved, contacts);
    for (int k = 0; k < contacts.size(); ++k) {
      const auto found = std::ranges::find(later.key, contacts.key[k]);
      if (found == later.key.end()) continue;
      const auto m = static_cast<std::size_t>(found - later.key.begin());
      if (later.feature[m].normal_from != contacts.feature[k].normal_from) continue;
      if ((later.normal[m] - contacts.normal[k]).norm() > 0.01) continue;  // another face of the same name
      ++compared;
      worst_gap = std::max(worst_gap, std::abs(later.gap[m] - contacts.gap[k]));
      worst_normal = std::max(worst_normal, (later.normal[m] - contacts.normal[k]).norm());
    }
  }
  EXPECT_GT(compared, 500);
  EXPECT_LT(worst_gap, 1e-12);
  EXPECT_LT(worst_normal, 1e-9);
}

TEST(Detector, FiltersByGroupBodyAndExplicitPair) {
  const auto count = [](auto&& prepare) {
    Detector detector;
    prepare(detector);
    ContactSet contacts;
    const std::vector<Pose> poses(2);
    detector.detect(poses, std::vector<double>{0.0, 0.0}, contacts);
    return contacts.size();
  };
  const Sphere ball{0.5};
  EXPECT_EQ(count([&](Detector& d) { d.addShape(0, ball, {}), d.addShape(1, ball, {}); }), 1);
  EXPECT_EQ(count([&](Detector& d) { d.addShape(0, ball, {}), d.addShape(0, ball, {}); }), 0);
  EXPECT_EQ(count([&](Detector& d) {
              d.addShape(0, ball, {}, 0, {1, 1});
              d.addShape(1, ball, {}, 0, {2, 3});
            }),
            0);
  EXPECT_EQ(count([&](Detector& d) {
              d.addShape(0, ball, {});
              d.addShape(1, ball, {});
              d.excludeBodies(1, 0);
            }),
            0);
}

TEST(Detector, CompoundBodiesReportEachShape) {
  Detector dumbbell;
  dumbbell.addShape(0, Sphere{0.2}, Pose(Matrix3d::Identity(), {-0.5, 0, 0}), 7);
  dumbbell.addShape(0, Sphere{0.2}, Pose(Matrix3d::Identity(), {0.5, 0, 0}), 8);
  dumbbell.addShape(1, HalfSpace{}, Pose(), 9);
  ContactSet contacts;
  const std::vector<Pose> poses = {Pose(Matrix3d::Identity(), {0, 0, 0.2}), Pose()};
  dumbbell.detect(poses, std::vector<double>{0.01, 0.0}, contacts);
  ASSERT_EQ(contacts.size(), 2);
  EXPECT_NEAR(dumbbell.distanceAt(2, 0, poses[1], Pose(Matrix3d::Identity(), {0, 0, 1.2})), 1.0, 1e-15);
  EXPECT_EQ(contacts.body_a, (std::vector<int>{1, 1}));  // the half-space is A
  EXPECT_EQ(contacts.material_a, (std::vector<int>{9, 9}));
  EXPECT_EQ(contacts.material_b, (std::vector<int>{7, 8}));
  EXPECT_NEAR(contacts.gap[0], 0.0, 1e-15);
}

TEST(Detector, RefusesBadShapesPosesAndMargins) {
  Detector detector;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(detector.addShape(0, Sphere{0.0}, {}), std::invalid_argument);
  EXPECT_THROW(detector.addShape(-1, Sphere{1.0}, {}), std::invalid_argument);
  EXPECT_THROW(detector.addShape(0, Sphere{1.0}, Pose(2.0 * Matrix3d::Identity(), Vector3d::Zero())),
               std::invalid_argument);
  detector.addShape(1, Sphere{1.0}, {});
  ContactSet contacts;
  const std::vector<Pose> one(1), two(2);
  EXPECT_THROW(detector.detect(one, std::vector<double>{0.0}, contacts), std::invalid_argument);
  EXPECT_THROW(detector.detect(two, std::vector<double>{0.0, nan}, contacts), std::invalid_argument);
  EXPECT_THROW(detector.detect(two, std::vector<double>{0.0, -1.0}, contacts), std::invalid_argument);
  std::vector<Pose> bad(2);
  bad[1].p.x() = nan;
  EXPECT_THROW(detector.detect(bad, std::vector<double>{0.0, 0.0}, contacts), std::invalid_argument);
}

}  // namespace
}  // namespace cornet
