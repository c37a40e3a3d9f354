#include "cornet/solvers/friction_cone_spec.h"

#include <stdexcept>

#include <fmt/format.h>

namespace cornet {

FrictionConeSpec::FrictionConeSpec(int contacts) : numContacts(contacts) {
  if (contacts < 0) {
    throw std::invalid_argument(
        fmt::format("FrictionConeSpec: {} contacts: expected a number ≥ 0", contacts));
  }
  frictionCoefficients.assign(static_cast<std::size_t>(contacts), 0.0);
  normalIndices.resize(static_cast<std::size_t>(contacts));
  for (int i = 0; i < contacts; ++i) normalIndices[i] = 3 * i;
}

void FrictionConeSpec::setFriction(int contactIndex, double mu, int normalConstraintIndex) {
  if (contactIndex < 0 || contactIndex >= numContacts) {
    throw std::invalid_argument(fmt::format("FrictionConeSpec: contact {}: there are {} contacts",
                                            contactIndex, numContacts));
  }
  if (!(mu >= 0.0)) {
    throw std::invalid_argument(fmt::format(
        "FrictionConeSpec: contact {}: friction coefficient {}: expected a number ≥ 0",
        contactIndex, mu));
  }
  if (normalConstraintIndex < 0) {
    throw std::invalid_argument(fmt::format("FrictionConeSpec: contact {}: normal row {}: expected "
                                            "an index ≥ 0",
                                            contactIndex, normalConstraintIndex));
  }
  frictionCoefficients[contactIndex] = mu;
  normalIndices[contactIndex] = normalConstraintIndex;
}

std::vector<long> FrictionConeSpec::getConeSizes() const {
  return std::vector<long>(static_cast<std::size_t>(numContacts), 3L);
}

}  // namespace cornet
