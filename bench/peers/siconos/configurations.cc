#include "configurations.h"

#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/SolverOptions.h>

namespace cornet::siconos {
namespace {

// Sweeps and gradient steps are cheap, Newton steps dear; outer loops lie between.
constexpr int kSweeps = 2'000'000;
constexpr int kOuterSteps = 100'000;
constexpr int kNewtonSteps = 10'000;

constexpr std::string_view kGaussSeidel = "Gauss-Seidel";
constexpr std::string_view kNewton = "nonsmooth Newton";
constexpr std::string_view kProximal = "proximal point";
constexpr std::string_view kProjection = "projection, fixed point";
constexpr std::string_view kSplitting = "ADMM";

// The first-order test of Gauss-Seidel looks at the increment; this one at the error itself.
void testErrorEveryFiveSweeps(SolverOptions* options) {
  options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] =
      SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
  options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION_FREQUENCY] = 5;
}

void useNewtonPerContact(SolverOptions* options) {
  solver_options_update_internal(options, 0, SICONOS_FRICTION_3D_ONECONTACT_NSN_GP);
}

void useProjectionPerContact(SolverOptions* options) {
  solver_options_update_internal(options, 0, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnCone);
}

void useIteratedProjectionPerContact(SolverOptions* options) {
  solver_options_update_internal(
      options, 0, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration);
  options->internalSolvers[0]->iparam[SICONOS_IPARAM_MAX_ITER] = 100;
  options->internalSolvers[0]->dparam[SICONOS_DPARAM_TOL] = 1e-14;  // exact, as far as it matters
}

void newtonPerContactFullTest(SolverOptions* options) {
  useNewtonPerContact(options);
  testErrorEveryFiveSweeps(options);
}

void quarticPerContactFullTest(SolverOptions* options) {
  solver_options_update_internal(options, 0, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC);
  testErrorEveryFiveSweeps(options);
}

void freezeContacts(SolverOptions* options) {
  options->iparam[SICONOS_FRICTION_3D_NSGS_FREEZING_CONTACT] = 10;
}

void startByExtragradient(SolverOptions* options) {
  options->iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] =
      SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN;
}

void useJeanMoreau(SolverOptions* options) {
  options->iparam[SICONOS_FRICTION_3D_NSN_FORMULATION] =
      SICONOS_FRICTION_3D_NSN_FORMULATION_JEANMOREAU_GENERATED;
}

void useGaussSeidelInside(SolverOptions* options) {
  solver_options_update_internal(options, 0, SICONOS_FRICTION_3D_NSGS);
  options->internalSolvers[0]->iparam[SICONOS_IPARAM_MAX_ITER] = 1000;
}

void balanceResiduals(SolverOptions* options) {
  options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] =
      SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING;
}

constexpr int kNsgs = SICONOS_FRICTION_3D_NSGS;
constexpr int kNsn = SICONOS_FRICTION_3D_NSN_AC;
constexpr int kProx = SICONOS_FRICTION_3D_PROX;
constexpr int kAdmm = SICONOS_FRICTION_3D_ADMM;
constexpr Storage kBlocks = Storage::blocks;

constexpr Configuration kConfigurations[] = {
    {"NSGS-GP", kGaussSeidel, kNsgs, kBlocks, kSweeps, useNewtonPerContact},
    {"NSGS-GP-F5", kGaussSeidel, kNsgs, kBlocks, kSweeps, newtonPerContactFullTest},
    {"NSGS-Q-F5", kGaussSeidel, kNsgs, kBlocks, kSweeps, quarticPerContactFullTest},
    {"NSGS-P", kGaussSeidel, kNsgs, kBlocks, kSweeps, useProjectionPerContact},
    {"NSGS-PLI", kGaussSeidel, kNsgs, kBlocks, kSweeps, useIteratedProjectionPerContact},
    {"NSGS-FREEZE", kGaussSeidel, kNsgs, kBlocks, kSweeps, freezeContacts},
    {"NSN-AC", kNewton, kNsn, kBlocks, kNewtonSteps, nullptr},
    {"NSN-AC-DN", kNewton, kNsn, Storage::dense, kNewtonSteps, nullptr},
    {"NSN-HYB", kNewton, kNsn, kBlocks, kNewtonSteps, startByExtragradient},
    {"NSN-JM", kNewton, kNsn, kBlocks, kNewtonSteps, useJeanMoreau},
    {"NSN-FB", kNewton, SICONOS_FRICTION_3D_NSN_FB, kBlocks, kNewtonSteps, nullptr},
    {"NSN-NM", kNewton, SICONOS_FRICTION_3D_NSN_NM, kBlocks, kNewtonSteps, nullptr},
    {"PROX-NSN", kProximal, kProx, kBlocks, kOuterSteps, nullptr},
    {"PROX-NSN-DN", kProximal, kProx, Storage::dense, kOuterSteps, nullptr},
    {"PROX-NSGS", kProximal, kProx, kBlocks, kOuterSteps, useGaussSeidelInside},
    {"EG", kProjection, SICONOS_FRICTION_3D_EG, kBlocks, kSweeps, nullptr},
    {"VI-EG", kProjection, SICONOS_FRICTION_3D_VI_EG, kBlocks, kSweeps, nullptr},
    {"TFP", kProjection, SICONOS_FRICTION_3D_TFP, kBlocks, kOuterSteps, nullptr},
    {"ACLMFP", kProjection, SICONOS_FRICTION_3D_ACLMFP, kBlocks, kOuterSteps, nullptr},
    {"ADMM", kSplitting, kAdmm, Storage::sparse, kSweeps, nullptr},
    {"ADMM-RB", kSplitting, kAdmm, Storage::sparse, kSweeps, balanceResiduals},
};

}  // namespace

std::span<const Configuration> configurations() { return kConfigurations; }

SolverOptions* makeOptions(const Configuration& configuration, double tolerance) {
  SolverOptions* options = solver_options_create(configuration.solver);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = configuration.max_iterations;
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  if (configuration.refine != nullptr) configuration.refine(options);
  return options;
}

}  // namespace cornet::siconos
