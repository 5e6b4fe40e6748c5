"""What the animator wants of a retargeting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

from ..errors import InputError
from ..json_text import made, objects_in
from .reach import Reach


class Feet(Enum):
    """FIT: feet keep their places in stances, unless source and target are one and the same body
    LOCK: they do so on any body, and what skates in the source is taken out; FREE: only the style counts
    """

    FIT = "fit"
    LOCK = "lock"
    FREE = "free"


@dataclass(frozen=True)
class RetargetOptions:
    """keep_path: same steps in the world; else the path grows with the legs

    scale_time: slower on longer legs, by the square root of their ratio; else the timing is kept
    hands: hands that meet or touch the body still do
    hold_hands: hands that stay at one place of the world in the source stay at one place
    reaches: places for hands and feet
    """

    keep_path: bool = False
    scale_time: bool = False
    feet: Feet = Feet.FIT
    hands: bool = True
    hold_hands: bool = False
    reaches: tuple[Reach, ...] = ()


def options_to_dict(options: RetargetOptions) -> dict[str, Any]:
    """As JSON has it."""
    values = {field.name: getattr(options, field.name) for field in fields(options)}
    reaches = [{field.name: getattr(one, field.name) for field in fields(one)} for one in options.reaches]
    return {**values, "feet": options.feet.value, "reaches": reaches}


def options_from_dict(data: Mapping[str, Any], where: str) -> RetargetOptions:
    """`where` names the source of the data in error messages."""
    values = dict(data)
    try:
        values["feet"] = Feet(values.get("feet"))
    except ValueError:
        known = ", ".join(feet.value for feet in Feet)
        raise InputError(f"What feet do in {where} is '{values['feet']}'; choose one of {known}.") from None
    reaches = objects_in("reaches", values.get("reaches"), where)
    values["reaches"] = tuple(made(Reach, one, f"A reach of {where}") for one in reaches)
    options: RetargetOptions = made(RetargetOptions, values, f"The options of {where}")
    return options
