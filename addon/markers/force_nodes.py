"""The node group that shows force plates and the forces on them."""

from __future__ import annotations

from bpy.types import NodeSocket, NodeTree

from .colours import FORCE, PLATE, material
from .node_graph import NodeGraph, existing_group
from .sample_nodes import INPUTS, Sampler

NAME = "Heft Forces"
FORCE_VECTOR = "force"
"""Attribute of samples [N]."""
CORNER = "corner"
"""Attribute of the mesh's points: 1 for corners of plates, which follow the samples, else 0."""


def force_group() -> NodeTree:
    return existing_group(NAME) or _make()


def _make() -> NodeTree:
    graph = NodeGraph(NAME, {**INPUTS, "Length per Newton": "Float", "Thickness": "Float"})
    samples = graph.math("LESS_THAN", graph.attribute(CORNER), 0.5)
    inputs = {"Geometry": graph.input("Geometry"), "Selection": samples}
    plates = graph.painted(graph.node("GeometryNodeDeleteGeometry", inputs), material(PLATE))
    return graph.finish(graph.joined(plates, graph.painted(_sticks(graph), material(FORCE))))


def _sticks(graph: NodeGraph) -> NodeSocket:
    """A stick for each force, from where it acts."""
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
