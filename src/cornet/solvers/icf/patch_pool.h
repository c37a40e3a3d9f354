#pragma once

#include <optional>
#include <vector>

#include "cornet/solvers/icf/icf_pool.h"

/// Contacts, gathered into patches: one for each pair of bodies, whatever the number of its points and faces. With
/// Φ(p) = [I, -[p]×], p from the point of the patch to the contact,
///
///   v_c = Φ V + v_bias,   Γ = Σ Φᵀ γ,   G = Σ Φᵀ G_c Φ   (6 and 6x6 per patch),   g -= JᵀΓ,  H += JᵀGJ  (ICF-14)
namespace cornet {

/// A contact, in world axes. The normal is a unit vector from A into B; `surface_velocity` is that of the surface of
/// B minus that of A where both bodies are at rest, as belts have it.
struct IcfContact {
  int A = -1, B = -1;
  Vector3d p_WC = Vector3d::Zero();
  Vector3d normal = Vector3d::UnitZ();
  double elastic_force = 0.0;    // f at the start [N]; negative for pairs that are apart
  double stiffness = 0.0;        // k [N/m]
  double dissipation = 0.0;      // d [s/m]
  double relaxation_time = 0.0;  // τ [s], of the friction law sap, which reads it in place of d
  double mu_static = 0.0, mu_dynamic = 0.0;
  Vector3d surface_velocity = Vector3d::Zero();
};

/// A point at some depth, negative for a gap: f = k depth.
IcfContact makePointContact(int A, int B, const Vector3d& p_WC, const Vector3d& normal, double depth, double stiffness);

/// A face of a surface where two pressure fields are equal: its area, their pressure at the centroid and their gradients
/// along the normal, both positive into the body; ∞ for a rigid one. f = area · pressure, k = area/(1/g_A + 1/g_B).  (ICF-15)
IcfContact makeFaceContact(int A, int B, const Vector3d& centroid_W, const Vector3d& normal, double area, double pressure,
                           double gradient_A, double gradient_B);

/// What all contacts share.
struct IcfContactOptions {
  IcfFriction friction = IcfFriction::lagged;
  double stiction_speed = 1e-4;    // v_s [m/s]
  double regularization = 1e-3;    // σ of R_t = σ w_t
  double sap_period = 1.0;         // β of (ICF-7)

  bool operator==(const IcfContactOptions&) const = default;
};

struct PatchConstraintsDataPool {
  EigenPool<Vector3d> velocity, impulse;  // by contact in the order of patches
  EigenPool<Vector6d> force;              // Γ by patch
  EigenPool<Matrix6d> hessian;            // G by patch
  std::vector<ContactLine> line;
  std::vector<double> stiffest;           // by patch: at most for its contacts, (ICF-23); ∞ as they are given
};

/// How stiff a contact is against the inverse mass of its point, at the speed V at which bodies met or at rest:
///   κ = h (h k (1 + d V) + d (f + h k V)₊) w_n                                                  (ICF-23)
double relativeStiffness(const ContactLaw& law, double w_n);
/// The same contact with k and f divided by the same number, so that κ is at most `stiffest`: it ends at the same velocity
/// and pushes less. A solver that follows these as `stiffest` grows comes to the contact as it is.
ContactLaw soften(const ContactLaw& law, double w_n, double stiffest);

class PatchConstraintsPool {
 public:
  using Data = PatchConstraintsDataPool;

  void clear();
  void reserve(int contacts);
  /// Throws std::invalid_argument when a number is not finite or has a value that no contact has.
  int add(const IcfContact& contact);
  void setOptions(const IcfContactOptions& options);
  const IcfContactOptions& options() const { return options_; }

  int contactCount() const { return static_cast<int>(contacts_.size()); }
  const IcfContact& contact(int i) const { return contacts_[i]; }

  /// Gathers contacts into patches, with what the start determines: inverse masses, lagged forces, friction.
  void prepare(const IcfTrees& trees, const IcfBodies& bodies);
  void setTimeStep(double h);

  /// One contact as the potential sees it, in the orientation of its patch.
  struct Item {
    int source;         // the contact
    double sign;        // -1: the patch has its bodies the other way round
    Vector3d p, normal, bias;
    Vector3d v_c0;      // at the start
    double w_n, w_t;    // inverse masses [1/kg]
    double lagged_force;
    ContactLaw law;
  };
  int count() const { return static_cast<int>(pair_.size()); }
  const BodyPair& pair(int patch) const { return pair_[patch]; }
  int begin(int patch) const { return begin_[patch]; }
  int end(int patch) const { return begin_[patch + 1]; }
  const Item& item(int k) const { return items_[k]; }
  /// Inverse mass of the pair at its point.
  const Matrix6d& inverseMass(int patch) const { return inverse_mass_[patch]; }
  /// Impulse on the contact's B, in world axes.
  Vector3d impulse(const Data& data, int contact) const { return items_[place_[contact]].sign * data.impulse[place_[contact]]; }
  /// Velocity of B relative to A at a contact, with that of the surfaces.
  Vector3d velocity(const Data& data, int contact) const { return items_[place_[contact]].sign * data.velocity[place_[contact]]; }
  int placeOf(int contact) const { return place_[contact]; }

  void resizeData(Data& data) const;
  double calcData(const IcfFrame& frame, std::span<const int> patches, const IcfMotion& motion, Data& data) const;
  void addGradient(const IcfFrame& frame, std::span<const int> patches, const Data& data, VectorXd& g) const;
  void addHessian(const IcfFrame& frame, std::span<const int> patches, const Data& data, IcfHessian& H) const;
  void startLine(const IcfFrame& frame, std::span<const int> patches, const IcfMotion& w, Data& data, LineQuadratic&) const;
  LineTerms calcAlong(std::span<const int> patches, const Data& data, double alpha) const;

 private:
  void gather(const IcfBodies& bodies);

  IcfContactOptions options_;
  std::vector<IcfContact> contacts_;
  std::vector<int> order_, place_;
  std::vector<Item> items_;
  std::vector<BodyPair> pair_;
  std::vector<int> begin_{0};
  EigenPool<Matrix6d> inverse_mass_;
  std::vector<double> scratch_;
};

/// The impulse n0 = h f₊ (1 - d v_n0)₊ and the softening it makes; the one place where (ICF-5) and (ICF-8) are put together.
void setContactLaw(const IcfContactOptions& options, double h, PatchConstraintsPool::Item& item);

}  // namespace cornet
