"""The node group that shows a take's markers as balls."""

from __future__ import annotations

from bpy.types import NodeTree

from .colours import BANDS, CHOSEN, material
from .node_graph import NodeGraph, existing_group
from .sample_nodes import INPUTS, Sampler

NAME = "Heft Markers"
ERROR = "error"
"""Attribute of samples: how far the fitted body is from the marker [m]."""
NUMBER = "marker"
"""Attribute of balls: which marker it is, counted from 0."""


def marker_group() -> NodeTree:
    return existing_group(NAME) or _make()


def _make() -> NodeTree:
    graph = NodeGraph(NAME, {**INPUTS, "Size": "Float", "Chosen": "Int"})
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
