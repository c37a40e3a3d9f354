#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cornet/body/rigid_body.h"
#include "cornet/constraints/contact_constraint.h"

namespace cornet::test {

/// Owns constraints and lends them as the list the solver takes.
struct ConstraintList {
  template <class T, class... Arguments>
  void add(Arguments&&... arguments) {
    owned.push_back(std::make_unique<T>(std::forward<Arguments>(arguments)...));
    pointers.push_back(owned.back().get());
  }
  /// A contact at a world point, with friction.
  void addContact(std::span<const RigidBody> bodies, std::size_t a, std::size_t b,
                  const Vector3d& point, const Vector3d& normal, double mu,
                  double restitution = 0.0) {
    const ContactGeometry geometry =
        makeContactGeometry(bodies[a].state, bodies[b].state, point, point, normal);
    add<ContactConstraint>(a, b, geometry, restitution);
    add<FrictionConstraint>(a, b, geometry, mu);
  }
  std::vector<std::unique_ptr<Constraint>> owned;
  std::vector<const Constraint*> pointers;
};

}  // namespace cornet::test
