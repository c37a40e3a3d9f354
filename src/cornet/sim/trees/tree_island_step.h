#pragma once

#include <map>

#include <Eigen/Cholesky>

#include "cornet/sim/kick_solver.h"
#include "cornet/sim/trees/tree_problem.h"

/// The step of an island with articulated trees: drift, kick, drift like that of free bodies, which are trees of one link here,
/// cut where something hits:
///
///   first impact  g(t) = 0 along q ⊕ (t v + ½t² a),  a = A⁻¹(f - c + Jᵀλ_last/h);  limits by C + t g·v + ½t² g·a     (TREE-6)
///     smooth motion to t₁ without what hits;  M(v⁺ - v) = Jᵀλ with all that is closed, u_n⁺ ≥ -e u_n⁻ of what hits;
///     then the rest: at most four cuts
///   drift    half of it to the kick pose (TREE-1), (TREE-2)
///   rows     there; κ = J v - u⁻ of contacts and equalities; limits J v⁺ ≥ -C/h, exact in C
///   kick     A (v_f - v) = h f,   A = M + Σ (hδ(d + D) + ¼h²k) gᵀg,  D = ½hk max(0, 1 - 1/z), z = h²k/m_g               (TREE-3)
///            stiff forces with limits are box rows of compliance 1/(hδ(d + D) + ¼h²k)                               (TREE-7)
///   drift    the other half
///   places   one problem of positions, in velocities w: min ½‖w - w₀‖²_A, w₀ = (v + v⁺)/2,
///              J_n w = -g⁺/h of contacts that carry, J_t w = ½f_p u⁻_t of those that stick, J_n w ≥ -g/h of the others,
///              the same of limits and C, J w = ½u⁻|λ|/(hf) of dry friction that holds                               (TREE-10)
///            then at the end pose the same rows with what is left of gaps and C, until that no longer falls            (TREE-8)
///   grips    points of pairs that are held, two contacts or more that stick and no turning against each other, come back
///            together at the end pose                                                                             (TREE-9)
///   loops    velocities of equalities at the end pose: v⁺ -= M⁻¹Jᵀ(J M⁻¹Jᵀ)⁻¹(J v⁺ - w)                              (TREE-8)
namespace cornet {

/// Buffers are kept between islands. Not for use by two threads at once.
class TreeIslandStep {
 public:
  explicit TreeIslandStep(const SimulatorOptions& options);

  /// Takes the trees and bodies of an island from the start to the end of the step.
  IslandReport run(const WorldModel& world, StepView step, const Island& island, const StepMemory& memory);

 private:
  /// A contact through an interval of the step.
  struct Contact {
    ContactAt start, kick;
    Vector3d u_turned = Vector3d::Zero();  // u⁻ turned along with the normal
    int block = -1;                        // of the kick's problem; -1: it hits where the interval ends
    double wanted = 0.0;                   // b
    double inverse_mass = 0.0;             // W_nn
    bool hits = false, holds = false, sticks = false;
    Vector3d slip = Vector3d::Zero();      // tangential way over the interval, as a velocity, where it sticks
    Vector3d on_a = Vector3d::Zero(), on_b = Vector3d::Zero();  // its points at the start, in axes of the bodies,
    Vector3d apart = Vector3d::Zero();     //   and the way from A's to B's, in axes of A
    bool stays = false;                    // on the same points of both bodies, which do not turn against each other
  };
  /// A row of a tree's own.
  struct OwnRow {
    int tree = -1;
    TreeRow start, now;
    double rate = 0.0;  // at the start
    int block = -1;
    bool hits = false, holds = false;
  };

  void begin(const StepMemory& memory);
  double findImpact(double t);
  double findImpactOf(std::size_t k, double rest, double t, const VectorXd& a);
  VectorXd calcAcceleration();
  void addForces(double h, BlockDiagonalMatrix& A, VectorXd& f, bool with_limited);
  void move(double t, double h);
  void activate(double t, double h);
  void readStart(double t);
  void readOwn();
  void assembleKick(double t, double h, const VectorXd& v_begin);
  void addContactRows(double t, double h);
  void addOwnRows(double h, const VectorXd& v_begin);
  void addStiffRows(double h);
  void addConstraintRows(double t, double h);
  void solve();
  void readKick(double h);
  void findHeldPairs();
  Vector3d calcCreep(const StepContact& known, const Contact& now, double t) const;
  void collectPlaces(double t, double h);
  void soften();
  void bend(double h, const VectorXd& v_begin);
  double collectMisses(double t, double h);
  void close(double t, double h);
  void settle(double t);
  void strike(double t);
  void assembleStrike(double t, double scale);
  void takeImpulses(double h, bool is_strike);
  void takeOwnImpulses(double h, const VectorXd& v_kick);
  void finish();
  void calcInverseMasses(const ContactProblem& problem, VectorXd& result);
  bool isStopped(const OwnRow& friction, double h) const;
  double lambdaOf(int block, int row = 0) const { return solution_.lambda[kick_.problem.rows.offset(block) + row]; }
  StepContact& contact(std::size_t k) { return step_->contacts[island_->contacts[k]]; }

  SimulatorOptions options_;
  KickSolver solver_;
  Solver place_solver_;
  const WorldModel* world_ = nullptr;
  StepView* step_ = nullptr;
  const Island* island_ = nullptr;
  IslandReport report_;
  IslandTrees trees_;
  TreeProblem kick_, places_;
  std::vector<Contact> contacts_;
  std::vector<OwnRow> own_;
  std::vector<TreeRow> rows_;
  std::vector<StiffTerm> stiff_;
  struct ActuatorRow {
    int block, tree, actuator;
  };
  std::vector<ActuatorRow> actuator_rows_;  // of the kick: actuators of limited force
  Solution solution_, place_;
  VectorXd f_, c_, inverse_mass_;
  std::vector<Eigen::LDLT<MatrixXd>> factors_;
  struct PairSlip {
    double work = 0.0, limit = 0.0;
  };
  std::map<std::pair<int, int>, PairSlip> slips_;  // of pairs of bodies
  std::map<std::pair<int, int>, int> sticking_;    // contacts of pairs
};

}  // namespace cornet
