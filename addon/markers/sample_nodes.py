"""The part that all of Heft's node groups share: points at the sample of the current time.

The mesh of a take holds all its samples, N points of the first one, then N of the second, and so on. The
group picks the two samples around the scene's time and mixes them, so a take of any rate plays at the
right speed in a scene of any frame rate. Before and after the take its ends are held. Points that are
not seen in both samples are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpy.types import NodeSocket

from .node_graph import NodeGraph

INPUTS = {"Points": "Int", "Samples": "Int", "Rate": "Float", "Start": "Float"}
"""Points of a sample, samples, samples a second, and the scene's time of the first sample [s]."""

SEEN = "seen"
"""Attribute of samples: 1 where the point was seen, else 0."""


SURE = 0.98
"""Seen for certain: single precision may put a whole sample a little before or after itself."""


@dataclass(frozen=True, eq=False)
class Sampler:
    """Reads attributes of the take's mesh at the current time.

    before, after: indices of a point in the samples around the time; share: of the one after
    """

    graph: NodeGraph
    before: NodeSocket
    after: NodeSocket
    share: NodeSocket

    @staticmethod
    def of(graph: NodeGraph) -> Sampler:
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
        """A vector of the samples, at the current time."""
        first, second = (self._at(index, field, "FLOAT_VECTOR") for index in (self.before, self.after))
        return self.graph.mix(self.share, first, second)

    def number(self, field: NodeSocket) -> NodeSocket:
        """A number of the samples, at the current time."""
        first, second = (self._at(index, field, "FLOAT") for index in (self.before, self.after))
        step = self.graph.math("MULTIPLY", self.share, self.graph.math("SUBTRACT", second, first))
        return self.graph.math("ADD", first, step)

    def points(self, kept: dict[str, NodeSocket] | None = None) -> NodeSocket:
        """The points that are seen now, each at its place.

        kept: fields of points by attribute name; a point's index is gone once others were deleted
        """
        graph = self.graph
        place = self.vector(graph.node("GeometryNodeInputPosition"))
        points = graph.node("GeometryNodePoints", {"Count": graph.input("Points"), "Position": place})
        for name, field in (kept or {}).items():
            points = graph.store(points, name, field)
        unseen = graph.math("LESS_THAN", self.number(graph.attribute(SEEN)), SURE)
        return graph.node("GeometryNodeDeleteGeometry", {"Geometry": points, "Selection": unseen})

    def _at(self, index: NodeSocket, field: NodeSocket, kind: str) -> NodeSocket:
        inputs = {"Geometry": self.graph.input("Geometry"), "Value": field, "Index": index}
        return self.graph.node("GeometryNodeSampleIndex", inputs, data_type=kind, clamp=True)
