#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cornet/collision/contact_set.h"
#include "cornet/io/pair_file.h"
#include "cornet/io/toml/findings.h"

/// What `cornet collide` prints: a table for people, one JSON object for programs
/// (docs/formats/collide.md).
namespace cornet::app {

struct CollideReport {
  std::string file;
  ShapePair pair;
  ManifoldPoint closest;  // where the distance is measured
  Manifold contacts;
  bool overlap() const { return closest.gap <= 0.0; }
};

/// Numbers with so many significant digits; 17 tell every double apart.
std::string collideTable(const CollideReport& report, int digits);
std::string collideJson(const CollideReport& report);

/// The object for a file that was refused; without findings the text is the message.
std::string collideFailureJson(const std::string& file, const std::string& text,
                               const std::vector<Finding>& findings = {});

}  // namespace cornet::app
