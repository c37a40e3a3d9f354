#pragma once

#include "cornet/sim/contact_search.h"

/// Contacts that only the kick has made: bodies that free motion keeps apart are thrown at each other, or touch with
/// corners that were far away. Pairs that end the step deeper in each other than they began it, by features without
/// a contact, get the contacts of the end pose,
///
///   g := g(h) - n·(way of B's point - way of A's point)                                       (STEP-17)
///
/// and what they join is solved again.
namespace cornet {

class LateContacts {
 public:
  /// Looks at the pairs with their bodies at the end of the step; appends what is missing. Returns whether there was any.
  bool find(const Search& search, std::span<const ShapePair> pairs);
  /// Those of the pairs last looked at that end the step in each other, with their gap there.
  std::span<const ShapePair> overlaps() const { return overlaps_; }

 private:
  Manifold manifold_;
  std::vector<ShapePair> overlaps_;
};

}  // namespace cornet
