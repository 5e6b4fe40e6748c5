"""The model that a result's meta holds: packed as text, and read back from results of strangers.

MJCF can name other files, repeat its parts a million times and ask for memory. What is read here may only
describe what Heft itself writes into a result.
"""

from __future__ import annotations

import base64
import zlib
from xml.parsers import expat

import mujoco

from ..base.errors import SHOWN, InputError

MOST_BYTES = 64 * 2**20
MOST_ELEMENTS = 50_000
MOST_HEIGHTS = 4 * 10**6
"""Largest number of heights of one field."""
ELEMENTS = frozenset(
    (
        *(
            "mujoco",
            "compiler",
            "option",
            "flag",
            "size",
            "asset",
            "mesh",
            "hfield",
            "worldbody",
            "geom",
            "body",
        ),
        *("inertial", "joint", "freejoint", "contact", "exclude", "actuator", "general", "sensor"),
        *("site", "keyframe", "key"),
    )
)
"""All elements of Heft's models; MJCF's others read files, repeat parts or load code."""
ATTRIBUTES = {
    "size": {"nkey"},
    "mesh": {"name", "vertex", "face", "scale", "inertia", "maxhullvert", "refpos", "refquat"},
    "hfield": {"name", "size", "nrow", "ncol", "elevation"},
}
"""All attributes of the elements that could ask for memory or name a file."""


def packed(content: bytes) -> str:
    """Return content as the text that a result's meta holds."""
    return base64.b64encode(zlib.compress(content, 9)).decode("ascii")


def unpacked(text: str | None) -> bytes:
    """Return the content of a text that a result's meta holds."""
    if text is None:
        raise InputError("The result holds no model: simulate it again, or give the motion it was made from.")
    try:
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
    except (ValueError, zlib.error) as problem:
        raise InputError(f"The result's model is broken ({problem}); simulate it again.") from problem
    if not unpacker.eof:
        too_large = f"it has more than {MOST_BYTES / 1e6:.0f} MB"
        what = too_large if len(content) == MOST_BYTES else "it is cut off"
        raise InputError(f"The result's model is broken ({what}); simulate it again.")
    return content


def stored_mjcf(text: str | None) -> str:
    """Return the MJCF of a result's meta, if it only describes bodies, joints and shapes."""
    content = unpacked(text)
    try:
        _Check().run(content)
        return content.decode("utf-8")
    except (expat.ExpatError, ValueError) as problem:
        raise _broken(problem) from problem


def stored_mjspec(mjcf: str) -> tuple[mujoco.MjSpec, mujoco.MjModel]:
    """Return the description in an MJCF text, and its compiled model."""
    try:
        described = mujoco.MjSpec.from_string(mjcf)
        return described, described.compile()
    except (ValueError, mujoco.FatalError) as problem:
        raise _broken(problem) from problem


def _broken(problem: Exception) -> InputError:
    cause = " ".join(str(problem).split())[:200]
    return InputError(f"The model in the result cannot be used ({cause}); simulate the motion again.")


class _Check:
    """Walks through MJCF and raises a ValueError at the first thing that Heft does not write."""

    def __init__(self) -> None:
        self._elements = 0
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._element
        self._parser.StartDoctypeDeclHandler = self._doctype

    def run(self, content: bytes) -> None:
        self._parser.Parse(content, True)

    def _doctype(self, *_: object) -> None:
        raise ValueError("it defines entities")

    def _element(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        line = self._parser.CurrentLineNumber
        if self._elements > MOST_ELEMENTS:
            raise ValueError(f"it has more than {MOST_ELEMENTS} elements")
        if name not in ELEMENTS:
            raise ValueError(f"line {line} has a '{name[:SHOWN]}', which is not part of a body or a scene")
        given = set(attributes)
        extra = (given - ATTRIBUTES.get(name, given)) | (given & {"file"})
        if extra:
            raise ValueError(f"line {line} gives a {name} the attribute '{min(extra)[:SHOWN]}'")
        if name == "hfield":
            heights = int(attributes.get("nrow", "0")) * int(attributes.get("ncol", "0"))
            if not 0 < heights <= MOST_HEIGHTS:
                raise ValueError(f"line {line} has a field of {heights} heights")
