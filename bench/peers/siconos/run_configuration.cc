#include "run_configuration.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <limits>
#include <system_error>

#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsVerbose.h>
#include <siconos/numerics/SolverOptions.h>

#include "bench/repetition.h"

namespace cornet::siconos {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr rlim_t kMemory = rlim_t{4} << 30;  // [bytes] a runaway does not take the machine along

// The page that the process of the run shares with us: what it wrote survives its crash.
class SharedReport {
 public:
  SharedReport()
      : report_(static_cast<Report*>(::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    if (report_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    *report_ = {Outcome::crashed, kInfinity, 0, 0, kInfinity, kInfinity};
  }
  ~SharedReport() { ::munmap(report_, sizeof(Report)); }
  SharedReport(const SharedReport&) = delete;
  SharedReport& operator=(const SharedReport&) = delete;
  Report& operator*() const { return *report_; }

 private:
  Report* report_;
};

// Lets SIGALRM end this process after `seconds`; 0 stops the clock.
void setAlarm(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - std::floor(seconds)));
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

// Quiet, bounded, and gone when the adapter is.
void confine(double max_seconds) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  std::signal(SIGALRM, SIG_DFL);
  // The kernel ends what does not obey the alarm; all repetitions together stay well below this.
  const auto cpu = static_cast<rlim_t>(3.0 * max_seconds + 30.0);
  const rlimit cpu_limit{cpu, cpu};
  const rlimit memory_limit{kMemory, kMemory};
  ::setrlimit(RLIMIT_CPU, &cpu_limit);
  ::setrlimit(RLIMIT_AS, &memory_limit);
  numerics_set_verbose(0);
}

// Solves once; returns the seconds and leaves impulses and iterations.
double solveOnce(const Configuration& configuration, const PeerProblem& problem,
                 const Limits& limits, VectorXd& impulses, int& iterations) {
  const PeerProblem::Handle copy = problem.make(configuration.storage);
  SolverOptions* options = makeOptions(configuration, limits.tolerance);
  impulses.setZero(3 * problem.contactCount());
  VectorXd velocities = VectorXd::Zero(impulses.size());
  setAlarm(limits.max_seconds);
  const Stopwatch watch;
  fc3d_driver(copy.get(), impulses.data(), velocities.data(), options);
  const double seconds = watch.seconds();
  setAlarm(0.0);
  iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  solver_options_delete(options);
  return seconds;
}

// The body of the process. The first repetition decides whether it is solved; failures are not
// repeated.
void repeatSolve(const Configuration& configuration, const ProblemFile& file,
                 const PeerProblem& problem, const Limits& limits, Report& report) {
  VectorXd impulses;
  for (app::Repetition repetition(limits.repeat); !repetition.enough();) {
    int iterations = 0;
    repetition.add(solveOnce(configuration, problem, limits, impulses, iterations));
    report.seconds = repetition.shortest();
    report.repetitions = repetition.count();
    if (repetition.count() > 1) continue;
    const Certificate certificate =
        std::visit([&](const auto& original) { return certify(original, impulses); }, file.problem);
    report.iterations = iterations;
    report.certificate = certificate.relative;
    report.field = certificate.field_equilibrated;
    report.outcome = report.field <= limits.tolerance ? Outcome::solved : Outcome::failed;
    if (report.outcome == Outcome::failed) return;
  }
}

}  // namespace

const char* toString(Outcome outcome) {
  switch (outcome) {
    case Outcome::solved: return "solved";
    case Outcome::failed: return "failed";
    case Outcome::timeout: return "timeout";
    case Outcome::crashed: return "crashed";
    case Outcome::skipped: return "skipped";
    case Outcome::unsupported: return "unsupported";
  }
  return "?";
}

Report runConfiguration(const Configuration& configuration, const ProblemFile& file,
                        const PeerProblem& problem, const Limits& limits) {
  const SharedReport shared;
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    confine(limits.max_seconds);
    try {
      repeatSolve(configuration, file, problem, limits, *shared);
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  // A result that was recorded stands, even if a later repetition came to grief.
  Report report = *shared;
  const bool killed = WIFSIGNALED(status);
  if (report.repetitions == 0 && killed &&
      (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGKILL)) {
    report.outcome = Outcome::timeout;
  }
  return report;
}

}  // namespace cornet::siconos
