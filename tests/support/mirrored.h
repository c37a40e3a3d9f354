#pragma once

#include <gtest/gtest.h>

#include "cornet/collision/narrow_phase.h"
#include "support/random_shapes.h"

namespace cornet::test {

/// The contacts of two shapes, and of the same exchanged, bit by bit.
inline void expectMirrored(const Manifold& one, const Manifold& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].point_a, other[i].point_b);
    EXPECT_EQ(one[i].point_b, other[i].point_a);
    EXPECT_EQ(one[i].normal, -other[i].normal);
    EXPECT_EQ(one[i].gap, other[i].gap);
    EXPECT_EQ(one[i].key, other[i].key);
  }
}

/// Random pairs of two kinds of shapes: exchanging them must mirror the result bit by bit.
inline void expectMirrored(const std::string& kind_a, const std::string& kind_b, int pairs) {
  Random random(19);
  NarrowPhase narrow;
  ManifoldOptions options;
  options.margin = 0.1;
  Manifold one, other;
  for (int k = 0; k < pairs; ++k) {
    const Shape a = makeShape(kind_a, random);
    const Shape b = makeShape(kind_b, random);
    const Pose X_WA(randomRotation(random), randomDirection(random));
    const Pose X_WB(randomRotation(random), X_WA.p + randomDirection(random));
    narrow.collide(a, X_WA, b, X_WB, options, one);
    narrow.collide(b, X_WB, a, X_WA, options, other);
    expectMirrored(one, other);
  }
}

}  // namespace cornet::test
