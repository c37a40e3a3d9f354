"""Depths of overlaps, by separating directions.

For any unit vector d,   sep(d) = min over B of d.x - max over A of d.x   is at most the signed distance of two convex
bodies, and the largest sep is the signed distance. One direction with sep(d) >= -depth therefore proves that the depth
is no more; only pairs that no likely direction clears are searched further.
"""
import itertools

import numpy as np

from . import rotation

GRID = np.array([g for g in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(g)])
GRID = GRID / np.linalg.norm(GRID, axis=1)[:, None]
STARTS = 8   # directions from which the search begins
CLIMBS = 4   # of those it ends with are followed to their maximum


class Pair:
    """Two convex shapes in n poses."""

    def __init__(self, shape_a, pose_a, shape_b, pose_b):
        self.a, self.b = shape_a, shape_b
        self.turn_a, self.turn_b = rotation.matrix(pose_a[0]), rotation.matrix(pose_b[0])
        self.between = pose_b[1] - pose_a[1]

    def select(self, rows):
        pair = object.__new__(Pair)
        pair.a, pair.b = self.a, self.b
        pair.turn_a, pair.turn_b, pair.between = self.turn_a[rows], self.turn_b[rows], self.between[rows]
        return pair

    def separation(self, d):
        """sep of directions (n, k, 3), as (n, k)."""
        return (np.einsum("nki,ni->nk", d, self.between) - self.a.height(np.einsum("nij,nki->nkj", self.turn_a, d))
                - self.b.height(np.einsum("nij,nki->nkj", self.turn_b, -d)))

    def likely_directions(self):
        """Line of centres, and faces and axes of both shapes with their cross products."""
        n = len(self.between)
        own_a = np.einsum("nij,kj->nki", self.turn_a, self.a.directions)
        own_b = np.einsum("nij,kj->nki", self.turn_b, self.b.directions)
        centres = (self.between + np.einsum("nij,j->ni", self.turn_b, self.b.centre)
                   - np.einsum("nij,j->ni", self.turn_a, self.a.centre))
        both = [centres[:, None], own_a, own_b]
        if 0 < own_a.shape[1] <= 4 and 0 < own_b.shape[1] <= 4:
            both.append(np.cross(own_a[:, :, None], own_b[:, None]).reshape(n, -1, 3))
        found = _unit(np.concatenate(both, 1))
        return np.concatenate([found, -found], 1)


def _unit(d):
    length = np.linalg.norm(d, axis=-1, keepdims=True)
    return np.where(length > 1e-9, d / np.maximum(length, 1e-300), np.array([0.0, 0.0, 1.0]))


def _tangents(d):
    """Two directions across each d."""
    other = np.where(np.abs(d[..., :1]) < 0.6, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    t = _unit(np.cross(d, other))
    return t, np.cross(d, t)


def search_directions(pair, first, rounds=40):
    """The best directions (n, STARTS, 3) and their sep by a pattern search on the sphere; `first` (n, k, 3) are likely
    ones. It may end on a ridge, short of the maximum."""
    n = len(pair.between)
    starts = np.concatenate([first, pair.likely_directions(), np.broadcast_to(GRID, (n, len(GRID), 3))], 1)
    value = pair.separation(starts)
    best = np.argsort(-value, 1)[:, :STARTS]
    d = np.take_along_axis(starts, best[..., None], 1)
    value = np.take_along_axis(value, best, 1)
    step = np.full(value.shape, 0.3)
    angles = np.arange(8) * np.pi / 4.0
    circle = np.stack([np.cos(angles), np.sin(angles)], 1)
    for _ in range(rounds):
        t, s = _tangents(d)
        # Eight neighbours of every direction.
        trial = _unit(d[:, :, None] + step[..., None, None] *
                      (circle[:, :1] * t[:, :, None] + circle[:, 1:] * s[:, :, None]))
        trial_value = pair.separation(trial.reshape(n, -1, 3)).reshape(n, d.shape[1], 8)
        choice = np.argmax(trial_value, 2)[..., None]
        found = np.take_along_axis(trial_value, choice, 2)[..., 0]
        better = found > value
        d = np.where(better[..., None], np.take_along_axis(trial, choice[..., None], 2)[:, :, 0], d)
        value = np.where(better, found, value)
        step = np.where(better, np.minimum(1.5 * step, 0.5), 0.4 * step)
    order = np.argsort(-value, 1)
    return np.take_along_axis(d, order[..., None], 1), np.take_along_axis(value, order, 1)


def closest_to_origin(points):
    """The point of a simplex of up to four points that is nearest to the origin, and the corners it lies between."""
    best = None
    for size in range(1, len(points) + 1):
        for chosen in itertools.combinations(range(len(points)), size):
            corners = points[list(chosen)]
            edges = corners[1:] - corners[0]
            gram = edges @ edges.T
            if size > 1 and np.linalg.det(gram) <= 1e-14 * np.prod(np.diag(gram)):
                continue
            share = np.linalg.solve(gram, -edges @ corners[0]) if size > 1 else np.zeros(0)
            if np.any(share < 0.0) or np.sum(share) > 1.0:
                continue
            x = corners[0] + share @ edges
            if best is None or x @ x < best[0] @ best[0]:
                best = x, corners
    return best


def separating_direction(pair, row, way):
    """Direction of the distance of A and B in one pose, B moved by `way` so that they are apart: Gilbert, Johnson and
    Keerthi's method. None when they are not."""
    turn_a, turn_b, between = pair.turn_a[row], pair.turn_b[row], pair.between[row] + way

    def lowest(d):  # of B - A along d
        return between + turn_b @ pair.b.point(-(d @ turn_b)) - turn_a @ pair.a.point(d @ turn_a)

    corners = lowest(between)[None]
    x = corners[0]
    for _ in range(60):
        new = lowest(x)
        if x @ x - x @ new <= 1e-7 * (x @ x) or np.any(np.all(corners == new, 1)):
            break
        x, corners = closest_to_origin(np.concatenate([corners, new[None]]))
        if len(corners) == 4:
            return None
    length = np.linalg.norm(x)
    return x / length if length > 0.0 else None


def climb(pair, row, d, value):
    """The largest sep that is reached from d. Moving B apart along d by s and taking the direction of the distance there
    maximises sep(e) + s d.e, so that no step loses anything, and where nothing is won there is a maximum."""
    apart = 0.1 * np.linalg.norm(pair.between[row]) + 1e-3 * abs(value)
    for _ in range(30):
        found = separating_direction(pair, row, (apart - min(value, 0.0)) * d)
        if found is None:
            break
        new = float(pair.select(slice(row, row + 1)).separation(found[None, None])[0, 0])
        if not new > value + 1e-6 * abs(value):
            break
        d, value = found, new
    return value


def search_depth(pair, first, enough=-np.inf):
    """Depths (n), by climbing from the best directions as long as they exceed `enough`."""
    directions, values = search_directions(pair, first)
    depth = -values[:, 0]
    for row in np.flatnonzero(depth > enough):
        for d, value in zip(directions[row, :CLIMBS], values[row, :CLIMBS]):
            depth[row] = min(depth[row], -climb(pair, row, d, value))
            if depth[row] <= enough:
                break
    return depth


def convex_depth(pair, first, enough):
    """Depths (n), exact where they exceed `enough`, no less than the true ones elsewhere (0 where apart)."""
    depth = -np.max(pair.separation(np.concatenate([first, pair.likely_directions()], 1)), 1)
    rest = np.flatnonzero(depth > enough)
    if len(rest):
        depth[rest] = np.minimum(depth[rest], search_depth(pair.select(rest), first[rest], enough))
    return np.maximum(depth, 0.0)


def plane_gap(shape, pose, plane_pose):
    """Height of the lowest point above z = 0 of the plane."""
    normal = rotation.rotate(plane_pose[0], np.broadcast_to([0.0, 0.0, 1.0], plane_pose[1].shape))
    lowest = -shape.height(rotation.unrotate(pose[0], -normal))
    return lowest + np.sum(normal * (pose[1] - plane_pose[1]), -1)


def bowl_gap(shape, pose, bowl_pose, radius):
    """Distance of the outermost point from the sphere, inwards; points are followed outwards, so that it is that of a real point."""
    if shape.vertices is not None:
        points = np.broadcast_to(shape.vertices, (len(pose[1]),) + shape.vertices.shape)
        points = rotation.rotate(pose[0][:, None], points) + (pose[1] - bowl_pose[1])[:, None]
        return radius - np.max(np.linalg.norm(points, axis=-1), 1)
    centre = rotation.unrotate(pose[0], bowl_pose[1] - pose[1])[:, None]  # of the bowl, in the shape's frame
    x = shape.point(np.concatenate([np.broadcast_to(GRID, (len(centre), len(GRID), 3)), -centre], 1))
    for _ in range(50):
        x = shape.point(x - centre)
    return radius - np.max(np.linalg.norm(x - centre, axis=-1), 1)


def _reach(r, body):
    """How far a body reaches from its origin; infinity for half-spaces and bowls."""
    if r.bodies[body].moves:
        return r.size[body]
    return max(np.inf if part.shape is None else np.linalg.norm(part.p) + part.shape.furthest(np.zeros(3))
               for part in r.bodies[body].parts)


def _recorded_normals(r, a, b, frames):
    """Normals of contacts of a pair, from A into B, of the steps before and after each frame: up to six (n, 6, 3), the
    line of centres where there are fewer."""
    found = np.repeat((r.x[frames, b] - r.x[frames, a])[:, None], 6, 1)
    rows = np.flatnonzero(np.all(np.sort(r.contact_bodies, 1) == sorted((a, b)), 1))
    normals = np.where(r.contact_bodies[rows, :1] == a, 1.0, -1.0) * r.contact_normal[rows]
    begin = np.searchsorted(r.contact_frame[rows], np.arange(len(r.time) + 2))
    for slot in range(6):
        step = frames + slot // 3
        place = begin[step] + slot % 3
        there = place < begin[step + 1]
        found[there, slot] = normals[place[there]]
    return _unit(found)


def _part_depth(r, frames, a, part_a, b, part_b, enough):
    pose_a, pose_b = r.part_pose(a, part_a, frames), r.part_pose(b, part_b, frames)
    if part_b.kind == "half_space":
        return np.maximum(0.0, -plane_gap(part_a.shape, pose_a, pose_b))
    if part_b.kind == "bowl":
        return np.maximum(0.0, -bowl_gap(part_a.shape, pose_a, pose_b, part_b.radius))
    return convex_depth(Pair(part_a.shape, pose_a, part_b.shape, pose_b), _recorded_normals(r, a, b, frames), enough)


def body_depths(r, a, b, enough):
    """Depth of two bodies at every frame [m], the deepest of their shapes; None when they never come near each other."""
    frames = np.flatnonzero(np.linalg.norm(r.x[:, b] - r.x[:, a], axis=-1) < r.size[a] + _reach(r, b))
    if len(frames) == 0:
        return None
    depth = np.zeros(len(r.time))
    for part_a, part_b in itertools.product(r.bodies[a].parts, r.bodies[b].parts):
        depth[frames] = np.maximum(depth[frames], _part_depth(r, frames, a, part_a, b, part_b, enough))
    return depth
