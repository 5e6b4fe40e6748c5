"""Generates Rigify's small human rig and saves it to the file that is named on the command line.

This is a program, because in Blender 4.2 Rigify must not run in the process of the tests: it reads
`bpy.context.layer_collection`, which makes the scene the owner of `bpy.context` for good. Once that scene
is freed, each assignment to `bpy.context.window.scene`, as in Blender's glTF importer, sets bits in memory
that is no longer the scene's, and Blender crashes much later and elsewhere.
"""

from __future__ import annotations

import os
import sys

import bpy


def main(path: str) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="rigify")
    bpy.ops.object.armature_basic_human_metarig_add()
    metarig = bpy.context.object
    bpy.ops.pose.rigify_generate()
    bpy.data.objects.remove(metarig)
    bpy.ops.preferences.addon_disable(module="rigify")
    bpy.ops.wm.save_as_mainfile(filepath=path)


if __name__ == "__main__":
    main(sys.argv[1])
    sys.stdout.flush()
    # Without a screen, the bpy module can crash while Python takes it down.
    os._exit(0)
