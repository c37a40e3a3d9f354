#include "cornet/solvers/friction_cone_spec.h"

#include <stdexcept>
#include <string>

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

namespace {

void require(bool condition, const std::string& text) {
  if (!condition) throw std::invalid_argument("contacts given as a matrix: " + text);
}

// Every row belongs to exactly one contact.
void requireContacts(const FrictionConeSpec& spec, int contacts) {
  const auto count = static_cast<std::size_t>(contacts);
  require(spec.numContacts == contacts && spec.frictionCoefficients.size() == count &&
              spec.normalIndices.size() == count,
          fmt::format("{} contacts, but {} in the friction spec", contacts, spec.numContacts));
  std::vector<int> owner(3 * count, -1);
  for (int i = 0; i < contacts; ++i) {
    const int first = spec.normalIndices[i];
    require(first >= 0 && first + 2 < 3 * contacts,
            fmt::format("contact {} has the rows {} to {} of {}", i, first, first + 2, 3 * contacts));
    require(spec.frictionCoefficients[i] >= 0.0, fmt::format("contact {}: μ = {}: expected a number ≥ 0",
                                                             i, spec.frictionCoefficients[i]));
    for (int r = first; r < first + 3; ++r) {
      require(owner[r] < 0, fmt::format("contacts {} and {} share row {}", owner[r], i, r));
      owner[r] = i;
    }
  }
}

}  // namespace

DelassusProblem makeDelassusProblem(const MatrixXd& A, const VectorXd& b,
                                    const FrictionConeSpec& spec, int numContacts) {
  requireContacts(spec, numContacts);
  const int n = 3 * numContacts;
  require(A.rows() == n && A.cols() == n && b.size() == n,
          fmt::format("A is {} x {} and b has {} entries where {} rows were expected", A.rows(),
                      A.cols(), b.size(), n));
  ConstraintRows rows;
  Eigen::VectorXi source(n);
  for (int i = 0; i < numContacts; ++i) {
    rows.addCone(spec.frictionCoefficients[i], {Origin::Kind::contact, i});
    for (int r = 0; r < 3; ++r) source[3 * i + r] = spec.normalIndices[i] + r;
  }
  return makeDelassusProblem(std::move(rows), A(source, source), -b(source));
}

}  // namespace cornet
