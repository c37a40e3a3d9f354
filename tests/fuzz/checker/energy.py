"""Energy that bodies gained in a step beyond the work that was done on them.

    gain = T+ - T- - m g.(x+ - x-) - W      of bodies that impulses or joints connect
    W    = sum of impulse x mean velocity of the surroundings' surface, and of motors' impulses x their mean rate

over the energies at stake, max(T-, T+) + sum |m g| size + |W|. What the recording leaves open is taken off the gain:
single precision, the moment within the step at which an impulse acted. Groups whose work is not recorded have no gain.
"""
from dataclasses import dataclass

import numpy as np

from . import rotation

SINGLE = 2.0**-24    # rounding of contacts
ROUNDING = 1e-13     # of sums of energies
STILL = 1e-9         # of its size in a step: what is slower has no energy to speak of
FLOOR = 1e-12        # [m/s] what impulses do at such speeds is rounding
NOTHING = 1e-9       # of a body's momentum: smaller impulses pass no energy on that counts


@dataclass
class Gains:
    """All (F, M), at the place of the first body of a group."""
    label: np.ndarray      # of the group, for every body
    gain: np.ndarray       # [J]
    reference: np.ndarray  # [J]
    relative: np.ndarray


class Work:
    """Done on each body in each step [J]: sum, sum of sizes, what is uncertain of it, and whether it is unknown."""

    def __init__(self, r):
        shape = (len(r.time), r.moving)
        self.done, self.passed, self.uncertain = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.unknown = np.zeros(shape)

    def add(self, place, done, uncertain):
        np.add.at(self.done, place, done)
        np.add.at(self.passed, place, np.abs(done))
        np.add.at(self.uncertain, place, uncertain)


def surface_velocity(r, frame, body, point, normal):
    """Mean velocity over the step of the surface of surroundings at a point, and its change; arrays over contacts. Belts run
    across the normal."""
    h = np.maximum(r.h[frame], 1e-300)[:, None]
    start, end = (r.x[frame - 1, body], r.q[frame - 1, body]), (r.x[frame, body], r.q[frame, body])
    turn = rotation.to_vector(rotation.product(end[1], rotation.conjugate(start[1]))) / h
    belt = np.array([r.bodies[k].surface_velocity for k in body]).reshape(-1, 3)
    belt = rotation.rotate(rotation.midpoint(start[1], end[1]), belt)
    belt -= np.sum(belt * normal, -1, keepdims=True) * normal
    mean = (end[0] - start[0]) / h + np.cross(turn, point - 0.5 * (start[0] + end[0])) + belt
    return mean, r.v[frame, body] - r.v[frame - 1, body]


def _length(x):
    return np.linalg.norm(x, axis=-1)


def add_surroundings(r, work):
    """What surroundings do through contacts; an impulse acts on B, and against A."""
    m = r.moving
    for side, sign in ((0, -1.0), (1, 1.0)):
        rows = np.flatnonzero(r.contact_bodies[:, side] < m)
        work.add((r.contact_frame[rows], r.contact_bodies[rows, side]), 0.0, FLOOR * _length(r.contact_impulse[rows]))
        rows = np.flatnonzero((r.contact_bodies[:, side] < m) & (r.contact_bodies[:, 1 - side] >= m))
        frame, body, ground = r.contact_frame[rows], r.contact_bodies[rows, side], r.contact_bodies[rows, 1 - side]
        impulse, point = sign * r.contact_impulse[rows], r.contact_point[rows]
        mean, change = surface_velocity(r, frame, ground, point, r.contact_normal[rows])
        moved = np.any((mean != 0.0) | (change != 0.0), -1) & (r.parts[frame] > 1)
        np.add.at(work.unknown, (frame[moved], body[moved]), 1)
        speed = _length(r.v[frame - 1, body] - mean) + r.size[body] * _length(r.w[frame - 1, body])
        misplaced = 4.0 * SINGLE * _length(point) + r.h[frame] * speed
        uncertain = _length(impulse) * (4.0 * SINGLE * _length(mean) + _length(r.w[frame, ground]) * misplaced)
        uncertain += 0.5 * np.abs(np.sum(impulse * change, -1))
        work.add((frame, body), np.sum(impulse * mean, -1), uncertain)


def add_joints(r, joints, work):
    """What motors do, and surroundings through joints."""
    steps = np.arange(1, len(r.time))
    for k, joint in enumerate(joints):
        body = joint.a if joint.a < r.moving else joint.b
        if joint.has_motor or any(r.bodies[end].is_moved for end in (joint.a, joint.b)):
            work.unknown[r.parts > 1, body] = 1
        if r.joint_force is not None:
            load = _length(r.joint_force[:, k]) + (_length(r.joint_torque[:, k]) + np.abs(r.motor_effort[:, k])) / joint.unit
            work.uncertain[:, body] += 2.0 * FLOOR * r.h * load
        if joint.has_motor and r.motor_effort is None:
            work.unknown[:, body] = 1
        elif joint.has_motor:
            # An effort acts at some time of the step: at the rates of its ends, all along the way, or in the middle, between two
            # ways of even rates.
            mean = 0.5 * r.h[1:] * (joint.rate[1:] + joint.rate[:-1])
            way = np.diff(joint.position)
            if joint.type == "hinge":
                way = mean + np.remainder(way - mean + np.pi, 2.0 * np.pi) - np.pi
            at_ends, along = r.motor_effort[1:, k] * mean, r.motor_effort[1:, k] * way
            done = np.maximum(np.maximum(at_ends, along), 2.0 * along - at_ends)
            work.add((steps, np.full(len(steps), body)), done, 0.0)
        for end, sign in ((joint.a, 1.0), (joint.b, -1.0)):
            if not r.bodies[end].is_moved:
                continue
            turns = np.any(r.w[:, end] != 0.0)
            # Where the force of a slider acts is not recorded, nor what a motor does to what it is fixed to.
            if r.joint_force is None or joint.has_motor or (joint.type == "slider" and turns):
                work.unknown[:, body] = 1
                continue
            force, torque = sign * r.joint_force[1:, k], sign * r.joint_torque[1:, k]
            anchor = joint.anchor_a if end == joint.a else joint.anchor_b
            turn = rotation.to_vector(rotation.product(r.q[1:, end], rotation.conjugate(r.q[:-1, end])))
            done = np.sum(force * np.diff(anchor, axis=0), -1) + np.sum(torque * turn, -1)
            change = np.diff(r.v[:, end], axis=0) + np.cross(np.diff(r.w[:, end], axis=0), anchor[1:] - r.x[1:, end])
            uncertain = r.h[1:] * np.abs(np.sum(force * change, -1))
            # Arms are those of some moment of the step.
            speed = _length(r.v[1:, body]) + r.size[body] * _length(r.w[1:, body])
            speed += _length(r.w[1:, end]) * _length(anchor[1:] - r.x[1:, end])
            uncertain += 2.0 * r.h[1:] * speed * _length(force) * _length(turn)
            work.add((steps, np.full(len(steps), body)), done, uncertain)


def add_couplings(r, couplings, work):
    """Couplings do no work between bodies; what they do to surroundings that move is not recorded."""
    for k, coupling in enumerate(couplings):
        moving = [end for end in coupling.members if end < r.moving]
        if any(r.bodies[end].is_moved for end in coupling.members):
            work.unknown[:, moving] = 1
        if r.joint_force is None:
            continue
        place = r.joint_force.shape[1] - len(couplings) + k  # recorded after all joints
        hinged = [joint.type == "hinge" for joint in coupling.joints]
        own = (r.joint_torque if hinged[0] else r.joint_force)[:, place]  # on B of its first joint
        share = sum(abs(ratio) * (1.0 / coupling.unit if turns else 1.0) for ratio, turns in zip(coupling.ratios, hinged))
        work.uncertain[:, moving[0]] += 2.0 * FLOOR * r.h * share * _length(own) / abs(coupling.ratios[0])


def find_groups(r, joints, couplings=()):
    """For every frame a label per moving body, the same for bodies that touched with an impulse that counts or are joined."""
    m = r.moving
    label = np.tile(np.arange(m), (len(r.time), 1))
    speed = _length(r.v[:, :m]) + r.size[:m] * _length(r.w[:, :m])
    momentum = r.mass[:m] * (speed + np.concatenate([speed[:1], speed[:-1]]) + r.dt * np.linalg.norm(r.gravity))
    both = np.all(r.contact_bodies < m, 1)
    least = np.minimum(*(momentum[r.contact_frame, np.minimum(r.contact_bodies[:, side], m - 1)] for side in (0, 1)))
    both &= _length(r.contact_impulse) > NOTHING * least
    frame, (a, b) = r.contact_frame[both], r.contact_bodies[both].T.reshape(2, -1)
    joined = [(j.a, j.b) for j in joints if j.a < m and j.b < m]
    for coupling in couplings:
        moving = [end for end in coupling.members if end < m]
        joined += list(zip(moving, moving[1:]))
    while True:
        old = label.copy()
        for i, k in joined:
            label[:, i] = label[:, k] = np.minimum(label[:, i], label[:, k])
        least = np.minimum(label[frame, a], label[frame, b])
        np.minimum.at(label, (frame, a), least)
        np.minimum.at(label, (frame, b), least)
        if np.array_equal(old, label):
            return label


def calc_kinetic(r):
    m = r.moving
    body_w = rotation.unrotate(r.q[:, :m], r.w[:, :m])
    turning = 0.5 * np.einsum("fbi,bij,fbj->fb", body_w, r.inertia[:m], body_w)
    return 0.5 * r.mass[:m] * np.sum(r.v[:, :m]**2, -1) + turning


def calc_gains(r, joints, couplings=()):
    m = r.moving
    label = find_groups(r, joints, couplings)

    def total(value):  # over the bodies of each group
        sums = np.zeros(label.shape)
        np.add.at(sums, (np.arange(len(label))[:, None], label), np.broadcast_to(value, label.shape))
        return sums

    kinetic = calc_kinetic(r)
    before = np.concatenate([kinetic[:1], kinetic[:-1]])
    lifted = np.zeros(kinetic.shape)  # from differences, for heights may be large
    lifted[1:] = -r.mass[:m] * ((r.x[1:, :m] - r.x[:-1, :m]) @ r.gravity)
    work = Work(r)
    add_surroundings(r, work)
    add_joints(r, joints, work)
    add_couplings(r, couplings, work)
    weight = r.mass[:m] * np.linalg.norm(r.gravity) * r.size[:m] + r.mass[:m] * (STILL * r.size[:m] / r.dt)**2
    reference = np.maximum(total(kinetic), total(before)) + total(weight) + total(work.passed)
    gain = total(kinetic - before + lifted - work.done)
    gain -= total(work.uncertain) + ROUNDING * total(kinetic + before + np.abs(lifted))
    relative = np.where(total(work.unknown) > 0, 0.0, gain / np.maximum(reference, 1e-200))
    relative[0] = 0.0
    return Gains(label, gain, reference, relative)
