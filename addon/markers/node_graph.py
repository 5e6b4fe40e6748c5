"""Builds geometry node groups from expressions."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Material, NodeSocket, NodeTree

Value = NodeSocket | float
"""An input's value: another node's output or a number."""

VERSION = 1
"""Version of the groups that Heft makes; groups of other versions in a file stay as they are."""
VERSION_KEY = "heft_version"


def existing_group(name: str) -> NodeTree | None:
    """Return the group of this name that an earlier import made."""
    groups = (group for group in bpy.data.node_groups if group.name.split(".")[0] == name)
    return next((group for group in groups if group.get(VERSION_KEY) == VERSION), None)


class NodeGraph:
    """A new group; each method adds a node and returns its first output."""

    def __init__(self, name: str, inputs: dict[str, str]) -> None:
        """Make the group; inputs maps names to kinds of numbers ("Int" or "Float"), after the geometry."""
        # The stubs know trees of all kinds by their base class.
        self.tree: Any = bpy.data.node_groups.new(name, "GeometryNodeTree")
        self.tree[VERSION_KEY] = VERSION
        self._socket("Geometry", "INPUT", "Geometry")
        for label, kind in inputs.items():
            self._socket(label, "INPUT", kind)
        self._socket("Geometry", "OUTPUT", "Geometry")
        self._inputs = self.tree.nodes.new("NodeGroupInput").outputs
        self._output = self.tree.nodes.new("NodeGroupOutput").inputs["Geometry"]

    def input(self, name: str) -> NodeSocket:
        """Return an input of the group."""
        return self._inputs[name]

    def finish(self, geometry: NodeSocket) -> NodeTree:
        """Connect the group's output and return the group."""
        self.tree.links.new(geometry, self._output)
        return self.tree

    def node(self, kind: str, inputs: dict[str, Any] | None = None, **settings: Any) -> NodeSocket:
        """Add a node; inputs maps socket names to values or outputs of other nodes."""
        node = self.tree.nodes.new(kind)
        for name, value in settings.items():
            setattr(node, name, value)
        for name, value in (inputs or {}).items():
            self._feed(_enabled(node.inputs, name), value)
        return next(socket for socket in node.outputs if socket.enabled)

    def math(self, operation: str, first: Value, second: Value = 0.0) -> NodeSocket:
        """Add a math node."""
        node = self.tree.nodes.new("ShaderNodeMath")
        node.operation = operation
        self._feed(node.inputs[0], first)
        self._feed(node.inputs[1], second)
        return node.outputs[0]

    def attribute(self, name: str, kind: str = "FLOAT") -> NodeSocket:
        """Add a node that reads a named attribute."""
        return self.node("GeometryNodeInputNamedAttribute", {"Name": name}, data_type=kind)

    def store(self, geometry: NodeSocket, name: str, field: NodeSocket) -> NodeSocket:
        """Add a node that stores a vector or a number as an attribute of points."""
        kind = "FLOAT_VECTOR" if field.type == "VECTOR" else "FLOAT"
        inputs = {"Geometry": geometry, "Name": name, "Value": field}
        return self.node("GeometryNodeStoreNamedAttribute", inputs, data_type=kind)

    def joined(self, *parts: NodeSocket) -> NodeSocket:
        """Add a node that joins geometries."""
        node = self.tree.nodes.new("GeometryNodeJoinGeometry")
        for part in parts:
            self.tree.links.new(part, node.inputs[0])
        return node.outputs[0]

    def painted(self, geometry: NodeSocket, colour: Material, selection: Any = True) -> NodeSocket:
        """Add a node that sets the material of the selection."""
        inputs = {"Geometry": geometry, "Selection": selection, "Material": colour}
        return self.node("GeometryNodeSetMaterial", inputs)

    def mix(self, factor: Value, first: NodeSocket, second: NodeSocket) -> NodeSocket:
        """Add a node that mixes two vectors."""
        inputs = {"Factor": factor, "A": first, "B": second}
        return self.node("ShaderNodeMix", inputs, data_type="VECTOR", clamp_factor=True)

    def _socket(self, name: str, direction: str, kind: str) -> None:
        self.tree.interface.new_socket(name, in_out=direction, socket_type=f"NodeSocket{kind}")

    def _feed(self, socket: Any, value: Any) -> None:
        if isinstance(value, NodeSocket):
            self.tree.links.new(value, socket)
        else:
            socket.default_value = value


def _enabled(sockets: Any, name: str) -> Any:
    """Return the enabled socket of this name: some nodes have one for each type of data."""
    return next(socket for socket in sockets if socket.name == name and socket.enabled)
