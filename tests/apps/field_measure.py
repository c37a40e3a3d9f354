"""The error measure of the field, from an fclib file and a solution, with numpy alone.

    python field_measure.py PROBLEM.hdf5 SOLUTION.hdf5    prints the raw and the equilibrated measure
"""
import sys
import h5py
import numpy as np


def field_measure(problem, solution):
    g = h5py.File(problem)["fclib_local"]
    rows, p, i, x = (g["W"][k][()] for k in ("m", "p", "i", "x"))
    W = np.zeros((rows[0], rows[0]))
    for row in range(rows[0]):
        np.add.at(W[row], i[p[row]:p[row + 1]], x[p[row]:p[row + 1]])
    q, mu, r = g["vectors/q"][()], g["vectors/mu"][()], h5py.File(solution)["solution/r"][()]

    def measure(W, q):
        u = W @ r + q
        hat = u.reshape(-1, 3).copy()
        hat[:, 0] += mu * np.hypot(hat[:, 1], hat[:, 2])
        y = r.reshape(-1, 3) - hat
        n, t = y[:, 0], np.hypot(y[:, 1], y[:, 2])
        s = np.maximum((n + mu * t) / (1 + mu**2), 0)
        inside, scale = t <= mu * n, mu * s / np.where(t > 0, t, 1)
        P = np.where(inside[:, None], y, np.column_stack([s, scale * y[:, 1], scale * y[:, 2]]))
        return np.linalg.norm(r - P.ravel()) / max(map(np.linalg.norm, (q, r, u)))

    d = np.trace(W) / len(q)
    return measure(W, q), measure(W / d, q / d)


if __name__ == "__main__":
    print(*field_measure(sys.argv[1], sys.argv[2]))
