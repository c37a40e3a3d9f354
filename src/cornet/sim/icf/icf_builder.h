#pragma once

#include <span>
#include <vector>

#include "cornet/collision/contact_set.h"
#include "cornet/sim/icf/icf_efforts.h"
#include "cornet/sim/options.h"
#include "cornet/sim/step_constraint.h"
#include "cornet/sim/trees/step_tree.h"
#include "cornet/solvers/icf/icf_model.h"

/// A world at the start of a step as an ICF problem: the one place that knows both.
///
///   trees      free bodies by number, then articulated trees, with M(q0) of each; k0 = -f, and drag as damping K. Coriolis'
///              forces are not in it: they act in the drift that follows                            (ICF-24)
///   contacts   f = -k gap, of gaps too; both bodies feel it midway between their surfaces; k, d, τ, μ of the pair of
///              materials; belts and the mean motion of surroundings over the step are their surface velocity
///   equality   a coupler for each row, g0 = C, and as rate w - s what moves by itself: w of the constraint, s of
///              surroundings. Rows that push bodies apart act midway between their points           (ICF-25)
///   limit      the same, one-sided
///   force law  F = -k x - d (u - w) at the end of the step, u = y + s:  a gain
///              K = h k + d,   b = -k x + d w - K s                                                  (ICF-26)
///   motor      u = w as far as its effort goes, dry friction with w = 0:  a gain so stiff that an effort F misses the
///              rate by F h w_row/σ_d:  K = σ_d/(h w_row),  b = K (w - s),  σ_d = 10⁶                 (ICF-27)
///
/// Efforts with bounds that are not symmetric are two gains: one of their mean, one of what is left.
///
/// Taken again from the same start with another h, a model in which nothing but A, r, R and v̂ depends on h is kept, M, J and
/// patches with it. The key is all that it was made from: state, forces and contacts, bit by bit.
namespace cornet {

struct IcfWorld {
  const WorldModel& world;
  const SimulatorOptions& options;
  double h;
  const State& state;                     // at the start
  std::span<const StepBody> bodies;       // all of them, surroundings with their motion over the step
  std::span<StepTree> trees;              // articulated ones; evaluated with their dynamics
  const ContactSet& found;
  std::span<StepConstraint> constraints;  // placed at the start
  const VectorXd& damping;                // K ≥ 0 of users' forces, by velocity of the state; empty: none
  std::span<const IcfEffort> efforts;     // of controllers, by constraint; empty: all are held
};

/// Where the rows of a constraint or of a tree went.
struct IcfRowPlace {
  enum class Pool : std::uint8_t { none, coupler, limit, gain };
  Pool pool = Pool::none;
  int index = -1;
  int second = -1;  // the other gain of an effort with bounds that are not symmetric
};

/// Contact k of the model is contact k of detection; body b is body b of the world; rows are known by where they went. Memory is
/// kept from step to step.
class IcfBuilder {
 public:
  /// Fills and prepares the model. Writes `J` of the constraints as it acts. Throws std::invalid_argument, naming it, when a user's
  /// constraint has a law that it cannot have.
  void build(const IcfWorld& step, IcfModel& model);

  /// Of row k of a constraint that is active.
  const IcfRowPlace& rowOf(const StepConstraint& constraint, Eigen::Index k) const {
    return rows_[static_cast<std::size_t>(constraint.first + k)];
  }
  /// Gains of articulated tree k, springs, drives and dry friction, with their rows over its velocities.
  struct TreeGain {
    int tree;
    IcfRowPlace place;
    VectorXd g;
    int actuator = -1;  // whose it is
  };
  std::span<const TreeGain> treeGains() const { return tree_gains_; }

  /// The next model is a new one: this one was changed.
  void forget() { key_.model = nullptr; }
  /// Whether the last model was kept from the one before.
  bool hasKept() const { return has_kept_; }

  /// Impulse of a row.
  static double impulseOf(const IcfRowPlace& place, const IcfData& data);

 private:
  /// What a model was made from.
  struct Key {
    const IcfModel* model = nullptr;  // null: none
    double time = 0.0;
    VectorXd q, v, damping;
    std::vector<BodyForce> forces;
    std::vector<VectorXd> controls, activations;  // of trees
    ContactSet found;
  };
  bool isSameStart(const IcfWorld& step, const IcfModel& model) const;
  void keepKey(const IcfWorld& step, const IcfModel& model);
  void addFreeBodies(const IcfWorld& step, IcfModel& model);
  void addTrees(const IcfWorld& step, IcfModel& model);
  void addContacts(const IcfWorld& step, IcfModel& model);
  static void placeRows(const IcfWorld& step, StepConstraint& constraint);
  void addConstraint(const IcfWorld& step, StepConstraint& constraint, IcfModel& model);
  void addEffort(const IcfWorld& step, const StepConstraint& constraint, Eigen::Index k, int row, double moving, IcfModel& model);
  void addTreeRows(const IcfWorld& step, IcfModel& model);
  IcfRowPlace addGain(int row, double bias, double gain, double lower, double upper, IcfModel& model) const;
  int addRow(const StepConstraint& constraint, Eigen::Index k, IcfModel& model);
  void addRates(double h, IcfModel& model);

  Key key_;
  bool depends_on_h_ = false;      // the model, beyond what setTimeStep() works out
  bool has_kept_ = false;
  std::vector<IcfRowPlace> rows_;  // of constraints, as their impulses in StepMemory
  std::vector<TreeGain> tree_gains_;
  /// Efforts that hold a rate, until the inverse masses of rows are known.
  struct HeldRate {
    int row;
    bool is_of_tree;
    std::size_t place;  // among those of trees, or in rows_
    double rate, lower, upper;
  };
  std::vector<HeldRate> held_;
  MatrixXd mass_;
  VectorXd v0_, k0_, damping_;
  Matrix6Xd jacobian_;
  std::vector<StiffTerm> stiff_;
  std::vector<TreeRow> tree_rows_;
  std::vector<double> row_;
};

/// Twist of surroundings over the step: their mean motion; of what moves zero.
inline Vector6d calcPrescribedTwist(const StepBody& body) {
  Vector6d twist = Vector6d::Zero();
  if (!body.moves()) twist << body.displacement, body.turning;
  return twist;
}

}  // namespace cornet
