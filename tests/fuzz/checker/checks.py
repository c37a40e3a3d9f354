"""What every step of a recording did wrong, measured from its frames.

Each check fills arrays (F, objects) for the step that led to a frame; frame 0 has none. Numbers are relative: to the
size of bodies, to what momentum passed, to the energy of those that touched.
"""
import itertools

import numpy as np

from . import rotation
from .energy import calc_gains
from .flights import find_passages, find_pushes_from_afar
from .joints import Coupling, Joint
from .overlap import body_depths

MOMENTUM_TOLERANCE = 1e-5    # of contacts in single precision
COULOMB_TOLERANCE = 1e-4     # of the impulses of a step
LEAST = 1e-30                # [N s] impulses in single precision lose their digits at 1e-38
SLOW = 1e-6                  # of its size in a step: impulses that make a body no faster do nothing
FACTOR = {"closure": 1.5, "new_overlap": 1.5, "unexplained": 1.5, "energy_gain": 2.0}
KINDS = ("nan", "unexplained", "closure", "new_overlap", "energy_gain", "momentum", "coulomb", "escape", "mass", "from_afar",
         "passage")


class Measure:
    """Values (F, objects) of one kind, with names of the objects and the bound they must keep."""

    def __init__(self, kind, value, names, bound, numbers=None):
        self.kind, self.value, self.names, self.bound = kind, value, names, bound
        self.numbers = numbers or (lambda frame, k: "")

    def exceeds(self):
        """Frames whose step exceeds the bound."""
        if self.value.shape[1] == 0:
            return np.zeros(len(self.value), bool)
        return np.any(~(self.value <= self.bound), 1)


def check(recording):
    """All measures of a recording; only that of NaN when there is one."""
    measures = [check_finite(recording)]
    if np.any(measures[0].exceeds()):
        return measures
    with np.errstate(all="ignore"):
        measures += [check_unexplained(recording)]
        joints = [Joint(recording, table) for table in recording.joints]
        couplings = [Coupling(recording, table) for table in recording.scene.get("coupling", [])]
        measures += [check_closure(recording, joints, couplings), check_overlap(recording),
                     check_energy(recording, joints, couplings),
                     check_momentum(recording), check_coulomb(recording), check_escape(recording),
                     check_mass(recording), check_from_afar(recording), check_passages(recording)]
    return measures


def check_finite(r):
    bad = np.zeros((len(r.time), 1))
    for values in (r.x, r.q, r.v, r.w):
        bad[:, 0] += np.any(~np.isfinite(values), (1, 2))
    for values in (r.contact_point, r.contact_normal, r.contact_impulse):
        np.add.at(bad[:, 0], r.contact_frame, np.any(~np.isfinite(values), 1))
    return Measure("nan", bad, ["any body"], 0.0)


def _excess_of_ball(point, one, other):
    """Distance from the ball that has the way from `one` to `other` for a diameter."""
    return np.linalg.norm(point - 0.5 * (one + other), axis=-1) - 0.5 * np.linalg.norm(other - one, axis=-1)


def check_unexplained(r):
    """Ways that velocities do not explain, of a step in parts added up."""
    frame, body, h, a, b = r.ways()
    (xa, qa, va, wa), (xb, qb, vb, wb) = (np.split(state, (3, 7, 10), axis=-1) for state in (a, b))
    excess = _excess_of_ball(xb - xa, h[:, None] * va, h[:, None] * vb)
    moved = np.maximum(0.0, excess - 0.5 * h**2 * np.linalg.norm(r.gravity)) / r.size[body]
    # Turns against those of the free body before and after.
    ahead, fast_a = rotation.turn_freely(qa, wa, r.inertia[body], h)
    back, fast_b = rotation.turn_freely(qb, wb, r.inertia[body], -h)
    turn = rotation.product(qb, rotation.conjugate(qa))
    before = rotation.product(ahead, rotation.conjugate(qa))
    after = rotation.product(qb, rotation.conjugate(back))
    radius = 0.5 * rotation.angle_between(before, after)
    turned = np.maximum(0.0, rotation.angle_between(rotation.midpoint(before, after), turn) - radius)
    # More than a half turn between the two explains anything.
    unknown = fast_a | fast_b | (h * np.linalg.norm(wb - wa, axis=-1) > 3.0)
    turned = np.where(unknown, 0.0, turned)
    way, angle = np.zeros((2, len(r.time), r.moving))
    np.add.at(way, (frame, body), moved)
    np.add.at(angle, (frame, body), turned)
    value = np.maximum(way, angle)

    def numbers(frame, k):
        return (f"moved {way[frame, k]:.2e}, turned {angle[frame, k]:.2e} rad beyond; "
                f"|v| {np.linalg.norm(r.v[frame - 1, k]):.3g} -> {np.linalg.norm(r.v[frame, k]):.3g} m/s, "
                f"|w| {np.linalg.norm(r.w[frame - 1, k]):.3g} -> {np.linalg.norm(r.w[frame, k]):.3g} rad/s")
    return Measure("unexplained", value, r.names[:r.moving], FACTOR["unexplained"] * r.bounds["motion_bound"], numbers)


def check_closure(r, joints, couplings=()):
    names = [f"{j.type} {r.names[j.a]}-{r.names[j.b]}" for j in joints] + [c.name for c in couplings]
    joints = [*joints, *couplings]
    value = np.zeros((len(r.time), len(joints)))
    for k, joint in enumerate(joints):
        value[1:, k] = joint.relative_error[1:]

    def numbers(frame, k):
        return f"{joints[k].error[frame]:.2e} m, was {joints[k].error[frame - 1]:.2e} m"
    return Measure("closure", value, names, FACTOR["closure"] * r.bounds["closure_bound"], numbers)


def check_overlap(r):
    """Depth at the end of a step less depth at its start, pair by pair, over the size of the smaller one that moves."""
    bound = r.bounds["overlap_bound"]
    pairs, depths = [], []
    for a, b in itertools.combinations(range(len(r.bodies)), 2):
        if a >= r.moving or frozenset((a, b)) in r.excluded:
            continue
        unit = min(r.size[a], r.size[b]) if r.bodies[b].moves else r.size[a]
        depth = body_depths(r, a, b, 0.5 * bound * unit)
        if depth is not None:
            pairs.append(f"{r.names[a]}-{r.names[b]}")
            depths.append(depth / unit)
    depths = np.stack(depths, 1) if depths else np.zeros((len(r.time), 0))
    value = np.diff(depths, axis=0, prepend=depths[:1])
    return Measure("new_overlap", value, pairs, FACTOR["new_overlap"] * bound,
                   lambda frame, k: f"depth {depths[frame - 1, k]:.2e} -> {depths[frame, k]:.2e} of the size")


def check_energy(r, joints, couplings=()):
    """Gain of energy of bodies that touch or are joined, beyond the work of surroundings and motors."""
    gains = calc_gains(r, joints, couplings)

    def numbers(frame, k):
        members = int(np.sum(gains.label[frame] == k))
        return f"gain {gains.gain[frame, k]:.2e} J of {gains.reference[frame, k]:.2e} J; {members} bodies"
    return Measure("energy_gain", gains.relative, [f"group of {name}" for name in r.names[:r.moving]],
                   FACTOR["energy_gain"] * r.bounds["energy_bound"], numbers)


def check_momentum(r):
    """Change of momentum of bodies without joints against the impulses of their contacts."""
    m = r.moving
    passed = np.zeros((len(r.time), m))
    total = np.zeros((len(r.time), m, 3))
    for side, sign in ((0, -1.0), (1, 1.0)):
        rows = np.flatnonzero(r.contact_bodies[:, side] < m)
        place = (r.contact_frame[rows], r.contact_bodies[rows, side])
        np.add.at(total, place, sign * r.contact_impulse[rows])
        np.add.at(passed, place, np.linalg.norm(r.contact_impulse[rows], axis=-1))
    weight = r.h[:, None] * np.linalg.norm(r.gravity)
    change = np.zeros_like(total)
    change[1:] = r.mass[:m, None] * (r.v[1:, :m] - r.v[:-1, :m] - r.h[1:, None, None] * r.gravity)
    speed = np.linalg.norm(r.v[:, :m], axis=-1)
    scale = passed + r.mass[:m] * (weight + 1e-9 * speed)
    value = np.linalg.norm(change - total, axis=-1) / np.maximum(scale, LEAST)
    value[0] = 0.0
    joined = {k for table in r.joints for k in (table["a"], table["b"])}
    free = [k for k in range(m) if k not in joined]
    return Measure("momentum", value[:, free], [r.names[k] for k in free], MOMENTUM_TOLERANCE,
                   lambda frame, k: f"{np.linalg.norm((change - total)[frame, free[k]]):.2e} N s")


def check_coulomb(r):
    """Impulses of contacts outside of their cones, |I_t| <= mu I_n: how far, over the largest impulse of the step. Where
    normals may turn in the step, impulses may be inside a cone that has turned as well."""
    a, b = r.contact_bodies.T.reshape(2, -1)
    along = np.sum(r.contact_impulse * r.contact_normal, -1)
    across = np.linalg.norm(r.contact_impulse - along[:, None] * r.contact_normal, axis=-1)
    outside = np.maximum(-along, across - r.contact_mu * along)
    spin = np.linalg.norm(r.w, axis=-1)
    spin = np.maximum(spin, np.concatenate([spin[:1], spin[:-1]]))
    plane = np.array([not body.is_moved and all(p.kind == "half_space" for p in body.parts) for body in r.bodies])
    turned = 4.0 * r.h[r.contact_frame] * (spin[r.contact_frame, a] + spin[r.contact_frame, b])
    turned = np.where(plane[a] | plane[b], 0.0, turned)
    outside -= (1.0 + r.contact_mu) * turned * np.linalg.norm(r.contact_impulse, axis=-1)
    largest, value = np.zeros(len(r.time)), np.zeros((len(r.time), r.moving))
    np.maximum.at(largest, r.contact_frame, np.linalg.norm(r.contact_impulse, axis=-1))
    moving = np.where(b < r.moving, b, a)
    np.maximum.at(value, (r.contact_frame, moving), outside)
    value /= np.maximum(largest[:, None], r.mass[:r.moving] * SLOW * r.size[:r.moving] / r.dt)
    return Measure("coulomb", value, r.names[:r.moving], COULOMB_TOLERANCE,
                   lambda frame, k: f"{value[frame, k]:.2e} of {largest[frame]:.2e} N s outside of the cone")


def check_escape(r):
    """Centres of bodies behind a plane or outside of a bowl that they began inside of, as far as they may touch it."""
    m = r.moving
    value, names = [], []
    for b in range(m, len(r.bodies)):
        for part in r.bodies[b].parts:
            if part.shape is not None:
                continue
            q, p = r.part_pose(b, part)
            for a in range(m):
                if frozenset((a, b)) in r.excluded:
                    continue
                offset = r.x[:, a] - p
                if part.kind == "half_space":
                    inside = rotation.unrotate(q, offset)[:, 2]
                else:
                    inside = part.radius - np.linalg.norm(offset, axis=-1)
                if inside[0] > 0.0:
                    value.append(np.maximum(0.0, -inside) / r.size[a])
                    names.append(f"{r.names[a]} out of {r.names[b]}")
    value = np.stack(value, 1) if value else np.zeros((len(r.time), 0))
    return Measure("escape", value, names, 0.0, lambda frame, k: f"{value[frame, k]:.2e} sizes behind it")


def check_mass(r):
    """Masses and centres of mass as the program has them; told at frame 0."""
    m = r.moving
    value = np.zeros((len(r.time), m))
    for k in range(m):
        position, orientation = r.starts[r.names[k]]
        centre = position + rotation.rotate(orientation, r.bodies[k].centre)
        value[0, k] = abs(r.recorded_mass[k] / r.mass[k] - 1.0) + np.linalg.norm(r.x[0, k] - centre) / r.size[k]
    return Measure("mass", value, r.names[:m], 1e-6, lambda frame, k: f"{value[frame, k]:.2e}")


def check_from_afar(r):
    """Bodies that push each other although they are apart all through the step."""
    bound = FACTOR["unexplained"] * r.bounds["motion_bound"]
    value = find_pushes_from_afar(r, bound)
    return Measure("from_afar", value, r.names[:r.moving], bound, lambda frame, k: f"{value[frame, k]:.2e} sizes apart")


def check_passages(r):
    """Bodies that fly through others within a step."""
    return Measure("passage", find_passages(r), r.names[:r.moving], 0.5)
