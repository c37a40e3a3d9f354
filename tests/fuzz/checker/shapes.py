"""Convex shapes: support functions and mass properties. Every shape is in its own frame.

    height(d)    max of d.x over the shape, for directions d (..., 3) of any length
    point(d)     a point where it is reached
    directions   normals of faces and axes: where separating directions are likely
    volume, centre, inertia   for density 1; inertia about the centre
"""
import itertools

import numpy as np


def _norm(d):
    return np.linalg.norm(d, axis=-1)


def _unit(d):
    return d / np.maximum(_norm(d), 1e-300)[..., None]


class Shape:
    directions = np.zeros((0, 3))
    vertices = None      # of polyhedra
    centre = np.zeros(3)

    def height(self, d):
        return np.sum(d * self.point(d), -1)

    def furthest(self, c):
        """Largest distance of its points from c: x <- support(x - c) never comes nearer."""
        if self.vertices is not None:
            return float(np.max(_norm(self.vertices - c)))
        grid = np.array([g for g in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(g)])
        x = self.point(np.concatenate([grid, np.random.default_rng(1).normal(size=(20, 3))]))
        for _ in range(200):
            x = self.point(x - c)
        return float(np.max(_norm(x - c)))


class Sphere(Shape):
    def __init__(self, radius):
        self.radius = radius
        self.volume = 4.0 / 3.0 * np.pi * radius**3
        self.inertia = 0.4 * self.volume * radius**2 * np.eye(3)

    def point(self, d):
        return self.radius * _unit(d)


class Ellipsoid(Shape):
    def __init__(self, radii):
        self.radii = np.asarray(radii, float)
        self.volume = 4.0 / 3.0 * np.pi * np.prod(self.radii)
        a, b, c = self.radii**2
        self.inertia = 0.2 * self.volume * np.diag([b + c, c + a, a + b])

    def point(self, d):
        return self.radii * _unit(self.radii * d)


class Capsule(Shape):
    directions = np.array([[0.0, 0.0, 1.0]])

    def __init__(self, radius, half_length):
        self.radius, self.half_length = radius, half_length
        r, length = radius, 2.0 * half_length
        rod, ball = np.pi * r**2 * length, 4.0 / 3.0 * np.pi * r**3
        self.volume = rod + ball
        along = rod * r**2 / 2.0 + ball * 0.4 * r**2
        across = (rod * (length**2 / 12.0 + r**2 / 4.0) +
                  ball * (0.4 * r**2 + length**2 / 4.0 + 3.0 / 8.0 * length * r))
        self.inertia = np.diag([across, across, along])

    def point(self, d):
        tip = np.zeros_like(d)
        tip[..., 2] = np.where(d[..., 2] < 0.0, -self.half_length, self.half_length)
        return tip + self.radius * _unit(d)


class Cylinder(Shape):
    directions = np.array([[0.0, 0.0, 1.0]])

    def __init__(self, radius, half_length):
        self.radius, self.half_length = radius, half_length
        self.volume = 2.0 * np.pi * radius**2 * half_length
        across = self.volume * (radius**2 / 4.0 + half_length**2 / 3.0)
        self.inertia = np.diag([across, across, self.volume * radius**2 / 2.0])

    def point(self, d):
        x = self.radius * _unit(d * np.array([1.0, 1.0, 0.0]))
        x[..., 2] = np.where(d[..., 2] < 0.0, -self.half_length, self.half_length)
        return x


class Cone(Shape):
    directions = np.array([[0.0, 0.0, 1.0]])

    def __init__(self, radius, half_length):
        self.radius, self.half_length = radius, half_length
        height = 2.0 * half_length
        self.volume = np.pi / 3.0 * radius**2 * height
        self.centre = np.array([0.0, 0.0, -0.5 * half_length])
        across = self.volume * (3.0 / 20.0 * radius**2 + 3.0 / 80.0 * height**2)
        self.inertia = np.diag([across, across, 0.3 * self.volume * radius**2])

    def point(self, d):
        rim = self.radius * _unit(d * np.array([1.0, 1.0, 0.0]))
        rim[..., 2] = -self.half_length
        apex = np.zeros_like(d)
        apex[..., 2] = self.half_length
        return np.where((np.sum(d * rim, -1) > np.sum(d * apex, -1))[..., None], rim, apex)


class Polyhedron(Shape):
    """The convex hull of points; triangles by trying all triples, for points in general position or not."""

    def __init__(self, points):
        self.vertices = np.asarray(points, float)
        self.triangles = _hull_triangles(self.vertices)
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        self.directions = _unit(np.cross(b - a, c - a))
        origin = np.mean(self.vertices, 0)
        a, b, c = a - origin, b - origin, c - origin
        part = np.sum(a * np.cross(b, c), -1) / 6.0  # tetrahedra with the origin
        self.volume = float(np.sum(part))
        shift = np.einsum("t,ti->i", part, a + b + c) / 4.0 / self.volume
        self.centre = origin + shift
        # Second moments of a tetrahedron with a corner at 0: V/20 (sum of x x^T + s s^T), s the sum of corners.
        s = a + b + c
        second = sum(np.einsum("t,ti,tj->ij", part, x, x) for x in (a, b, c, s)) / 20.0
        second -= self.volume * np.outer(shift, shift)
        self.inertia = np.trace(second) * np.eye(3) - second

    def height(self, d):
        return np.max(d @ self.vertices.T, -1)

    def point(self, d):
        return self.vertices[np.argmax(d @ self.vertices.T, -1)]


def _hull_triangles(points):
    """Faces, counterclockwise from outside; a face with more corners becomes a fan of triangles."""
    n, size = len(points), np.max(_norm(points - points[0]))
    triples = np.array(list(itertools.combinations(range(n), 3)))
    a, b, c = (points[triples[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    good = _norm(normal) > 1e-10 * size**2
    triples, a, normal = triples[good], a[good], _unit(normal[good])
    level = np.einsum("tpi,ti->tp", points[None] - a[:, None], normal)
    triangles, seen = [], set()
    for t in np.flatnonzero(np.all(level < 1e-9 * size, 1) | np.all(level > -1e-9 * size, 1)):
        out = normal[t] if np.all(level[t] < 1e-9 * size) else -normal[t]
        face = tuple(np.flatnonzero(np.abs(level[t]) < 1e-9 * size))
        if face in seen:
            continue
        seen.add(face)
        corners = points[list(face)] - np.mean(points[list(face)], 0)
        first = _unit(corners[0])
        around = np.argsort(np.arctan2(corners @ np.cross(out, first), corners @ first))
        loop = [face[k] for k in around]
        triangles += [(loop[0], loop[k - 1], loop[k]) for k in range(2, len(loop))]
    return np.array(triangles)


class Box(Polyhedron):
    directions = np.eye(3)

    def __init__(self, half_extents):
        half = np.asarray(half_extents, float)
        self.half = half
        self.vertices = half * np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
        self.volume = float(8.0 * np.prod(half))
        x, y, z = half**2 / 3.0
        self.inertia = self.volume * np.diag([y + z, z + x, x + y])

    def height(self, d):
        return np.abs(d) @ self.half


def make_shape(table):
    """From the table of a scene file; None for half-spaces and bowls, which are no convex bodies."""
    kind = table["type"]
    if kind == "sphere":
        return Sphere(table["radius"])
    if kind == "box":
        return Box(table["half_extents"])
    if kind == "ellipsoid":
        return Ellipsoid(table["radii"])
    if kind == "convex_hull":
        return Polyhedron(table["points"])
    if kind in ("capsule", "cylinder", "cone"):
        return {"capsule": Capsule, "cylinder": Cylinder, "cone": Cone}[kind](table["radius"], table["half_length"])
    if kind in ("half_space", "bowl"):
        return None
    raise ValueError(f"no oracle for shapes of type {kind}")
