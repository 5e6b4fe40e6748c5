"""The node groups that show markers and forces at the sample of the current time.

The mesh of a take holds all its samples, N points of the first one, then N of the second, and so on. The
group picks the two samples around the scene's time and mixes them, so a take of any rate plays at the
right speed in a scene of any frame rate. Before and after the take its ends are held. Points that are
not seen in both samples are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
from bpy.types import Material, NodeSocket, NodeTree

from .node_graph import NodeGraph, existing_group

INPUTS = {"Points": "Int", "Samples": "Int", "Rate": "Float", "Start": "Float"}
"""Points of a sample, samples, samples a second, and the scene's time of the first sample [s]."""

SEEN = "seen"
"""Attribute of samples: 1 where the point was seen, else 0."""


SURE = 0.98
"""A point counts as seen above this value: single precision may shift a sample slightly."""


@dataclass(frozen=True, eq=False)
class Sampler:
    """Reads attributes of the take's mesh at the current time.

    before, after: indices of a point in the samples around the time; share: weight of the one after
    """

    graph: NodeGraph
    before: NodeSocket
    after: NodeSocket
    share: NodeSocket

    @staticmethod
    def of(graph: NodeGraph) -> Sampler:
        """Add the nodes that find the current sample."""
        seconds = graph.node("GeometryNodeInputSceneTime").node.outputs["Seconds"]
        since = graph.math("SUBTRACT", seconds, graph.input("Start"))
        last = graph.math("SUBTRACT", graph.input("Samples"), 1.0)
        sample = graph.math("MINIMUM", graph.math("MULTIPLY", since, graph.input("Rate")), last)
        sample = graph.math("MAXIMUM", sample, 0.0)
        first, count = graph.math("FLOOR", sample), graph.input("Points")
        index = graph.node("GeometryNodeInputIndex")
        before = graph.math("ADD", graph.math("MULTIPLY", first, count), index)
        return Sampler(graph, before, graph.math("ADD", before, count), graph.math("SUBTRACT", sample, first))

    def vector(self, field: NodeSocket) -> NodeSocket:
        """Return a vector attribute at the current time."""
        first, second = (self._at(index, field, "FLOAT_VECTOR") for index in (self.before, self.after))
        return self.graph.mix(self.share, first, second)

    def number(self, field: NodeSocket) -> NodeSocket:
        """Return a number attribute at the current time."""
        first, second = (self._at(index, field, "FLOAT") for index in (self.before, self.after))
        step = self.graph.math("MULTIPLY", self.share, self.graph.math("SUBTRACT", second, first))
        return self.graph.math("ADD", first, step)

    def points(self, kept: dict[str, NodeSocket] | None = None) -> NodeSocket:
        """Return the points that are seen now, at their positions.

        kept: fields to store by attribute name, because indices change when points are deleted
        """
        graph = self.graph
        position = self.vector(graph.node("GeometryNodeInputPosition"))
        points = graph.node("GeometryNodePoints", {"Count": graph.input("Points"), "Position": position})
        for name, field in (kept or {}).items():
            points = graph.store(points, name, field)
        unseen = graph.math("LESS_THAN", self.number(graph.attribute(SEEN)), SURE)
        return graph.node("GeometryNodeDeleteGeometry", {"Geometry": points, "Selection": unseen})

    def _at(self, index: NodeSocket, field: NodeSocket, kind: str) -> NodeSocket:
        inputs = {"Geometry": self.graph.input("Geometry"), "Value": field, "Index": index}
        return self.graph.node("GeometryNodeSampleIndex", inputs, data_type=kind, clamp=True)


@dataclass(frozen=True)
class Band:
    """A colour for errors above a distance [m]; the highest band that is reached is used."""

    above_m: float
    name: str
    colour: tuple[float, float, float]


UNFITTED = -1.0
"""Error of a marker that no fit has used [m]."""

BANDS = (
    Band(-2.0, "Heft Marker", (0.75, 0.75, 0.75)),
    Band(-0.5, "Heft Marker Good", (0.10, 0.60, 0.15)),
    # OpenSim's rule of thumb for inverse kinematics: 2 cm is the most that a good fit has.
    Band(0.01, "Heft Marker Fair", (0.90, 0.60, 0.05)),
    Band(0.02, "Heft Marker Bad", (0.85, 0.05, 0.05)),
)
CHOSEN = Band(0.0, "Heft Marker Chosen", (0.05, 0.35, 1.0))
FORCE = Band(0.0, "Heft Force", (0.95, 0.80, 0.10))
PLATE = Band(0.0, "Heft Force Plate", (0.30, 0.32, 0.38))


def material(band: Band) -> Material:
    """Return the material of a band; one that is already in the file is used unchanged."""
    found: Material | None = bpy.data.materials.get(band.name)
    if found is not None:
        return found
    made = bpy.data.materials.new(band.name)
    made.diffuse_color = (*band.colour, 1.0)
    return made


MARKER_GROUP = "Heft Markers"
ERROR = "error"
"""Attribute of samples: how far the fitted body is from the marker [m]."""
NUMBER = "marker"
"""Attribute of balls: which marker it is, counted from 0."""


def marker_group() -> NodeTree:
    """Return the node group that shows markers as balls."""
    return existing_group(MARKER_GROUP) or _make_marker_group()


def _make_marker_group() -> NodeTree:
    graph = NodeGraph(MARKER_GROUP, {**INPUTS, "Size": "Float", "Chosen": "Int"})
    sampler = Sampler.of(graph)
    kept = {ERROR: sampler.number(graph.attribute(ERROR)), NUMBER: graph.node("GeometryNodeInputIndex")}
    radius = graph.math("MULTIPLY", graph.input("Size"), 0.5)
    ball = graph.node("GeometryNodeMeshIcoSphere", {"Radius": radius, "Subdivisions": 2})
    placed = graph.node("GeometryNodeInstanceOnPoints", {"Points": sampler.points(kept), "Instance": ball})
    balls = graph.node("GeometryNodeRealizeInstances", {"Geometry": placed})
    for band in BANDS:
        reached = graph.math("GREATER_THAN", graph.attribute(ERROR), band.above_m)
        balls = graph.painted(balls, material(band), reached)
    apart = graph.math("ABSOLUTE", graph.math("SUBTRACT", graph.attribute(NUMBER), graph.input("Chosen")))
    return graph.finish(graph.painted(balls, material(CHOSEN), graph.math("LESS_THAN", apart, 0.5)))


FORCE_GROUP = "Heft Forces"
FORCE_VECTOR = "force"
"""Attribute of samples [N]."""
CORNER = "corner"
"""Attribute of the mesh's points: 1 for corners of plates, which follow the samples, else 0."""


def force_group() -> NodeTree:
    """Return the node group that shows force plates and forces."""
    return existing_group(FORCE_GROUP) or _make_force_group()


def _make_force_group() -> NodeTree:
    graph = NodeGraph(FORCE_GROUP, {**INPUTS, "Length per Newton": "Float", "Thickness": "Float"})
    samples = graph.math("LESS_THAN", graph.attribute(CORNER), 0.5)
    inputs = {"Geometry": graph.input("Geometry"), "Selection": samples}
    plates = graph.painted(graph.node("GeometryNodeDeleteGeometry", inputs), material(PLATE))
    return graph.finish(graph.joined(plates, graph.painted(_sticks(graph), material(FORCE))))


def _sticks(graph: NodeGraph) -> NodeSocket:
    """Return a stick for each force, starting at its point of application."""
    sampler = Sampler.of(graph)
    force = sampler.vector(graph.attribute(FORCE_VECTOR, "FLOAT_VECTOR"))
    feet = graph.node("GeometryNodePointsToVertices", {"Points": sampler.points({FORCE_VECTOR: force})})
    inputs = {
        "Mesh": feet,
        "Offset": graph.attribute(FORCE_VECTOR, "FLOAT_VECTOR"),
        "Offset Scale": graph.input("Length per Newton"),
    }
    edges = graph.node("GeometryNodeExtrudeMesh", inputs, mode="VERTICES")
    radius = graph.math("MULTIPLY", graph.input("Thickness"), 0.5)
    round_ = graph.node(
        "GeometryNodeCurvePrimitiveCircle", {"Resolution": 8, "Radius": radius}, mode="RADIUS"
    )
    lines = graph.node("GeometryNodeMeshToCurve", {"Mesh": edges})
    return graph.node("GeometryNodeCurveToMesh", {"Curve": lines, "Profile Curve": round_, "Fill Caps": True})
