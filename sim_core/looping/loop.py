"""A bake of a loop: the job that is simulated, and what is taken from its result."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..carried_poses import parents_among
from ..conventions import IntArray
from ..errors import InputError
from ..job import Job
from ..result import Result
from .close import closed
from .cycle import Cycle

SAME_TIME_S = 1e-9


@dataclass(frozen=True, eq=False)
class Loop:
    """A job whose motion is one cycle."""

    job: Job
    cycle: Cycle

    @staticmethod
    def of(job: Job) -> Loop:
        if job.scene.objects or job.scene.pushes or job.aims:
            raise InputError(
                "A loop has no place for what happens once: leave out Loop, or objects and pushes."
            )
        return Loop(job, Cycle.of(job.motion))

    def unrolled(self) -> Job:
        """With several cycles."""
        return replace(
            self.job,
            motion=self.cycle.unrolled(),
            settings=replace(self.job.settings, loop=False),
            bone_share=None,
        )

    def taken(self, result: Result) -> Result:
        """The cycle of a result of the unrolled job that stands for all, with ends that match."""
        cut = self._cut(result)
        skeleton = self.job.motion.skeleton
        bones = closed(
            cut.source_time,
            cut.bone_position,
            cut.bone_quaternion_world,
            parents_among(skeleton, cut.bone_name.tolist()),
            self.cycle,
        )
        # At its own size, and walking where the clip is in place.
        walked = replace(self.cycle, travel=self.cycle.travelled(cut.source_joint_position[:, 0]))
        joints = closed(cut.time, cut.joint_position, cut.joint_quaternion_world, cut.joint_parent, walked)
        gap = {"gap_deg": bones.gap_deg, "gap_mm": bones.gap_mm, "cycles": self.cycle.lead + 2}
        return replace(
            cut,
            bone_position=bones.position,
            bone_quaternion_world=bones.quaternion,
            joint_position=joints.position,
            joint_quaternion_world=joints.quaternion,
            meta={**cut.meta, "loop": gap, "notes": [*cut.meta["notes"], _sentence(gap)]},
        )

    def _cut(self, result: Result) -> Result:
        time, source = self.job.motion.time, self.cycle.lead * self.cycle.frames
        chosen: dict[str, IntArray | slice] = {
            "T": np.flatnonzero(
                (result.time >= time[0] - SAME_TIME_S) & (result.time <= time[-1] + SAME_TIME_S)
            ),
            "F": slice(source, source + self.cycle.frames + 1),
        }
        arrays = {
            f.name: getattr(result, f.name)[chosen[f.metadata["shape"][0]]]
            for f in fields(Result)
            # What the result does not have stays without entries.
            if f.metadata and f.metadata["shape"][0] in chosen and len(getattr(result, f.name))
        }
        return replace(result, **arrays, meta=self._meta(result))

    def _meta(self, result: Result) -> dict[str, Any]:
        """Times since the first sample of the cycle."""
        meta, fell = dict(result.meta), result.meta["fell_at"]
        earlier = self.cycle.lead * self.cycle.motion.duration
        meta["settings"] = {**meta["settings"], "loop": True}
        meta["fell_at"] = None if fell is None else max(fell - earlier, 0.0)
        meta["simulated"] = [(0.0, self.cycle.motion.duration)] if meta["simulated"] else []
        return meta


def _sentence(gap: dict[str, float]) -> str:
    return (
        f"The loop was simulated {gap['cycles']:.0f} times; the ends of the cycle that is kept were "
        f"{gap['gap_deg']:.1f} deg and {gap['gap_mm']:.0f} mm apart, which was spread over it."
    )
