"""A recording and the scene in it as arrays: F frames, N bodies in the order of the recording, of which M move."""
import tomllib
from dataclasses import dataclass, field

import h5py
import numpy as np

from . import rotation
from .shapes import make_shape

BOUNDS = {"closure_bound": 1e-8, "overlap_bound": 1e-3, "motion_bound": 1e-3, "momentum_bound": 1e-10,
          "energy_bound": 1e-6}


@dataclass
class Part:
    """A shape on a body: `shape` is None for half-spaces (radius 0) and bowls."""
    kind: str
    shape: object
    radius: float      # of a bowl
    q: np.ndarray      # in the frame of the body, origin at its centre of mass
    p: np.ndarray


@dataclass
class Body:
    name: str
    moves: bool
    parts: list
    mass: float = 0.0
    inertia: np.ndarray = field(default_factory=lambda: np.eye(3))
    size: float = 0.0  # distance of the furthest point from the centre of mass
    surface_velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    is_moved: bool = False
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))  # of mass, in the frame of the scene file


def _orientation(table):
    if "quat_wxyz" in table:
        q = np.asarray(table["quat_wxyz"], float)
        return q / np.linalg.norm(q)
    if "axis" in table and ("angle_deg" in table or "angle_rad" in table):
        angle = table.get("angle_rad", np.radians(table.get("angle_deg", 0.0)))
        axis = np.asarray(table["axis"], float)
        return rotation.from_vector(angle * axis / np.linalg.norm(axis))
    for key, unit in (("rpy_deg", np.pi / 180.0), ("rpy_rad", 1.0)):
        if key in table:
            x, y, z = (rotation.from_vector(unit * a * e) for a, e in zip(table[key], np.eye(3)))
            return rotation.product(z, rotation.product(y, x))
    if "rotation_matrix" in table:
        raise ValueError("no oracle for orientations by a matrix")
    return np.array([1.0, 0.0, 0.0, 0.0])


def _position(table):
    return np.asarray(table.get("position", [0.0, 0.0, 0.0]), float)


def _parts(table):
    shapes = table.get("shape", [])
    shapes = shapes if isinstance(shapes, list) else [shapes]
    return [Part(s["type"], make_shape(s), s.get("radius", 0.0), _orientation(s), _position(s)) for s in shapes]


def _moving_body(table):
    """Mass properties of all shapes together; those that overlap count twice."""
    if "inertia" in table or "inertia_matrix" in table:
        raise ValueError("no oracle for bodies with an inertia of their own")
    parts = _parts(table)
    volume = sum(part.shape.volume for part in parts)
    centre = sum(part.shape.volume * (part.p + rotation.rotate(part.q, part.shape.centre)) for part in parts) / volume
    density = table["mass"] / volume if "mass" in table else table.get("density", 1000.0)
    inertia = np.zeros((3, 3))
    for part in parts:
        r = part.p + rotation.rotate(part.q, part.shape.centre) - centre
        turn = rotation.matrix(part.q)
        inertia += turn @ part.shape.inertia @ turn.T
        inertia += part.shape.volume * (r @ r * np.eye(3) - np.outer(r, r))
        part.p = part.p - centre
    size = max(part.shape.furthest(rotation.unrotate(part.q, -part.p)) for part in parts)
    return Body(table["name"], True, parts, density * volume, density * inertia, size, centre=centre)


def _surroundings(table):
    surface = np.asarray(table.get("surface_velocity", [0.0, 0.0, 0.0]), float)
    return Body(table["name"], False, _parts(table), surface_velocity=surface,
                is_moved="motion" in table)


def _text(value):
    """A text, which may be stored as a list with one entry."""
    value = value[0] if isinstance(value, np.ndarray) else value
    return value.decode() if isinstance(value, bytes) else str(value)


class Recording:
    def __init__(self, file):
        with h5py.File(file, "r") as data:
            self._read_scene(data)
            self._read_frames(data["frames"])
            self._read_contacts(data)
            self._read_waypoints(data["waypoints"])

    def _read_scene(self, data):
        self.scene = tomllib.loads(_text(data["scene/text"][()]))
        tables = {t["name"]: _moving_body(t) for t in self.scene.get("body", [])}
        tables |= {t["name"]: _surroundings(t) for t in self.scene.get("environment", [])}
        self.starts = {t["name"]: (_position(t), _orientation(t))
                       for t in self.scene.get("body", []) + self.scene.get("environment", [])}
        self.names = [_text(n) for n in data["bodies/name"][()]]
        self.bodies = [tables[name] for name in self.names]
        self.moving = sum(body.moves for body in self.bodies)
        self.recorded_mass = data["bodies/mass"][()]
        self.gravity = np.asarray(self.scene.get("gravity", [0.0, 0.0, -9.81]), float)
        names = [_text(n) for n in data["run/option_names"][()]]
        values = [_text(v) for v in data["run/option_values"][()]]
        options = dict(zip(names, values))
        self.bounds = {key: float(options.get(key, value)) for key, value in BOUNDS.items()}
        self.dt = float(np.ravel(data["run/dt"][()])[0])
        place = {name: k for k, name in enumerate(self.names)}
        self.excluded = {frozenset((place[e["a"]], place[e["b"]])) for e in self.scene.get("exclude", [])}
        self.joints = [dict(table, a=place[table["a"]], b=place[table["b"]])
                       for table in self.scene.get("constraint", [])]
        self.size = np.array([body.size for body in self.bodies])
        self.mass = np.array([body.mass for body in self.bodies])
        self.inertia = np.stack([body.inertia for body in self.bodies])

    def _read_frames(self, frames):
        self.time = frames["time"][()]
        count = len(self.time)
        self.h = frames["step_size"][()][:count]
        self.x = np.zeros((count, len(self.bodies), 3))
        self.q = np.tile([1.0, 0.0, 0.0, 0.0], (count, len(self.bodies), 1))
        self.v = np.zeros((count, len(self.bodies), 3))
        self.w = np.zeros((count, len(self.bodies), 3))
        for k, name in enumerate(self.names):  # what stands still
            self.x[:, k], self.q[:, k] = self.starts[name]
        if "pose" in frames:
            pose, velocity = frames["pose"][()][:count], frames["velocity"][()][:count]
            tracks = pose.shape[1]
            self.x[:, :tracks], self.q[:, :tracks] = pose[..., :3], pose[..., 3:]
            self.v[:, :tracks], self.w[:, :tracks] = velocity[..., :3], velocity[..., 3:]
        self.unsolved = frames["unsolved"][()][:count] > 0
        self.has_claims = "inaccurate" in frames
        inaccurate = frames["inaccurate"][()][:count] > 0 if self.has_claims else np.zeros(count, bool)
        self.accurate = ~(self.unsolved | inaccurate)
        self.claimed = {name: frames[name][()][:count]
                        for name in ("closure", "new_overlap", "unexplained", "momentum", "energy_gain")
                        if name in frames}
        self.motor_effort, self.joint_force, self.joint_torque = (
            frames[name][()][:count] if name in frames else None
            for name in ("motor_effort", "joint_force", "joint_torque"))
        # Steps of which islands were taken in parts: efforts and moving surroundings within them are not recorded.
        self.parts = frames["parts"][()][:count] if "parts" in frames else np.ones(count, int)
        self.velocity_error = frames["velocity_error"][()][:count]
        self.contact_end = frames["contact_end"][()][:count].astype(int)
        self.waypoint_end = frames["waypoint_end"][()][:count].astype(int)

    def _read_contacts(self, data):
        total = self.contact_end[-1] if len(self.contact_end) else 0
        group = data["contacts"]
        self.contact_bodies = group["bodies"][()][:total].astype(int)
        self.contact_point = group["point"][()][:total].astype(float)
        self.contact_normal = group["normal"][()][:total].astype(float)
        self.contact_mu = group["mu"][()][:total].astype(float)
        self.contact_impulse = group["impulse"][()][:total].astype(float)
        counts = np.diff(self.contact_end, prepend=0)
        self.contact_frame = np.repeat(np.arange(len(counts)), counts)

    def _read_waypoints(self, group):
        """Where bodies were between the parts of steps, part after part."""
        total = self.waypoint_end[-1] if len(self.waypoint_end) else 0
        self.waypoint_body = group["body"][()][:total].astype(int)
        self.waypoint_time = group["time"][()][:total]
        pose, velocity = group["pose"][()][:total], group["velocity"][()][:total]
        self.waypoint_state = np.concatenate([pose, velocity], 1)
        counts = np.diff(self.waypoint_end, prepend=0)
        self.waypoint_frame = np.repeat(np.arange(len(counts)), counts)
        self.waypoints_of = {}  # rows by frame and body
        for k, place in enumerate(zip(self.waypoint_frame, self.waypoint_body)):
            self.waypoints_of.setdefault(place, []).append(k)

    def momentum_scale(self, frame, body):
        """Of a body in a step: its mass times its speeds before and after, those of its furthest points included."""
        speeds = np.linalg.norm(self.v[frame - 1:frame + 1, body], axis=-1)
        speeds = speeds + self.size[body] * np.linalg.norm(self.w[frame - 1:frame + 1, body], axis=-1)
        return self.mass[body] * (np.sum(speeds) + self.h[frame] * np.linalg.norm(self.gravity))

    def ways(self):
        """Every way of a moving body that its states bound, a step or a part of one: rows of frame, body, duration,
        state before and state after."""
        m, rows = self.moving, []
        states = np.concatenate([self.x, self.q, self.v, self.w], -1)[:, :m]
        for frame in range(1, len(self.time)):
            for body in range(m):
                between = self.waypoints_of.get((frame, body), [])
                chain = [states[frame - 1, body], *self.waypoint_state[between], states[frame, body]]
                times = [0.0, *self.waypoint_time[between], self.h[frame]]
                rows += [(frame, body, t - s, a, b) for s, t, a, b in zip(times, times[1:], chain, chain[1:])]
        if not rows:
            return np.zeros(0, int), np.zeros(0, int), np.zeros(0), np.zeros((0, 13)), np.zeros((0, 13))
        return tuple(np.array(column) for column in zip(*rows))

    def part_pose(self, body, part, frames=slice(None)):
        """Orientation and position of a shape in frames."""
        q, x = self.q[frames, body], self.x[frames, body]
        turned = rotation.product(q, np.broadcast_to(part.q, q.shape))
        return turned, x + rotation.rotate(q, np.broadcast_to(part.p, x.shape))
