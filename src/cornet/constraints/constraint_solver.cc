#include "cornet/constraints/constraint_solver.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cornet/base/warning.h"
#include "cornet/constraints/assembly.h"
#include "cornet/problem/delassus_problem.h"

namespace cornet {
namespace {

// A list of bodies as a problem without rows, and how the two correspond.
struct System {
  std::vector<BodyInProblem> bodies;
  ContactProblem problem;
  Assembler assembler;
};

// Acceleration level: v_free holds M⁻¹F. Velocity level: v + dt M⁻¹F.
void placeBodies(ConstraintSolver::Bodies bodies, AssemblyLevel level, double dt, System& system) {
  std::vector<int> sizes;
  for (const RigidBody& body : bodies) {
    if (!body.is_fixed) sizes.push_back(FreeBody::kVelocities);
  }
  system.problem.M = BlockDiagonalMatrix(sizes);
  system.problem.v_free.resize(system.problem.dofCount());
  int tree = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const RigidBody& body = bodies[i];
    const std::string name = fmt::format("body {}", i);
    validate(body.state, name);
    if (body.is_fixed) {
      system.bodies.push_back({body.state});
      continue;
    }
    body.mass.validate(name);
    if (!body.external.force.allFinite() || !body.external.torque.allFinite()) {
      throw std::invalid_argument(name + ": the external force or torque is not finite");
    }
    const FreeBody free(body.mass);
    const Eigen::Matrix<double, 6, 6> M = free.calcMassMatrix(body.state.orientation);
    const Twist acceleration =
        M.llt().solve(free.calcSmoothForce(body.state, Vector3d::Zero(), body.external));
    Twist v;
    v << body.state.velocity, body.state.omega;
    system.problem.M.block(tree) = M;
    system.problem.v_free.segment<6>(6 * tree) =
        level == AssemblyLevel::acceleration ? acceleration : Twist(v + dt * acceleration);
    system.bodies.push_back({body.state, tree, body.mass.gyrationRadius()});
    ++tree;
  }
}

System makeSystem(ConstraintSolver::Constraints constraints, ConstraintSolver::Bodies bodies,
                  AssemblyLevel level, double dt, double time) {
  System system;
  placeBodies(bodies, level, dt, system);
  system.assembler.reset(system.bodies, dt, time, level, system.problem);
  system.assembler.add(constraints);
  system.assembler.finish();
  return system;
}

// Values of the problem's rows in the order of the constraints; rows that were dropped have zero.
VectorXd inConstraintOrder(const System& system, const VectorXd& lambda) {
  const std::vector<int>& row_of = system.assembler.rowOf();
  VectorXd result = VectorXd::Zero(static_cast<Eigen::Index>(row_of.size()));
  for (std::size_t k = 0; k < row_of.size(); ++k) {
    if (row_of[k] >= 0) result[static_cast<Eigen::Index>(k)] = lambda[row_of[k]];
  }
  return result;
}

// Jᵀλ times a factor, per body.
std::vector<BodyForces> calcBodyForces(const System& system, const VectorXd& lambda,
                                       double factor) {
  VectorXd generalized;
  system.problem.J.multiplyTransposed(lambda, generalized);
  std::vector<BodyForces> forces(system.bodies.size());
  for (std::size_t i = 0; i < forces.size(); ++i) {
    if (system.bodies[i].tree < 0) continue;
    forces[i].linear_force = factor * generalized.segment<3>(6 * system.bodies[i].tree);
    forces[i].angular_torque = factor * generalized.segment<3>(6 * system.bodies[i].tree + 3);
  }
  return forces;
}

// Velocities or accelerations per body; a fixed one keeps its velocity and has no acceleration.
std::vector<Twist> splitTwists(const System& system, const VectorXd& v, bool velocities) {
  std::vector<Twist> twists;
  for (const BodyInProblem& body : system.bodies) {
    Twist twist = Twist::Zero();
    if (body.tree >= 0) {
      twist = v.segment<6>(6 * body.tree);
    } else if (velocities) {
      twist << body.state.velocity, body.state.omega;
    }
    twists.push_back(twist);
  }
  return twists;
}

bool hasCones(const ConstraintRows& rows) {
  return std::ranges::any_of(rows.kind, [](LawKind kind) { return kind == LawKind::cone; });
}

bool hasBounds(const ConstraintRows& rows) {
  return std::ranges::any_of(rows.kind, [](LawKind kind) { return kind != LawKind::equality; });
}

int countCarrying(const VectorXd& lambda) {
  return static_cast<int>((lambda.array() != 0.0).count());
}

// What to say of a solve that missed its tolerance; empty when it did not.
std::string explain(const std::string& solver, const Solution& solution, double tolerance,
                    const std::string& more = {}) {
  if (solution.status == SolveStatus::solved) return {};
  return fmt::format("{}: {} rows, status {}, certificate {:.1e} where {:.1e} was asked for{}{}",
                     solver, solution.lambda.size(), toString(solution.status),
                     solution.certificate.relative, tolerance, more.empty() ? "" : "; ", more);
}

// The names that results have for solvers.
const char* typeOf(SolverKind kind) {
  switch (kind) {
    case SolverKind::cholesky: return "direct";
    case SolverKind::active_set: return "ASM";
    case SolverKind::gauss_seidel: return "gauss_seidel";
    case SolverKind::ecos: return "ECOS";
    case SolverKind::exact: break;
  }
  return "exact";
}

void requireTolerance(const char* what, double value) {
  if (value > 0.0 && std::isfinite(value)) return;
  throw std::invalid_argument(fmt::format("{} = {}: expected a number > 0", what, value));
}

void requireCount(const char* what, int value) {
  if (value >= 1) return;
  throw std::invalid_argument(fmt::format("{} = {}: expected at least 1", what, value));
}

}  // namespace

void ConstraintSolver::setFrictionSolver(FrictionSolver solver) {
  if (solver == FrictionSolver::cholesky) throw std::invalid_argument("friction solver = cholesky: it knows equalities only");
  friction_solver_ = solver;
}

void ConstraintSolver::setTolerance(double tolerance) {
  requireTolerance("tolerance", tolerance);
  tolerance_ = tolerance;
}

void ConstraintSolver::setMaxIterations(int iterations) {
  requireCount("max_iterations", iterations);
  max_iterations_ = iterations;
}

void ConstraintSolver::setConeApproximation(ConeApproximation model, int faces) {
  ActiveSetOptions options;
  options.cone_approximation = model;
  options.faces = faces;
  ActiveSet{options};  // throws when a polygon cannot have that many faces
  cone_approximation_ = model;
  faces_ = faces;
}

void ConstraintSolver::setECOSTolerance(double abs_tol, double rel_tol) {
  requireTolerance("abs_tol", abs_tol);
  requireTolerance("rel_tol", rel_tol);
  ecos_.abs_tol = abs_tol;
  ecos_.rel_tol = rel_tol;
}

std::pair<double, double> ConstraintSolver::getECOSTolerance() const {
  return {ecos_.abs_tol, ecos_.rel_tol};
}

void ConstraintSolver::setECOSMaxIterations(int max_iters) {
  requireCount("max_iters", max_iters);
  ecos_.max_iterations = max_iters;
}

SolveResult ConstraintSolver::solve(Constraints constraints, Bodies bodies, double time) const {
  const System system = makeSystem(constraints, bodies, AssemblyLevel::acceleration, 1.0, time);
  Solution solution;
  makeSolver(SolverKind::cholesky, makeSolverOptions()).solve(system.problem, solution);
  SolveResult result;
  result.lambdas = inConstraintOrder(system, solution.lambda);
  result.body_forces = calcBodyForces(system, solution.lambda, 1.0);
  result.accelerations = splitTwists(system, solution.v, false);
  result.status = solution.status;
  result.converged = solution.status == SolveStatus::solved;
  result.message = explain("direct", solution, tolerance_);
  result.certificate = std::move(solution.certificate);
  if (!result.converged) warn(result.message);
  return result;
}

ContactProblem ConstraintSolver::assemble(Constraints constraints, Bodies bodies, double dt,
                                          double time) const {
  return makeSystem(constraints, bodies, AssemblyLevel::velocity, dt, time).problem;
}

MultiBodySolveResult ConstraintSolver::solveWithContacts(Constraints constraints, Bodies bodies,
                                                         double dt, double time) const {
  const System system = makeSystem(constraints, bodies, AssemblyLevel::velocity, dt, time);
  MultiBodySolveResult result;
  Solution solution;
  solveProblem(system.problem, solution, result);
  result.lambdas = inConstraintOrder(system, solution.lambda);
  result.body_forces = calcBodyForces(system, solution.lambda, 1.0 / dt);
  result.velocities = splitTwists(system, solution.v, true);
  result.iterations = solution.iterations;
  result.active_set_size = countCarrying(solution.lambda);
  result.status = solution.status;
  result.converged = solution.status == SolveStatus::solved;
  result.message = explain(result.solver_type, solution, tolerance_, result.message);
  result.certificate = std::move(solution.certificate);
  if (!result.converged) warn(result.message);
  return result;
}

SolverOptions ConstraintSolver::makeSolverOptions() const {
  SolverOptions options;
  options.active_set.max_iterations = options.gauss_seidel.max_iterations = max_iterations_;
  options.active_set.cone_approximation = cone_approximation_;
  options.active_set.faces = faces_;
  options.ecos = ecos_;
  options.exact.friction_model = options.gauss_seidel.friction_model = options.ecos.friction_model = friction_model_;
  options.setTolerance(tolerance_);
  return options;
}

// (CSOL-2).
void ConstraintSolver::solveProblem(const ContactProblem& problem, Solution& solution,
                                    MultiBodySolveResult& result) const {
  const SolverKind kind = !hasBounds(problem.rows)  ? SolverKind::cholesky
                          : !hasCones(problem.rows) ? SolverKind::active_set
                                                    : friction_solver_;
  Solver solver = makeSolver(kind, makeSolverOptions());
  solver.solve(problem, solution);
  result.solver_type = typeOf(kind);
  if (kind != SolverKind::ecos) return;
  const EcosReport& report = solver.ecosReport();
  result.ecos_exit_flag = report.exit_flag;
  result.primal_residual = report.primal_residual;
  result.dual_residual = report.dual_residual;
  result.gap = report.gap;
  result.message = report.message;
}

ActiveSetResult ConstraintSolver::solveActiveSet(const MatrixXd& A, const VectorXd& b) const {
  ConstraintRows rows;
  for (Eigen::Index i = 0; i < b.size(); ++i) rows.addUnilateral(1);
  Solution solution;
  makeSolver(SolverKind::active_set, makeSolverOptions()).solve(makeDelassusProblem(std::move(rows), A, -b), solution);
  ActiveSetResult result;
  result.converged = solution.status == SolveStatus::solved;
  result.iterations = solution.iterations;
  result.active_set_size = countCarrying(solution.lambda);
  result.status = solution.status;
  result.message = explain("ASM", solution, tolerance_);
  result.lambda = std::move(solution.lambda);
  result.certificate = std::move(solution.certificate);
  if (!result.converged) warn(result.message);
  return result;
}

ActiveSetResult ConstraintSolver::solveWithECOS(const MatrixXd& A, const VectorXd& b,
                                                const FrictionConeSpec& spec,
                                                int numContacts) const {
  ActiveSetResult result = solveWithECOS(makeDelassusProblem(A, b, spec, numContacts));
  // From the order of the specification back to that of A.
  const VectorXd lambda = result.lambda;
  for (int i = 0; i < numContacts; ++i) {
    result.lambda.segment<3>(spec.normalIndices[i]) = lambda.segment<3>(3 * i);
  }
  return result;
}

ActiveSetResult ConstraintSolver::solveWithECOS(const DelassusProblem& problem) const {
  Solution solution;
  Solver solver = makeSolver(SolverKind::ecos, makeSolverOptions());
  solver.solve(problem, solution);
  const EcosReport& report = solver.ecosReport();
  ActiveSetResult result;
  result.solver_type = "ECOS";
  result.converged = solution.status == SolveStatus::solved;
  result.iterations = solution.iterations;
  result.ecos_exit_flag = report.exit_flag;
  result.primal_residual = report.primal_residual;
  result.dual_residual = report.dual_residual;
  result.gap = report.gap;
  result.status = solution.status;
  result.message = explain("ECOS", solution, tolerance_, report.message);
  result.lambda = std::move(solution.lambda);
  result.certificate = std::move(solution.certificate);
  if (!result.converged) warn(result.message);
  return result;
}

FrictionConeSpec ConstraintSolver::buildFrictionConeSpec(Constraints constraints,
                                                         int numContacts) const {
  FrictionConeSpec spec(numContacts);
  std::vector<int> first_row;
  int rows = 0;
  int found = 0;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i] == nullptr) {
      throw std::invalid_argument(fmt::format("constraint {} is a null pointer", i));
    }
    const Constraint& constraint = *constraints[i];
    first_row.push_back(rows);
    rows += constraint.dimension();
    const ConstraintLaw law = constraint.law();
    if (law.kind != LawKind::cone) continue;
    int normal = static_cast<int>(i);
    if (law.normal != ConstraintLaw::kOwnFirstRow) {
      normal = law.normal == ConstraintLaw::kPreceding ? normal - 1 : law.normal;
    }
    const int tangent = first_row.back() + (constraint.dimension() == 3 ? 1 : 0);
    if (normal < 0 || normal > static_cast<int>(i) || first_row[normal] + 1 != tangent) {
      throw std::invalid_argument(fmt::format(
          "constraint {} ({}): its normal must stand just before it", i, constraint.typeName()));
    }
    if (found == numContacts) {
      throw std::invalid_argument(fmt::format(
          "constraint {} ({}): there are more than {} contacts with friction", i,
          constraint.typeName(), numContacts));
    }
    spec.setFriction(found++, law.mu, first_row[normal]);
  }
  if (found != numContacts) {
    throw std::invalid_argument(fmt::format("{} contacts with friction in the list where {} were "
                                            "expected",
                                            found, numContacts));
  }
  return spec;
}

}  // namespace cornet
