"""Errors of joints at every frame, from poses and the scene's text alone.

Anchors and axes are world points and directions at the start. Lengths are divided by the smaller size of the moving
bodies that are joined; turns are angles, for they move a body's furthest point by that many sizes.
"""
import numpy as np

from . import rotation


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
