"""The forms of a character's bodies as they are shown: about their centres of mass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .spec import Box, Capsule, CharacterSpec


@dataclass(frozen=True, eq=False)
class BodyForm:
    """What touches of one body, in its own axes about its centre of mass [m].

    joint (3): where it hangs on the body above
    """

    joint: np.ndarray
    capsules: tuple[Capsule, ...]
    boxes: tuple[Box, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "joint": self.joint.tolist(),
            "capsules": [
                {"start": c.start.tolist(), "end": c.end.tolist(), "radius": float(c.radius)}
                for c in self.capsules
            ],
            "boxes": [{"centre": b.centre.tolist(), "half_size": b.half_size.tolist()} for b in self.boxes],
        }

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> BodyForm:
        return BodyForm(
            np.array(values["joint"]),
            tuple(
                Capsule(np.array(c["start"]), np.array(c["end"]), float(c["radius"]))
                for c in values["capsules"]
            ),
            tuple(Box(np.array(b["centre"]), np.array(b["half_size"])) for b in values["boxes"]),
        )


def body_forms(spec: CharacterSpec) -> tuple[BodyForm, ...]:
    """Of all segments, in their order."""
    forms = []
    for segment in spec:
        capsules, boxes = [], []
        for shape in segment.shapes:
            if isinstance(shape, Capsule):
                capsules.append(Capsule(shape.start - segment.com, shape.end - segment.com, shape.radius))
            else:
                boxes.append(Box(shape.centre - segment.com, shape.half_size))
        forms.append(BodyForm(-np.asarray(segment.com), tuple(capsules), tuple(boxes)))
    return tuple(forms)
