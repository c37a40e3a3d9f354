"""Quaternions (w, x, y, z) in the last axis of arrays, and the free rotation of rigid bodies."""
import numpy as np


def product(p, q):
    pw, pv, qw, qv = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    return np.concatenate([pw * qw - np.sum(pv * qv, -1, keepdims=True),
                           pw * qv + qw * pv + np.cross(pv, qv)], -1)


def conjugate(q):
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q, x):
    """World coordinates of the body's vector x."""
    t = 2.0 * np.cross(q[..., 1:], x)
    return x + q[..., :1] * t + np.cross(q[..., 1:], t)


def unrotate(q, x):
    return rotate(conjugate(q), x)


def matrix(q):
    """Rotation matrices, columns are the body's axes."""
    columns = [rotate(q, np.broadcast_to(axis, q.shape[:-1] + (3,))) for axis in np.eye(3)]
    return np.stack(columns, -1)


def from_vector(phi):
    """Rotation by |phi| about phi."""
    angle = np.linalg.norm(phi, axis=-1, keepdims=True)
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(0.5 * angle / np.pi) * phi], -1)


def to_vector(q):
    """Rotation vector of at most a half turn."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    return q[..., 1:] * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-300), 2.0)


def angle_between(p, q):
    """Angle of the rotation from p to q, in [0, pi]."""
    d = product(q, conjugate(p))
    return 2.0 * np.arctan2(np.linalg.norm(d[..., 1:], axis=-1), np.abs(d[..., 0]))


def midpoint(p, q):
    """Halfway along the shorter way from p to q."""
    middle = p + np.where(np.sum(p * q, -1, keepdims=True) < 0.0, -q, q)
    return middle / np.linalg.norm(middle, axis=-1, keepdims=True)


def turn_freely(q, omega, inertia, h, largest_turn=0.05):
    """Orientation after a time h (may be negative) without torque: L = R I R^T omega is constant.

    Runge-Kutta steps of fourth order of at most `largest_turn` rad. q: (..., 4), omega: (..., 3) in the world, inertia:
    (..., 3, 3) in body axes, h: (...) or a number. Also says which are too fast to be followed."""
    most_steps = 400
    inverse = np.linalg.inv(inertia)

    def apply(tensor, x):
        return np.einsum("...ij,...j->...i", tensor, x)

    momentum = rotate(q, apply(inertia, unrotate(q, omega)))
    fastest = np.linalg.norm(momentum, axis=-1) * np.linalg.eigvalsh(inverse)[..., -1] * np.abs(h)
    fastest = np.where(np.isfinite(fastest), fastest, np.inf)
    too_fast = fastest > most_steps * largest_turn
    steps = int(np.ceil(np.max(np.where(too_fast, 0.0, fastest), initial=0.0) / largest_turn)) + 1
    dt = np.broadcast_to(np.asarray(h) / steps, q.shape[:-1])[..., None]

    def rate(q):
        w = rotate(q, apply(inverse, unrotate(q, momentum)))
        return 0.5 * product(np.concatenate([np.zeros_like(w[..., :1]), w], -1), q)

    for _ in range(steps):
        k1 = rate(q)
        k2 = rate(q + 0.5 * dt * k1)
        k3 = rate(q + 0.5 * dt * k2)
        k4 = rate(q + dt * k3)
        q = q + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return q, too_fast
