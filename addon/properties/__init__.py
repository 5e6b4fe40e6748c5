"""What Heft keeps in the file, a file for each concept.

character       on the armature: who the character is
bake            on its object: how to bake, with dials; sequence and aims are its lists, outcome its result
scene_objects   on any object: what it is to the characters about it
progress        on the window manager: the job that runs now
attach          hangs the groups on Blender's types
"""

from __future__ import annotations

from . import aims, bake, character, dials, outcome, progress, scene_objects, sequence

# A group comes after the groups that it holds.
CLASSES = (
    *character.CLASSES,
    *outcome.CLASSES,
    *sequence.CLASSES,
    *aims.CLASSES,
    *dials.CLASSES,
    *bake.CLASSES,
    *scene_objects.CLASSES,
    *progress.CLASSES,
)
GROUPS = (*character.GROUPS, *bake.GROUPS, *scene_objects.GROUPS, *progress.GROUPS)
