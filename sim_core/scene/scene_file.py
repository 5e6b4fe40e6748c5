"""JSON of scenes, in a file or inside a job (docs/scene-file.md)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar

from ..base.errors import InputError
from ..base.files import AnyPath, names_its_file
from ..base.json_files import check_json_objects, dataclass_from_json, read_json_file
from ..base.npz_file import FORMAT_KEY, SCHEMA_KEY, refuse_other_format
from .scene import Hinge, Keys, Launch, Passing, Push, Role, Scene, SceneObject
from .shapes import SHAPES, Shape

FORMAT = "heft-scene"
SCHEMA = 1
ENTRIES = (FORMAT_KEY, SCHEMA_KEY, "objects", "pushes", "floor", "floor_height")
MOST_HEIGHT = 10000.0
"""Farthest that a floor may be from height zero, above or below [m]."""

Choice = TypeVar("Choice", bound=Enum)


@names_its_file
def load_scene(path: AnyPath) -> Scene:
    """Read the scene in a file; any fault in it raises an InputError."""
    return scene_from_dict(read_json_file(path, "scene"), f"'{path}'")


def scene_to_dict(scene: Scene) -> dict[str, Any]:
    """Return a scene as JSON data."""
    return {
        FORMAT_KEY: FORMAT,
        SCHEMA_KEY: SCHEMA,
        "objects": [_object_to_dict(o) for o in scene.objects],
        "pushes": [dataclasses.asdict(push) for push in scene.pushes],
        "floor": scene.floor,
        "floor_height": scene.floor_height,
    }


def scene_from_dict(data: Mapping[str, Any], where: str) -> Scene:
    """Return the scene in JSON data; `where` names its source in error messages."""
    refuse_other_format(data, FORMAT, SCHEMA, where)
    unknown = next((name for name in data if name not in ENTRIES), None)
    if unknown is not None:
        raise InputError(f"{where} has the entry '{unknown}', which is unknown; use {', '.join(ENTRIES)}.")
    objects = check_json_objects("objects", data.get("objects"), where)
    pushes = check_json_objects("pushes", data.get("pushes", []), where)
    floor = data.get("floor")
    if floor is not None and not isinstance(floor, bool):
        raise InputError(f"The floor of {where} is {floor!r}; it must be true, false or left out.")
    height = data.get("floor_height")
    if height is not None and (isinstance(height, bool) or not isinstance(height, (int, float))):
        raise InputError(f"The floor_height of {where} is {height!r}; it must be a number or left out.")
    if height is not None and abs(height) > MOST_HEIGHT:
        raise InputError(f"The floor_height of {where} is {height:g} m; {MOST_HEIGHT:g} m is the most.")
    return Scene(
        tuple(_object_from_dict(o, number, where) for number, o in enumerate(objects, 1)),
        tuple(
            dataclass_from_json(Push, p, f"Push {number} of {where}") for number, p in enumerate(pushes, 1)
        ),
        floor,
        None if height is None else float(height),
    )


def _object_to_dict(obj: SceneObject) -> dict[str, Any]:
    data = {f.name: getattr(obj, f.name) for f in dataclasses.fields(obj)}
    data["role"], data["passing"] = obj.role.value, obj.passing.value
    data["shape"] = {"kind": obj.shape.kind} | dataclasses.asdict(obj.shape)
    for name in ("keys", "hinge", "launch"):
        if data[name] is None:
            del data[name]
        else:
            data[name] = dataclasses.asdict(data[name])
    return data


def _object_from_dict(data: dict[str, Any], number: int, where: str) -> SceneObject:
    name = data.get("name")
    if not isinstance(name, str) or not name:
        raise InputError(f"Object {number} of {where} has no 'name'; give it one.")
    label = f"'{name}' of {where}"
    try:
        values = dict(data)
        values["role"] = _member(Role, "role", values.get("role"))
        values["passing"] = _member(Passing, "passing", values.get("passing", Passing.AUTO.value))
        values["shape"] = _shape(values.get("shape"))
        for part, kind in (("keys", Keys), ("hinge", Hinge), ("launch", Launch)):
            if part in values:
                values[part] = dataclass_from_json(kind, values[part], f"The '{part}'")
        obj: SceneObject = dataclass_from_json(SceneObject, values, "It")
    except InputError as problem:
        raise InputError(f"{label}: {problem}") from problem
    return obj


def _member(kind: type[Choice], label: str, value: object) -> Choice:
    """Return the member of an enumeration that has a value."""
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(member.value for member in kind)
        raise InputError(f"The {label} '{value}' is unknown; choose one of {known}.") from None


def _shape(value: object) -> Shape:
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(value, dict) or kind not in SHAPES:
        raise InputError(f"The shape's kind '{kind}' is unknown; choose one of {', '.join(SHAPES)}.")
    shape: Shape = dataclass_from_json(
        SHAPES[kind], {k: v for k, v in value.items() if k != "kind"}, f"The {kind}"
    )
    return shape
