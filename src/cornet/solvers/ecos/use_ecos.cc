#include "cornet/solvers/ecos/use_ecos.h"

#include "cornet/solvers/ecos/sweeps.h"

namespace cornet {
namespace {

class Backend final : public EcosBackend {
 public:
  SolveStatus solve(const ContactProblem& problem, const EcosOptions& options, Solution& solution,
                    EcosReport& report) const override {
    return solveBySweeps(problem, options, solution, report);
  }
  SolveStatus solve(const DelassusProblem& problem, const EcosOptions& options, Solution& solution,
                    EcosReport& report) const override {
    return solveBySweeps(problem, options, solution, report);
  }
};

}  // namespace

void useEcos() {
  static const Backend backend;
  setEcosBackend(&backend);
}

}  // namespace cornet
