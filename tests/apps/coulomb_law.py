"""How far impulses are from Coulomb's law, contact by contact, from two fclib files with numpy alone: no projection and no code of
the library.

    python coulomb_law.py PROBLEM.hdf5 SOLUTION.hdf5    prints the largest error [m/s] and the speed it compares with

Velocities follow from the impulses, v = M⁻¹(f + H r), u = Hᵀv + w. With ρ the effective mass of a contact, its error is the largest of

    how far r is outside the cone, over ρ;   how fast it sinks;   the smaller of its separation and its normal impulse, over ρ;
    the smaller of its slip and of what friction lacks of -μ r_n u_t/|u_t|, over ρ.
"""
import sys

import h5py
import numpy as np


def matrix(group):
    rows, columns, start, column, value = (group[name][()] for name in ("m", "n", "p", "i", "x"))
    dense = np.zeros((rows[0], columns[0]))
    for row in range(rows[0]):
        np.add.at(dense[row], column[start[row]:start[row + 1]], value[start[row]:start[row + 1]])
    return dense


def contact_error(u, r, mu, rho):
    slip, pull = np.linalg.norm(u[1:]), np.linalg.norm(r[1:])
    outside = max(pull - mu * r[0], -r[0], 0.0) / rho
    apart = min(max(u[0], 0.0), max(r[0], 0.0) / rho)
    lacking = np.linalg.norm(r[1:] + mu * r[0] * u[1:] / slip) / rho if slip > 0 else 0.0
    return max(outside, -u[0], apart, min(slip, lacking))


def law_error(problem, solution):
    with h5py.File(problem) as file:
        g = file["fclib_global"]
        M, H = matrix(g["M"]), matrix(g["H"])
        w, mu = g["vectors/w"][()], g["vectors/mu"][()]
        v_free = file["cornet/v_free"][()]
    with h5py.File(solution) as file:
        r = file["solution/r"][()]
    MinvH = np.linalg.solve(M, H)
    q = H.T @ v_free + w
    u = q + H.T @ (MinvH @ r)
    diagonal = np.einsum("ij,ij->j", H, MinvH)
    error, speed = 0.0, 0.0
    for i, friction in enumerate(mu):
        rows = slice(3 * i, 3 * i + 3)
        error = max(error, contact_error(u[rows], r[rows], friction, 3 / diagonal[rows].sum()))
        if q[3 * i] < 0 or r[3 * i] > 0:
            speed = max(speed, np.linalg.norm(q[rows]))
    return error, speed


if __name__ == "__main__":
    print(*law_error(sys.argv[1], sys.argv[2]))
