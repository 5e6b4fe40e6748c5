"""Objects that a scene has where a motion needs a support: the motion is moved to meet them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..scene.scene import Role, Scene, SceneObject
from ..scene.shapes import Box
from ..world.ground import SceneGround

FARTHEST, STEP = 0.1, 0.0125
"""Largest distance that a motion is moved sideways to meet an object, and steps in which it is tried [m]."""
RISE = 0.06
"""Largest difference in height between a support and an object that stands in for it [m]."""
EVEN = 0.01
"""Largest unevenness of an object under a support [m]."""
CORE = 0.7
"""Share of a support's length and width that must be on the object: what rests, without the margins."""
GRID = np.linspace(-1.0, 1.0, 5)


@dataclass(frozen=True, eq=False)
class SceneMatch:
    """An object that stands in for a support.

    offset (3): from the support to where it is met on the object, its height included [m]
    """

    support: SceneObject
    object: SceneObject
    offset: FloatArray

    @property
    def sentence(self) -> str:
        """Say that the object is used, and how far it is from where the motion was captured."""
        aside, higher = 100.0 * float(np.linalg.norm(self.offset[:2])), 100.0 * float(self.offset[2])
        height = f"{abs(higher):.0f} cm {'higher' if higher > 0.0 else 'lower'} than"
        level = "as high as" if abs(higher) < 0.5 else height
        moved = f"; the motion is moved by {aside:.0f} cm to meet it" if aside >= 0.5 else ""
        return (
            f"'{self.object.name}' is used as '{self.support.name}': it is {level} the captured one{moved}."
        )


def match_scene(scene: Scene, supports: Sequence[SceneObject]) -> list[SceneMatch]:
    """Return the objects of a scene that stand in for supports, all met by one sideways offset."""
    still = [own for own in scene.objects if own.role in (Role.GROUND, Role.OBSTACLE) and not own.captured]
    if not still or not supports:
        return []
    ground = SceneGround(Scene(tuple(still), floor=False), 0.0)
    best: list[SceneMatch] = []
    for aside in _offsets():
        found = [match for own in supports if (match := _met(ground, still, own, aside)) is not None]
        if len(found) > len(best):  # offsets come nearest first
            best = found
    return best


def _offsets() -> list[FloatArray]:
    """Return the offsets (2) to try, the nearest first [m]."""
    most = round(FARTHEST / STEP)
    line = STEP * np.arange(-most, most + 1)  # with a zero that is exact
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    distance = np.linalg.norm(grid, axis=1)
    return list(grid[np.argsort(distance, kind="stable")][: int((distance < FARTHEST + 1e-9).sum())])


def _met(
    ground: SceneGround, still: Sequence[SceneObject], support: SceneObject, aside: FloatArray
) -> SceneMatch | None:
    """Return the match of a support that is moved sideways (2); None where no even surface is there."""
    assert isinstance(support.shape, Box)
    half = support.shape.half_size
    x, y = np.meshgrid(CORE * half[0] * GRID, CORE * half[1] * GRID)
    local = np.stack([x.ravel(), y.ravel(), np.full(x.size, half[2])], axis=1)
    points = rotations.rotate(support.quaternion, local) + support.position + [*aside, 0.0]
    below = ground.below(points, headroom=RISE)
    above, indices = below.height - points[:, 2], np.unique(below.object)
    if len(indices) > 1 or indices[0] < 0 or np.ptp(above) > EVEN:
        return None
    higher = float(np.median(above))
    if abs(higher) > RISE:
        return None
    return SceneMatch(support, still[int(indices[0])], np.array([*aside, higher]))


def with_matches(scene: Scene, matches: Sequence[SceneMatch]) -> Scene:
    """Return the scene in which the objects that are used count as captured."""
    used = {match.object.name for match in matches}
    objects = (replace(own, captured=True) if own.name in used else own for own in scene.objects)
    return replace(scene, objects=tuple(objects))
