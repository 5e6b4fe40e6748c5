"""The scene around the mannequins: floor, shadows, camera, light, Workbench."""

from __future__ import annotations

import bmesh
import bpy
from mathutils import Matrix, Vector

from .figure import material

LIGHT_LEAN = (0.25, 0.32)
"""Length of shadows along X and Y per metre of height."""
SHADOW_HEIGHT = 0.004
SKY = (0.90, 0.92, 0.945)

Position = tuple[float, float, float]


def use_workbench(scene: bpy.types.Scene, width: int, height: int) -> None:
    """Set fast rendering without a graphics card: no shadow volumes, no cavity."""
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.render.resolution_percentage = 100
    shading = scene.display.shading
    shading.light, shading.studio_light, shading.color_type = "STUDIO", "paint.sl", "MATERIAL"
    shading.show_shadows = shading.show_cavity = False
    shading.show_backface_culling = True  # or the two sides of flattened shadows mix
    scene.display.render_aa = "5"
    scene.render.dither_intensity = 0.0  # noise makes pictures four times as large
    scene.view_settings.view_transform = "Standard"
    scene.world = bpy.data.worlds.get("sky") or bpy.data.worlds.new("sky")
    scene.world.color = SKY


def build_floor(ahead: float = 20.0, aside: float = 14.0, tile: float = 0.5) -> None:
    """Build a checkered floor at height 0, from -ahead to ahead along X and -aside to aside along Y."""
    columns, rows = int(2 * ahead / tile), int(2 * aside / tile)
    bm = bmesh.new()
    grid = [
        [bm.verts.new((tile * i - ahead, tile * j - aside, 0.0)) for j in range(rows + 1)]
        for i in range(columns + 1)
    ]
    for i in range(columns):
        for j in range(rows):
            face = bm.faces.new((grid[i][j], grid[i + 1][j], grid[i + 1][j + 1], grid[i][j + 1]))
            face.material_index = (i + j) % 2
    mesh = bpy.data.meshes.new("floor")
    bm.to_mesh(mesh)
    bm.free()
    mesh.materials.append(material("floor light", (1.0, 1.0, 1.0, 1.0)))
    mesh.materials.append(material("floor dark", (0.90, 0.91, 0.925, 1.0)))
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("floor", mesh))


def build_camera(position: Position, look_at: Position, lens_mm: float) -> bpy.types.Object:
    """Build a camera that looks at a point, for the scene."""
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.lens = lens_mm
    camera.data.clip_start = 2.0  # or far shadows flicker through the floor
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    towards = (Vector(look_at) - Vector(position)).to_track_quat("-Z", "Y")
    camera.matrix_world = Matrix.Translation(position) @ towards.to_matrix().to_4x4()
    return camera


def follow(camera: bpy.types.Object, rig: bpy.types.Object) -> None:
    """Keep the camera's distance along X from the rig's hips."""
    constraint = camera.constraints.new("COPY_LOCATION")
    constraint.target, constraint.subtarget = rig, "hips"
    constraint.use_y = constraint.use_z = False
    constraint.use_offset = True


def build_shadow(figure: bpy.types.Object) -> bpy.types.Object:
    """Build a flat dark copy of a figure on the floor by geometry nodes, which follows the motion."""
    shadow = bpy.data.objects.new(f"{figure.name} shadow", bpy.data.meshes.new("shadow"))
    bpy.context.scene.collection.objects.link(shadow)
    modifier = shadow.modifiers.new("Shadow", "NODES")
    modifier.node_group = _shadow_nodes(figure)
    shadow.hide_select = True
    return shadow


def _shadow_nodes(figure: bpy.types.Object) -> bpy.types.NodeTree:
    tree = bpy.data.node_groups.new("Shadow", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    nodes, link = tree.nodes, tree.links.new
    source = nodes.new("GeometryNodeObjectInfo")
    source.transform_space = "RELATIVE"
    source.inputs["Object"].default_value = figure
    split, join = nodes.new("ShaderNodeSeparateXYZ"), nodes.new("ShaderNodeCombineXYZ")
    link(nodes.new("GeometryNodeInputPosition").outputs[0], split.inputs[0])
    for axis, lean in enumerate(LIGHT_LEAN):
        shift = nodes.new("ShaderNodeMath")
        shift.operation = "MULTIPLY_ADD"
        shift.inputs[1].default_value = lean
        link(split.outputs[2], shift.inputs[0])
        link(split.outputs[axis], shift.inputs[2])
        link(shift.outputs[0], join.inputs[axis])
    join.inputs[2].default_value = SHADOW_HEIGHT
    flatten, paint = nodes.new("GeometryNodeSetPosition"), nodes.new("GeometryNodeSetMaterial")
    paint.inputs["Material"].default_value = material("shadow", (0.62, 0.64, 0.68, 1.0))
    link(source.outputs["Geometry"], flatten.inputs["Geometry"])
    link(join.outputs[0], flatten.inputs["Position"])
    flat = nodes.new("GeometryNodeSetShadeSmooth")
    flat.inputs["Shade Smooth"].default_value = False
    link(flatten.outputs[0], flat.inputs[0])
    link(flat.outputs[0], paint.inputs["Geometry"])
    link(paint.outputs[0], nodes.new("NodeGroupOutput").inputs[0])
    return tree
