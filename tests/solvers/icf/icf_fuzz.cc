// Random small ICF problems with numbers from many decades: icf_fuzz COUNT [SEED]. Nothing may throw, nothing may be NaN;
// what is called solved is judged here again, by the derivatives of the cost of an oracle that shares no code with the
// library, and what is not solved must be said. Ends with 0 when all of that holds and 99.99 % are solved.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "cornet/solvers/icf/icf_solver.h"
#include "icf_oracle.h"
#include "random_icf.h"

namespace {

using namespace cornet;

// ‖D g‖, g by automatic differentiation, and what it may be: a part of ‖D r‖, or what the last bits of v, of the data and of
// the terms of g make of it. The first two are measured: g at velocities and of problems one bit away.
struct Verdict {
  double residual, target;
};

// |J| of a body at a point, lever arms and twists of the origin taken apart.
MatrixXd sizes(const IcfModel& model, int b, const Vector3d& p_W) {
  MatrixXd J = MatrixXd::Zero(6, model.trees.velocityCount());
  const int t = model.bodies.tree(b);
  if (t < 0) return J;
  auto part = J.middleCols(model.trees.start(t), model.trees.size(t));
  if (model.bodies.isFree(b)) {
    part.setIdentity();
  } else {
    part = model.bodies.jacobian(b).cwiseAbs();
  }
  const double lever = (p_W - model.bodies.origin(b)).norm();
  for (int j = 0; j < part.cols(); ++j) part.col(j).head<3>().array() += lever * part.col(j).tail<3>().norm();
  return J;
}

Verdict judge(const IcfModel& model, const IcfData& data, std::uint64_t seed) {
  const test::IcfOracle oracle(model, true);
  const VectorXd& v = data.v();
  const VectorXd g = oracle.gradient(v);
  VectorXd terms = oracle.A.cwiseAbs() * (v.cwiseAbs() + oracle.v0.cwiseAbs()) + oracle.r.cwiseAbs();
  for (int c = 0; c < model.patches.contactCount(); ++c) {
    const IcfContact& contact = model.patches.contact(c);
    const MatrixXd J = sizes(model, contact.A, contact.p_WC) + sizes(model, contact.B, contact.p_WC);
    terms += J.topRows(3).transpose() * model.patches.impulse(data.patches, c).cwiseAbs();
  }
  std::size_t square = 0;
  for (int c = 0; c < model.holonomics.count(); ++c) {
    // Twists of points are sums of terms that may cancel: what counts is the size of these.
    const IcfHolonomic& joint = model.holonomics.constraint(c);
    const MatrixXd J = sizes(model, joint.pair.A, joint.pair.p_W) + sizes(model, joint.pair.B, joint.pair.p_W);
    terms += J.transpose() * data.holonomics.force[c].cwiseAbs();
    for (int i = 0; i < joint.rows; ++i, ++square) {
      const auto& row = oracle.squares[square];
      terms += row.a.cwiseAbs() * row.law.stiffness * joint.directions.col(i).cwiseAbs().dot(J * v.cwiseAbs());
    }
  }
  for (const auto& s : oracle.squares) terms += s.a.cwiseAbs() * s.law.stiffness * std::abs(s.gap / s.law.horizon + s.a.dot(v));
  test::RandomIcf random(seed);
  const auto nudge = [&](auto&& values) {
    for (double& entry : values.reshaped()) entry *= 1.0 + (random.coin() ? kEpsilon : -kEpsilon);
  };
  double bits = 0.0;
  for (int sample = 0; sample < 8; ++sample) {
    VectorXd near = v;
    nudge(near);
    test::IcfOracle other = oracle;
    for (auto& c : other.contacts) {
      const MatrixXd J = sizes(model, c.input.A, c.input.p_WC) + sizes(model, c.input.B, c.input.p_WC);
      for (Eigen::Index i = 0; i < 3; ++i) {
        for (Eigen::Index j = 0; j < J.cols(); ++j) c.J(i, j) += (random.coin() ? kEpsilon : -kEpsilon) * J(i, j);
      }
      nudge(c.input.normal);
      nudge(c.input.surface_velocity);
      c.input.elastic_force *= 1.0 + (random.coin() ? kEpsilon : -kEpsilon);
    }
    for (auto& s : other.squares) {
      nudge(s.a);
      s.gap *= 1.0 + (random.coin() ? kEpsilon : -kEpsilon);
    }
    for (auto& l : other.limits) {
      nudge(l.a);
      l.lower *= 1.0 + (random.coin() ? kEpsilon : -kEpsilon);
      l.upper *= 1.0 + (random.coin() ? kEpsilon : -kEpsilon);
    }
    bits = std::max(bits, oracle.D.cwiseProduct(other.gradient(near) - g).norm());
  }
  const double scale = oracle.D.cwiseProduct(oracle.r).norm();
  // A velocity of a point is a sum of some ten terms, and g one of as many impulses: a hundred roundings.
  constexpr double kBits = 100.0;
  return {oracle.D.cwiseProduct(g).norm(), std::max(1e-8 * scale, kBits * (bits + kEpsilon * oracle.D.cwiseProduct(terms).norm()))};
}

IcfModel makeCase(std::uint64_t seed) {
  test::RandomIcf random(seed);
  IcfContactOptions options;
  const IcfFriction laws[] = {IcfFriction::lagged, IcfFriction::similar, IcfFriction::sap};
  options.friction = laws[random.below(3)];
  options.stiction_speed = random.decade(-5.0, -2.0);
  options.regularization = random.coin() ? 1e-3 : random.decade(-6.0, -2.0);
  test::RandomIcfRanges ranges;
  ranges.decades_mass = random.uniform(0.0, 4.0);
  ranges.flattest = random.uniform(0.0, 4.0);
  ranges.speed = random.decade(-3.0, 2.0);
  ranges.stiffness_low = 0.0;
  ranges.stiffness_high = 10.0;
  ranges.dissipation_high = 3.0;
  ranges.h_low = -6.0;
  ranges.h_high = -0.5;
  ranges.mu_high = random.coin(0.2) ? 10.0 : 1.0;
  return random.model(options, ranges);
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 3000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const bool verbose = argc > 3;
  cornet::IcfOptions solver_options;
  if (const char* most_allowed = std::getenv("ICF_MAX")) solver_options.max_iterations = std::atoi(most_allowed);
  cornet::IcfSolver solver(solver_options);
  long unsolved = 0, wrong = 0, thrown = 0, iterations = 0, at_floor = 0, most = 0, steepest = 0, full = 0, lost = 0, spoilt_count = 0, refused = 0;
  const auto start = std::chrono::steady_clock::now();
  double solving = 0.0;
  for (long k = 0; k < count; ++k) {
    const std::uint64_t number = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : seed * 1'000'000'000ull + static_cast<std::uint64_t>(k);
    try {
      const IcfModel model = makeCase(number);
      IcfData data;
      data.reset(model);
      const auto begin = std::chrono::steady_clock::now();
      const SolveStatus status = solver.solve(model, data);
      solving += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      const IcfReport& report = solver.report();
      iterations += report.iterations;
      most = std::max<long>(most, report.iterations);
      steepest += report.steepest_steps;
      full += report.full_steps;
      lost += report.lost_pivots;
      const Verdict verdict = judge(model, data, number);
      const bool solved = status == SolveStatus::solved;
      at_floor += solved && report.certificate.residual > 1e-8 * report.certificate.scale;
      if (!data.v().allFinite() || (solved && !(verdict.residual <= verdict.target))) {
        ++wrong;
        std::printf("case %llu: called %s, residual %.2e, target %.2e, certificate %.2e floor %.2e scale %.2e\n", static_cast<unsigned long long>(number),
                    std::string(toString(status)).c_str(), verdict.residual, verdict.target, report.certificate.residual, report.certificate.floor,
                    report.certificate.scale);
      }
      // The judge has to be able to say no: velocities that are wrong by a thousandth.
      if (k % 16 == 0) {
        IcfData spoilt = data;
        test::RandomIcf random(number);
        for (double& v : spoilt.v()) v *= 1.0 + (random.coin() ? 1e-3 : -1e-3);
        const Verdict no = judge(model, spoilt, number);
        ++spoilt_count;
        refused += no.residual > no.target;
      }
      if (!solved) {
        ++unsolved;
        if (unsolved < 20 || verbose) {
          std::printf("case %llu: law %d %s after %d iterations, residual %.2e, scale %.2e, floor %.2e, steepest %d full %d lost %d\n",
                      static_cast<unsigned long long>(number), static_cast<int>(model.patches.options().friction), std::string(toString(status)).c_str(), report.iterations, report.certificate.residual,
                      report.certificate.scale, report.certificate.floor, report.steepest_steps, report.full_steps, report.lost_pivots);
        }
      }
    } catch (const std::exception& error) {
      ++thrown;
      std::printf("case %llu: threw %s\n", static_cast<unsigned long long>(number), error.what());
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%ld problems: %ld not solved, %ld called wrongly, %ld thrown; %.2f iterations in the mean, %ld at most; %ld at the floor of "
              "rounding; %ld steepest, %ld full steps, %ld with lost pivots; %.1f us a solve, %.1f s\n",
              count, unsolved, wrong, thrown, static_cast<double>(iterations) / static_cast<double>(count), most, at_floor, steepest, full, lost,
              1e6 * solving / static_cast<double>(count), seconds);
  std::printf("%ld of %ld solutions that were spoilt by a thousandth are refused\n", refused, spoilt_count);
  const bool enough = unsolved * 10000 <= count;
  const bool judged = refused * 100 >= spoilt_count * 99;
  return wrong == 0 && thrown == 0 && enough && judged ? 0 : 1;
}
