"""What happens between the frames of a recording: bodies that push each other although they stay apart, and bodies that
fly through others.

Between two impulses a body flies straight and turns freely. Where a way x0 -> x1 in time h has one kick, it is in its corner at the
time t for which x0 + t v0 and x1 - (h - t) v1 are nearest to each other: there it is pushed.
"""
import itertools

import numpy as np

from . import rotation
from .overlap import Pair, bowl_gap, plane_gap

MATTERS = 1e-4   # of the momentum of a body: smaller impulses are none
DENSE = 65       # poses of a way that may lead through another body


class Flight:
    """The way of a body through one step of a recording: pieces with a beginning, an end, a place and a velocity, and turns that are
    known at one of their ends."""

    def __init__(self, r, frame, body):
        self.h, self.inertia = r.h[frame], r.inertia[body]
        self.pieces, self.corners = [], []
        self.prescribed = None
        if body >= r.moving:
            (x0, x1), (q0, q1) = r.x[frame - 1:frame + 1, body], r.q[frame - 1:frame + 1, body]
            turn = rotation.to_vector(rotation.product(q1, rotation.conjugate(q0)))
            self.pieces.append((0.0, self.h, x0, (x1 - x0) / self.h, 0.0, q0, turn / self.h))
            self.prescribed = x0, self.h * r.v[frame - 1, body], x1, self.h * r.v[frame, body]
            return
        states = [np.concatenate([r.x[k, body], r.q[k, body], r.v[k, body], r.w[k, body]]) for k in (frame - 1, frame)]
        between = r.waypoints_of.get((frame, body), [])
        chain = [states[0], *r.waypoint_state[between], states[1]]
        times = [0.0, *r.waypoint_time[between], self.h]
        for s, t, a, b in zip(times, times[1:], chain, chain[1:]):
            self._add_kick(s, t, a, b)

    def _add_kick(self, begin, end, a, b):
        h, x0, v0, x1, v1 = end - begin, a[:3], a[7:10], b[:3], b[7:10]
        change = v0 - v1
        square = change @ change
        t = min(max((x1 - x0 - h * v1) @ change / square, 0.0), h) if square > 0.0 else 0.5 * h
        corner = 0.5 * (x0 + t * v0 + x1 - (h - t) * v1)
        self.corners.append(begin + t)
        if t > 0.0:
            self.pieces.append((begin, begin + t, x0, (corner - x0) / t, begin, a[3:7], a[10:13]))
        if t < h:
            self.pieces.append((begin + t, end, corner, (x1 - corner) / (h - t), end, b[3:7], b[10:13]))

    def places(self, times):
        """Places at these times, of bodies."""
        ends = np.array([piece[1] for piece in self.pieces])
        which = np.minimum(np.searchsorted(ends, times, "left"), len(ends) - 1)
        begin, place, velocity = (np.array([self.pieces[k][c] for k in which]) for c in (0, 2, 3))
        return place + (times - begin)[:, None] * velocity

    def poses(self, times, side):
        """Orientations and places at these times; where two pieces meet, of the earlier one (side left) or the later one (right)."""
        ends = np.array([piece[1] for piece in self.pieces])
        which = np.minimum(np.searchsorted(ends, times, side), len(ends) - 1)
        begin, place, velocity, known, turned, omega = (np.array([self.pieces[k][c] for k in which]) for c in (0, 2, 3, 4, 5, 6))
        place = place + (times - begin)[:, None] * velocity
        if self.prescribed:  # swings between frames: a cubic with the velocities of both
            (x0, v0, x1, v1), s = self.prescribed, (times / self.h)[:, None]
            place = (1.0 + 2.0 * s) * (1.0 - s) ** 2 * x0 + s * (1.0 - s) ** 2 * v0 + s ** 2 * (3.0 - 2.0 * s) * x1 - s ** 2 * (1.0 - s) * v1
            return rotation.product(rotation.from_vector((times - known)[:, None] * omega), turned), place
        inertia = np.broadcast_to(self.inertia, (len(times), 3, 3))
        return rotation.turn_freely(turned, omega, inertia, times - known)[0], place


def _place(pose, part):
    q, x = pose
    return rotation.product(q, np.broadcast_to(part.q, q.shape)), x + rotation.rotate(q, np.broadcast_to(part.p, x.shape))


def _least_gap(r, a, pose_a, b, pose_b, directions):
    """No more than the distance of two bodies at each pose (n); directions (k, 3) from A to B are tried besides likely ones."""
    least = np.full(len(pose_a[1]), np.inf)
    for part_a, part_b in itertools.product(r.bodies[a].parts, r.bodies[b].parts):
        placed_a, placed_b = _place(pose_a, part_a), _place(pose_b, part_b)
        if part_b.kind == "half_space":
            gap = plane_gap(part_a.shape, placed_a, placed_b)
        elif part_b.kind == "bowl":
            gap = bowl_gap(part_a.shape, placed_a, placed_b, part_b.radius)
        else:
            pair = Pair(part_a.shape, placed_a, part_b.shape, placed_b)
            given = np.broadcast_to(directions, (len(least),) + directions.shape)
            gap = np.max(pair.separation(np.concatenate([given, pair.likely_directions()], 1)), 1)
        least = np.minimum(least, gap)
    return least


def _pair_of(r, a, b):
    """The two with the one that moves first, and the sign of directions from A to B."""
    return (b, a, -1.0) if a >= r.moving else (a, b, 1.0)


def _size(r, a, b):
    return min(r.size[k] for k in (a, b) if k < r.moving)


def find_pushes_from_afar(r, bound):
    """How far apart bodies are when they push each other, in sizes of the smaller one: (F, M)."""
    value = np.zeros((len(r.time), r.moving))
    rows = np.flatnonzero(np.linalg.norm(r.contact_impulse, axis=-1) > 0.0)
    grouped = {}
    for k in rows:
        grouped.setdefault((r.contact_frame[k], *r.contact_bodies[k]), []).append(k)
    for (frame, one, other), members in grouped.items():
        a, b, sign = _pair_of(r, one, other)
        if frame == 0 or a >= r.moving:
            continue
        passed = np.sum(np.linalg.norm(r.contact_impulse[members], axis=-1))
        if not any(k < r.moving and passed > MATTERS * r.momentum_scale(frame, k) for k in (a, b)):
            continue
        # A corner is off by what weight bends the way: by g h^2/2 at most, where a kick at the start ends the motion.
        bent = 0.5 * r.h[frame] ** 2 * np.linalg.norm(r.gravity) * sum(k < r.moving for k in (a, b))
        directions, size = sign * r.contact_normal[members], _size(r, a, b)
        ends = [(r.q[frame - 1:frame + 1, k], r.x[frame - 1:frame + 1, k]) for k in (a, b)]
        if not _least_gap(r, a, ends[0], b, ends[1], directions)[0] > bound * size + bent:
            continue
        flights = Flight(r, frame, a), Flight(r, frame, b)
        times = np.unique(flights[0].corners + flights[1].corners)
        gap = min(np.min(_least_gap(r, a, flights[0].poses(times, side), b, flights[1].poses(times, side), directions))
                  for side in ("left", "right"))
        small = a if b >= r.moving or r.size[a] <= r.size[b] else b
        value[frame, small] = max(value[frame, small], (gap - bent) / size)
    return value


def _is_inside(r, body, pose, points):
    """Whether points (n, 3) are in a body at poses (n), by more than a hundredth of how far it reaches; only convex parts that faces or
    axes clear are known to be left."""
    inside = np.zeros(len(points), bool)
    for part in r.bodies[body].parts:
        q, p = _place(pose, part)
        own = rotation.unrotate(q, points - p)
        if part.kind == "half_space":
            inside |= own[:, 2] < 0.0
        elif part.kind == "box":
            inside |= np.all(np.abs(own) < 0.99 * part.shape.half, axis=1)
        elif part.kind == "sphere":
            inside |= np.linalg.norm(own, axis=1) < 0.99 * part.shape.radius
        elif part.kind == "capsule":
            beyond = np.maximum(0.0, np.abs(own[:, 2]) - part.shape.half_length)
            inside |= np.hypot(np.hypot(own[:, 0], own[:, 1]), beyond) < 0.99 * part.shape.radius
    return inside


def find_passages(r):
    """Centres of bodies that were inside of a larger one between two frames at which they were not: (F, M), 1 where one was."""
    value = np.zeros((len(r.time), r.moving))
    way = np.linalg.norm(np.diff(r.x, axis=0, prepend=r.x[:1]), axis=-1)
    way[:, :r.moving] = np.maximum(way[:, :r.moving], r.h[:, None] * np.linalg.norm(r.v, axis=-1)[:, :r.moving])
    for a in range(r.moving):
        for b in range(len(r.bodies)):
            if a == b or frozenset((a, b)) in r.excluded or (b < r.moving and r.size[b] < r.size[a]):
                continue
            for frame in 1 + np.flatnonzero((way[1:, a] + way[1:, b]) > 0.5 * r.size[a]):
                flights = Flight(r, frame, a), Flight(r, frame, b)
                times = np.linspace(0.0, r.h[frame], DENSE)
                places = flights[0].places(times)
                if b < r.moving and np.min(np.linalg.norm(places - flights[1].places(times), axis=1)) > r.size[b]:
                    continue
                inside = _is_inside(r, b, flights[1].poses(times, "left"), places)
                if np.any(inside[1:-1]) and not inside[0] and not inside[-1]:
                    value[frame, a] = 1.0
    return value
