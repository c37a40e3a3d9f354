// A build without coal says which pairs it cannot do.
#include <gtest/gtest.h>

#include "cornet/collision/detector.h"

namespace cornet {
namespace {

TEST(WithoutCoal, RefusesCylindersConesAndEllipsoidsByName) {
  NarrowPhase narrow;
  Manifold manifold;
  EXPECT_FALSE(NarrowPhase::supports(Cylinder{}, Cone{}));
  EXPECT_TRUE(NarrowPhase::supports(Cylinder{}, HalfSpace{}));
  try {
    narrow.collide(Cylinder{}, Pose(), Cone{}, Pose(), {}, manifold);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("cylinder with a cone"), std::string::npos);
  }
}

TEST(WithoutCoal, DetectionNamesThePairThatIsNear) {
  Detector detector;
  detector.addShape(0, Cone{}, {});
  detector.addShape(1, Cylinder{}, {});
  ContactSet contacts;
  try {
    detector.detect(std::vector<Pose>(2), std::vector<double>(2, 0.0), contacts);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("shape 0 (cone) of body 0"), std::string::npos);
  }
}

}  // namespace
}  // namespace cornet
