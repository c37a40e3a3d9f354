#pragma once

#include <string>
#include <vector>

/// What each model of the friction cone does to a point mass that slips or is pushed in a given
/// direction, against Coulomb's law. Everything is measured by solving, nothing is taken from the
/// geometry of the models.
namespace cornet::app {

struct ConeStudyOptions {
  double mu = 0.5;
  int faces = 8;       // corners of the polygon, even
  int headings = 360;
};

/// One direction of slip; forces and powers relative to those of the exact law.
struct ConeHeading {
  double heading = 0.0;      // [deg] against the first tangent axis
  double force = 0.0;        // magnitude of friction while slipping at 1 m/s
  double direction = 0.0;    // angle between friction and the direction opposite to slip [deg]
  double power = 0.0;        // power it dissipates
  double hold = 0.0;         // largest push without slip
  double drift = 0.0;        // sideways way until rest, in exact stopping distances
  double lift = 0.0;         // upward speed after the step [m/s]
};

struct ConeModelStudy {
  std::string name;
  bool slides_to_rest = true;  // false: it takes off, drift has no meaning
  std::vector<ConeHeading> headings;

  /// Smallest and largest value of a field, less `reference`.
  struct Range {
    double low, high;
  };
  Range range(double ConeHeading::*field, double reference) const;
};

/// Models: exact, pyramid, box, scaled_box, polygon, convex. Throws std::invalid_argument when an option
/// is out of range.
std::vector<ConeModelStudy> studyCones(const ConeStudyOptions& options);

}  // namespace cornet::app
