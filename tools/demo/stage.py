"""A Blender scene in which mannequins are baked by Heft, among objects with roles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import Any

import bmesh
import bpy
from mathutils import Matrix

from sim_core.motion.motion import Motion

from .body import Body
from .figure import Colour, material
from .mannequin import FIRST_FRAME, FPS, build_mannequin, write_action

Vector = tuple[float, float, float]
GROUND_COLOUR: Colour = (0.80, 0.82, 0.85, 1.0)
OBJECT_COLOUR: Colour = (0.86, 0.46, 0.30, 1.0)


@dataclass
class Stage:
    """One scene of the demo.

    shown: figures and objects that are seen in pictures; metrics: figures of each bake, by the rig's name
    tallest_m: of its figures [m]
    """

    scene: bpy.types.Scene
    tallest_m: float = 0.0
    shown: list[bpy.types.Object] = field(default_factory=list)
    metrics: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def new(cls, name: str) -> Stage:
        """Make an empty scene and go there."""
        scene = bpy.data.scenes.new(name)
        bpy.context.window.scene = scene
        scene.render.fps = FPS
        scene.frame_start = FIRST_FRAME
        return cls(scene)

    def figure(self, name: str, body: Body, palette: str, at: Vector = (0.0, 0.0, 0.0)) -> bpy.types.Object:
        """Add a mannequin; return its rig."""
        rig = build_mannequin(f"{self.scene.name} {name}", body, palette)
        rig.location = at
        self.shown.append(rig.children[0])
        self.tallest_m = max(self.tallest_m, body.height)
        return rig

    @property
    def rig(self) -> bpy.types.Object:
        """The rig of the first figure."""
        return next(obj.parent for obj in self.shown if obj.parent is not None)

    def act(self, rig: bpy.types.Object, motion: Motion) -> Any:
        """Give a rig a motion of its own body, and the scene its length; return the action."""
        self.scene.frame_end = FIRST_FRAME + len(motion.time) - 1
        write_action(rig, self.scene.name, motion, _compat())
        return _compat().action_of(rig)

    def play(self, rig: bpy.types.Object, action: Any) -> None:
        """Let a rig play an action that another one has, too."""
        _compat().assign_action(rig.animation_data_create(), action)

    def box(self, name: str, size: Vector, at: Vector, role: str, pitch: float = 0.0) -> bpy.types.Object:
        """Add a box with a role; at: the middle of its top; pitch: about Y, downwards ahead [rad]."""
        mesh = bmesh.new()
        bmesh.ops.create_cube(mesh, size=1.0, matrix=Matrix.Diagonal((*size, 1.0)))
        bmesh.ops.translate(mesh, verts=mesh.verts, vec=(0.0, 0.0, -0.5 * size[2]))
        box = self._object(name, mesh, GROUND_COLOUR if role == "GROUND" else OBJECT_COLOUR, role)
        box.location, box.rotation_euler.y = at, pitch
        return box

    def ball(self, name: str, radius: float, at: Vector, mass_kg: float) -> bpy.types.Object:
        """Add a ball that is thrown; its launch is set by the caller."""
        mesh = bmesh.new()
        bmesh.ops.create_uvsphere(mesh, u_segments=24, v_segments=16, radius=radius)
        ball = self._object(name, mesh, OBJECT_COLOUR, "PROJECTILE")
        ball.location, ball.heft_object.mass = at, mass_kg
        return ball

    def _object(self, name: str, mesh: bmesh.types.BMesh, colour: Colour, role: str) -> bpy.types.Object:
        data = bpy.data.meshes.new(name)
        mesh.to_mesh(data)
        mesh.free()
        data.materials.append(material(f"demo {role.lower()}", colour))
        added = bpy.data.objects.new(f"{self.scene.name} {name}", data)
        self.scene.collection.objects.link(added)
        added.heft_object.role = role
        self.shown.append(added)
        return added

    def simulate(self, rigs: Sequence[bpy.types.Object]) -> None:
        """Bake as the Simulate button does, each rig alone and without any outside force."""
        options = import_module("heft.addon.bake.bake_options")
        job = import_module("heft.addon.bake.bake_job")
        for rig in rigs:
            rig.heft.assist_cap, rig.heft_parts.loop = 0.0, "OFF"
            alone = options.Participant(rig, options.options_of(bpy.context, rig))
            (report,) = job.bake_and_wait(bpy.context, [alone])
            found = {} if report.metrics is None else asdict(report.metrics)
            self.metrics[rig.name] = {"fell_frame": report.fell_frame, "notes": list(report.notes), **found}

    def retarget(self, source: bpy.types.Object, target: bpy.types.Object) -> None:
        """Carry the motion of one rig over to another, as the Retarget button does."""
        bpy.context.view_layer.objects.active = target
        target.heft_retarget.source = source
        bpy.ops.heft.retarget()


def _compat() -> Any:
    return import_module("heft.addon.blender.compat")
