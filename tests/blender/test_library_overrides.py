"""Characters linked from another file: the bake goes onto their library override, and is saved with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from bpy.types import Object
from heft.addon.bake.bake_options import settings_of
from heft.addon.blender.library_overrides import character_of

from tests.blender.rigs import animate, humanoid

CHARACTER = "Character"


@pytest.fixture
def library(heft_registered: None, tmp_path: Path) -> Path:
    """A file with an animated humanoid in a collection; its armature knows its mass."""
    obj = humanoid()
    animate(obj)
    obj.data.heft.mass = 63.0
    collection = bpy.data.collections.new(CHARACTER)
    bpy.context.scene.collection.children.link(collection)
    bpy.context.scene.collection.objects.unlink(obj)
    collection.objects.link(obj)
    path = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return path


def linked_object(library: Path) -> Object:
    """The armature, linked as a single object."""
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.objects = ["Figure"]
    obj = bpy.data.objects["Figure"]
    bpy.context.scene.collection.objects.link(obj)
    return activated(obj)


def linked_collection(library: Path) -> Object:
    """An Empty that shows the linked collection, as File > Link makes it."""
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.collections = [CHARACTER]
    empty = bpy.data.objects.new(CHARACTER, None)
    empty.instance_type, empty.instance_collection = "COLLECTION", bpy.data.collections[CHARACTER]
    bpy.context.scene.collection.objects.link(empty)
    return activated(empty)


def activated(obj: Object) -> Object:
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    return obj


def overridden() -> Object:
    """Make the override of what is selected, as the menu does, and return its armature."""
    assert bpy.ops.object.make_override_library() == {"FINISHED"}
    return activated(local_armature())


def local_armature() -> Object:
    (found,) = (o for o in bpy.data.objects if o.type == "ARMATURE" and o.library is None)
    return found


def pass_through() -> set[str]:
    return set(bpy.ops.heft.simulate(simulate=False))


def test_a_linked_armature_is_refused_with_the_way_out(library: Path) -> None:
    linked_object(library)
    with pytest.raises(RuntimeError, match="Library Override > Make"):
        pass_through()


@pytest.mark.parametrize("link", [linked_object, linked_collection])
@pytest.mark.parametrize("own_data", [False, True])
def test_the_bake_goes_onto_the_override_and_is_saved(
    library: Path, link: Callable[[Path], Object], own_data: bool
) -> None:
    link(library)
    obj = overridden()
    if own_data:
        obj.data = obj.data.override_create(remap_local_usages=True)
    assert (obj.data.library is None) == own_data
    source = obj.animation_data.action
    assert source.library is not None, "the source stays in its own file"
    obj.heft.assist_cap = 4.0
    assert pass_through() == {"FINISHED"}

    baked, notes = obj.animation_data.action, [note.text for note in obj.heft.outcome.notes]
    assert baked.library is None and obj.heft.baked_action == baked
    assert len(obj.heft_report.parts) > 1
    parts = [part.words for part in obj.heft_report.parts]
    path = library.parent / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    obj = activated(local_armature())
    assert obj.animation_data.action == obj.heft.baked_action
    assert obj.heft.assist_cap == 4.0
    assert [note.text for note in obj.heft.outcome.notes] == notes
    assert [part.words for part in obj.heft_report.parts] == parts
    assert bpy.ops.heft.toggle_source() == {"FINISHED"}
    assert obj.animation_data.action.library is not None


def test_linked_data_keeps_its_own_values_and_the_override_gets_new_ones(library: Path) -> None:
    linked_object(library)
    obj = overridden()
    assert settings_of(obj).mass == 63.0, "of the linked file"
    character_of(obj).mass = 90.0
    assert settings_of(obj).mass == 90.0
    assert obj.data.heft.mass == 63.0
    assert bpy.ops.heft.recognise() == {"FINISHED"}
    assert len(obj.data.heft.rows) == 0, "linked data was changed, which no file keeps"
    assert any(row.bone for row in character_of(obj).rows)


def test_all_options_can_be_changed_on_an_override(library: Path) -> None:
    linked_object(library)
    obj = overridden()
    values = ("BOOLEAN", "INT", "FLOAT", "STRING", "ENUM")
    locked = [
        f"{name}.{member.identifier}"
        for name in ("heft", "heft_keys", "heft_parts", "heft_compare", "heft_retarget", "heft_character")
        for member in getattr(obj, name).bl_rna.properties
        if member.type in values
        and member.identifier != "name"  # Blender's own, which no group uses
        and getattr(obj, name).is_property_readonly(member.identifier)
    ]
    assert not locked
