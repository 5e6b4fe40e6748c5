"""A strip of poses of a body with a tail: as it is animated, and as it swings."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sim_core.bake.pipeline import bake
from sim_core.base.conventions import FloatArray
from sim_core.drawing.camera import Camera, Picture, Stroke
from sim_core.recognition import recognise
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings

from ..common.motions import motion_of
from ..soft.attach import with_tail
from ..soft.trials import soft_parts

CLIP = "13_11"
"""A jump."""
WIDTH_M = 0.05
"""Of the tail at its root; it ends in a point [m]."""


@dataclass(frozen=True, eq=False)
class TailPictures:
    """A result with a tail, and the joints of the tail at the samples of the source (F, n, 3) [m]."""

    result: Result
    animated: FloatArray
    simulated: FloatArray

    @staticmethod
    def baked() -> TailPictures:
        """Simulate a jump with a tail."""
        motion, mapping = motion_of(CLIP)
        motion = with_tail(motion, recognise(motion.skeleton).bones["hips"][0])
        settings = BakeSettings(assist_cap=0.0, find_assist=False)
        result = bake(Job(motion, mapping, settings, soft=soft_parts(motion, colliding=False)))
        names = [str(name) for name in result.bone_name]
        bones = result.meta.soft[0].bones
        scale, offset = result.meta.character.scale, np.array(result.meta.character.offset)
        new = result.bone_position[:, [names.index(bone) for bone in bones]]
        own = motion.position_world[:, [motion.skeleton.index[bone] for bone in bones]]
        return TailPictures(result, scale * own + offset, scale * new + offset)

    def with_tails(self, camera: Camera, picture: Picture) -> Picture:
        """Return a picture with the tails behind the bodies."""
        sample = int(np.argmin(np.abs(self.result.source_time - self.result.source_time[0] - picture.at_s)))
        source, new = (self._strokes(camera, own[sample]) for own in (self.animated, self.simulated))
        return replace(picture, source=(*source, *picture.source), result=(*new, *picture.result))

    def _strokes(self, camera: Camera, joints: FloatArray) -> list[Stroke]:
        """Return a tail that goes on over its last joint, and becomes thinner."""
        points = camera.view.flat(np.vstack([joints, 2.0 * joints[-1] - joints[-2]]))
        widths = camera.size * WIDTH_M * np.linspace(1.0, 0.4, len(joints))
        return [
            Stroke(float(a[0]), -float(a[1]), float(b[0]), -float(b[1]), float(width))
            for a, b, width in zip(points[:-1], points[1:], widths, strict=True)
        ]
