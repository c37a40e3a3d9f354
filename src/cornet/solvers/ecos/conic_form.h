#pragma once

#include <Eigen/SparseCore>

#include "cornet/solvers/ecos/ecos_data.h"
#include "cornet/solvers/exact/scaled_problem.h"

/// The contact problem in energy units (EXACT-3) as a conic program. With A + R = B Bᵀ, rows B_i of
/// a cone, a row with r ≥ 0, or a row with bounds l ≤ r ≤ u, and everything divided by Y = rms(c):
///
///   min t + u·e - l·f   subject to   ½‖y‖² ≤ t,                                           (ECOS-3)
///     B_i y + c_i in Q³,   B_i y + c_i ≥ 0,   B_i y + c_i + e_i - f_i = 0,  e, f ≥ 0
///
/// e_i stands only where u_i is finite, f_i where l_i is. y = Lᵀ(v - v_free), and the duals are the
/// impulses r. The program is strictly convex in y: an A of any rank is harmless. The parabola is
/// the cone (t + 1, t - 1, √2 y) in Q^(nv + 2).
///
/// Its resolution is that of t: an error ε there is one of √ε in y. A second solve about the result
/// y₀ of the first, y = y₀ + d, with a narrow cone instead, sees the small d much better:
///
///   min t + y₀·d + u·e - l·f,   (t + k, t - k, √(2k) d) in Q^(nv + 2),                    (ECOS-6)
///     c_i + B_i y₀ in place of c_i
namespace cornet {

using RowSparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// B has one row per scaled row; `row_count` is the number of rows of the contact problem.
/// The result is set up about y₀ = 0, with k = 1.
ECOSData makeConicForm(const exact::ScaledProblem& scaled, const RowSparseMatrix& B, int row_count);

/// Numbers of the same program with additional velocities of the rows of the contact problem [m/s],
/// about another origin y₀, with another width k.
void assembleValues(const ECOSData& data, const VectorXd& velocities, const VectorXd& origin,
                    double width, ECOSValues& values);

/// Velocities that the program gives the rows of the contact problem under its last impulses,
/// (B Bᵀr + c)/S [m/s]; zero for rows that it does not hold.
VectorXd calcModelVelocities(const ECOSData& data);

}  // namespace cornet
