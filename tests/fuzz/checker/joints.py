"""Errors of joints at every frame, from poses and the scene's text alone.

Anchors and axes are world points and directions at the start. Lengths are divided by the smaller size of the moving
bodies that are joined; turns are angles, for they move a body's furthest point by that many sizes.
"""
from fractions import Fraction
from math import lcm

import numpy as np

from . import rotation

MOST_TEETH = 10000


class Joint:
    """One [[constraint]]: position of its free direction, and how far each of its rows is off, at every frame."""

    def __init__(self, recording, table):
        self.table = table
        self.type, self.a, self.b = table["type"], table["a"], table["b"]
        self.x_a, self.q_a = recording.x[:, self.a], recording.q[:, self.a]
        self.x_b, self.q_b = recording.x[:, self.b], recording.q[:, self.b]
        sizes = [recording.size[k] for k in (self.a, self.b) if recording.bodies[k].moves]
        self.unit = min(sizes)
        self.has_motor = "motor_speed" in table
        self.v_a, self.w_a = recording.v[:, self.a], recording.w[:, self.a]
        self.v_b, self.w_b = recording.v[:, self.b], recording.w[:, self.b]
        self.position = np.zeros(len(self.x_a))
        self.rate = np.zeros(len(self.x_a))
        self.error = np.zeros(len(self.x_a))       # [m]
        self.anchor_a = self._point(self.x_a, self.q_a, table.get("anchor_a", table.get("anchor", self.x_a[0])))
        self.anchor_b = self._point(self.x_b, self.q_b, table.get("anchor_b", table.get("anchor", self.x_b[0])))
        self.turn_error = np.zeros(len(self.x_a))  # [rad]
        getattr(self, "_" + self.type)()
        self.relative_error = np.maximum(self.error / self.unit, self.turn_error)

    def _point(self, x, q, anchor):
        """Way of a world point of the start that is fixed to a body."""
        local = rotation.unrotate(q[0], np.asarray(anchor, float) - x[0])
        return x + rotation.rotate(q, np.broadcast_to(local, x.shape))

    def _direction(self, q, axis):
        return rotation.rotate(q, np.broadcast_to(rotation.unrotate(q[0], axis), q.shape[:-1] + (3,)))

    def _offset(self):
        return self.anchor_b - self.anchor_a

    def _offset_rate(self):
        """Velocity of the anchor on B against that on A."""
        return (self.v_b + np.cross(self.w_b, self.anchor_b - self.x_b) - self.v_a
                - np.cross(self.w_a, self.anchor_a - self.x_a))

    def _turn(self):
        """Rotation vector of B against A since the start, world axes."""
        moved_a = rotation.product(self.q_a, np.broadcast_to(rotation.conjugate(self.q_a[0]), self.q_a.shape))
        moved_b = rotation.product(self.q_b, np.broadcast_to(rotation.conjugate(self.q_b[0]), self.q_b.shape))
        return rotation.to_vector(rotation.product(moved_b, rotation.conjugate(moved_a)))

    def _add(self, error):
        self.error = np.maximum(self.error, np.abs(error))

    def _add_turn(self, angle):
        self.turn_error = np.maximum(self.turn_error, np.abs(angle))

    def _limits(self, unit_names, add):
        for name, sign in (("lower", 1.0), ("upper", -1.0)):
            for suffix, factor in unit_names.items():
                if name + suffix in self.table:
                    bound = factor * self.table[name + suffix]
                    add(np.maximum(0.0, sign * (bound - self.position)))

    def _ball(self):
        self._add(np.linalg.norm(self._offset(), axis=-1))

    def _fixed(self):
        self._ball()
        self._add_turn(np.linalg.norm(self._turn(), axis=-1))

    def _axes(self):
        axis = np.asarray(self.table["axis"], float)
        axis = axis / np.linalg.norm(axis)
        side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        return axis, side / np.linalg.norm(side)

    def _hinge(self):
        self._ball()
        axis, side = self._axes()
        along_a, along_b = self._direction(self.q_a, axis), self._direction(self.q_b, axis)
        self._add_turn(np.linalg.norm(np.cross(along_a, along_b), axis=-1))
        self._add_turn(np.sum(along_a * along_b, -1) < 0.0)  # turned over
        side_a, side_b = self._direction(self.q_a, side), self._direction(self.q_b, side)
        self.position = np.arctan2(np.sum(np.cross(along_a, side_a) * side_b, -1), np.sum(side_a * side_b, -1))
        self.rate = np.sum(along_a * (self.w_b - self.w_a), -1)
        self._limits({"_rad": 1.0, "_deg": np.pi / 180.0}, self._add_turn)

    def _slider(self):
        axis, _ = self._axes()
        along = self._direction(self.q_a, axis)
        offset = self._offset()
        self.position = np.sum(along * offset, -1)
        self._add(np.linalg.norm(offset - self.position[:, None] * along, axis=-1))
        self.rate = np.sum(along * self._offset_rate(), -1) + np.sum(np.cross(self.w_a, along) * offset, -1)
        self._add_turn(np.linalg.norm(self._turn(), axis=-1))
        self._limits({"": 1.0}, self._add)

    def _distance(self):
        length = np.linalg.norm(self._offset(), axis=-1)
        self.position = length
        self._add(length - self.table.get("length", length[0]))


def find_period(ratios):
    """What a sum of ratios times angles is known by, from angles that are known but for whole turns; 0 without any."""
    if not ratios:
        return 0.0
    shares = [Fraction(abs(ratio / ratios[0])).limit_denominator(MOST_TEETH) for ratio in ratios]
    return 2.0 * np.pi * abs(ratios[0]) / lcm(*(share.denominator for share in shares))


class Coupling:
    """One [[coupling]]: how far the sum of ratios times positions of its joints is off, at every frame."""

    def __init__(self, recording, table):
        self.name = table.get("name", "coupling " + "-".join(table["joints"]))
        self.joints = [Joint(recording, find_joint(recording, name)) for name in table["joints"]]
        self.ratios = [float(ratio) for ratio in table["ratios"]]
        self.members = sorted({end for joint in self.joints for end in (joint.a, joint.b)})
        self.offset = float(table.get("offset", 0.0))
        self.period = find_period([r for r, j in zip(self.ratios, self.joints) if j.type == "hinge"])
        self.unit = min(recording.size[k] for k in self.members if recording.bodies[k].moves)
        self.off = self._sum([joint.position for joint in self.joints]) - self.offset
        if self.period > 0.0:
            self.off -= self.period * np.round(self.off / self.period)
            self._add_skipped(recording)
        self.linear, self.angular = self._row_lengths()
        turns = ~np.any([joint.type == "slider" for joint in self.joints])
        self.error = np.abs(self.off) / (self.angular if turns else self.linear)
        self.relative_error = self.error / (1.0 if turns else self.unit)

    def _sum(self, positions):
        return sum(ratio * position for ratio, position in zip(self.ratios, positions))

    def _add_skipped(self, r):
        """Periods by which the way of a step differs from none: rates tell how far angles came in it."""
        h = np.diff(r.time)
        ways = []
        for joint in self.joints:
            way = np.diff(joint.position)
            if joint.type == "hinge":
                expected = 0.5 * h * (joint.rate[1:] + joint.rate[:-1])
                way = expected + np.angle(np.exp(1j * (way - expected)))
            ways.append(way)
        skipped = np.round((self.off[:-1] + self._sum(ways) - self.off[1:]) / self.period)
        is_one_step = np.abs(h - r.h[1:]) <= 1e-6 * h
        self.off[1:] += self.period * np.where(is_one_step, skipped, 0.0)

    def _row_lengths(self):
        """Longest linear and angular part of the row among its bodies, at every frame."""
        linear = {k: 0.0 for k in self.members}
        angular = {k: 0.0 for k in self.members}
        for ratio, joint in zip(self.ratios, self.joints):
            along = ratio * joint._direction(joint.q_a, joint._axes()[0])
            for end, sign in ((joint.a, -1.0), (joint.b, 1.0)):
                (angular if joint.type == "hinge" else linear)[end] += sign * along
        return [np.max([np.linalg.norm(np.atleast_2d(rows[k]), axis=-1) * np.ones(len(self.off)) for k in self.members], 0)
                for rows in (linear, angular)]


def find_joint(recording, name):
    """The table of a joint, with numbers for its bodies."""
    place = {body: k for k, body in enumerate(recording.names)}
    for table in recording.scene.get("constraint", []) + recording.scene.get("joint", []):
        if table.get("name", f"{table['type']} {table['a']}-{table['b']}") == name:
            return dict(table, a=place[table["a"]], b=place[table["b"]])
    raise KeyError(f"no joint {name}")
