"""Loops: several cycles are simulated, and one of them is kept, with ends that match."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..base.errors import InputError
from ..motion.motion import Motion
from ..motion.skeleton import nearest_listed_parents
from ..result.meta import ResultMeta
from ..result.metrics import local_rotations
from ..result.records import LoopGap
from ..result.result import INPUT_NAMES, Result
from ..scenario.job import Job
from ..sequence.cycle import Cycle, close_cycle

SAME_DEG, SAME_M = 2.0, 0.02
"""Differences of joints [deg] and of hip height [m] below which both ends of a motion are the same pose."""
SAME_SPEED = 0.3
"""Largest difference of joint speeds at the ends, as a share of the fastest joint speed."""
MOVES_DEG = 10.0
"""A motion in which no joint turns further is a pose, which nobody wants to repeat [deg]."""
SHORTEST = 5
"""Number of samples that a motion needs to be a loop."""

OFFER = "The clip ends as it begins; to keep it a loop, set Loop to On in Parts (or --loop)."


def loop_offer(job: Job) -> tuple[str, ...]:
    """Return a sentence that offers a loop where none was asked for but the motion is one."""
    settings, once = job.settings, job.scene.objects or job.scene.pushes or job.aims
    if settings.loop or not settings.simulate or settings.only_plausible or once:
        return ()
    return (OFFER,) if ends_match(job.motion) else ()


def ends_match(motion: Motion) -> bool:
    """Return whether a motion ends as it begins, so that it may be meant as a loop."""
    if len(motion.time) < SHORTEST:
        return False
    turn = local_rotations(motion.quaternion_world, motion.skeleton.parents)[:, 1:]
    moved = np.degrees(rotations.angle_between(turn, turn[:1])).max()
    return bool(moved > MOVES_DEG and _same_pose(motion, turn[[0, -1]]) and _same_speed(turn))


def _same_pose(motion: Motion, turn: FloatArray) -> bool:
    """Compare joints (2, N - 1, 4) and hips at the ends, without the position and heading of the hips."""
    first, last = motion.quaternion_world[[0, -1], 0]
    turned = rotations.multiply(last, rotations.conjugate(first))
    tilted = rotations.angle_between(rotations.about_vertical(rotations.heading(turned)), turned)
    apart = np.degrees(np.append(rotations.angle_between(turn[0], turn[1]), tilted))
    height = motion.position_world[[0, -1], 0, 2]
    return bool(apart.max() <= SAME_DEG and abs(height[1] - height[0]) <= SAME_M)


def _same_speed(turn: FloatArray) -> bool:
    """Compare the speeds of rotations (T, N, 4) at both ends."""
    step = rotations.to_vector(rotations.multiply(turn[1:], rotations.conjugate(turn[:-1])))
    fastest = np.linalg.norm(step, axis=-1).max()
    return bool(np.linalg.norm(step[-1] - step[0], axis=-1).max() <= SAME_SPEED * fastest)


SAME_TIME_S = 1e-9
"""Tolerance for equal sample times [s]."""


@dataclass(frozen=True, eq=False)
class Loop:
    """A job whose motion is one cycle."""

    job: Job
    cycle: Cycle

    @staticmethod
    def of(job: Job) -> Loop:
        """Return the loop of a job, or refuse one whose scene is not the same in every cycle."""
        if job.scene.objects or job.scene.pushes or job.aims:
            raise InputError(
                "A loop has no place for what happens once: leave out Loop, or objects and pushes."
            )
        return Loop(job, Cycle.of(job.motion))

    def unrolled(self) -> Job:
        """Return the job with several cycles of the motion."""
        return replace(
            self.job,
            motion=self.cycle.unrolled(),
            settings=replace(self.job.settings, loop=False),
            bone_share=None,
        )

    def cut_from(self, result: Result) -> Result:
        """Return the one cycle that is kept of the unrolled job's result, with ends that match."""
        cut = self._cut(result)
        skeleton = self.job.motion.skeleton
        bones = close_cycle(
            cut.source_time,
            cut.bone_position,
            cut.bone_quaternion_world,
            nearest_listed_parents(skeleton, cut.bone_name.tolist()),
            self.cycle,
        )
        # At its own size, and walking where the clip is in place.
        walked = replace(self.cycle, travel=self.cycle.travelled(cut.source_joint_position[:, 0]))
        joints = close_cycle(
            cut.time, cut.joint_position, cut.joint_quaternion_world, cut.joint_parent, walked
        )
        gap = LoopGap(bones.gap_deg, bones.gap_mm, self.cycle.lead + 2)
        return replace(
            cut,
            bone_position=bones.position,
            bone_quaternion_world=bones.quaternion,
            joint_position=joints.position,
            joint_quaternion_world=joints.quaternion,
            meta=replace(cut.meta.with_notes(_sentence(gap)), loop=gap),
        )

    def _cut(self, result: Result) -> Result:
        time, source = self.job.motion.time, self.cycle.lead * self.cycle.frames
        chosen: dict[str, IntArray | slice] = {
            "T": np.flatnonzero(
                (result.time >= time[0] - SAME_TIME_S) & (result.time <= time[-1] + SAME_TIME_S)
            ),
            "F": slice(source, source + self.cycle.frames + 1),
        }
        arrays: dict[str, Any] = {
            f.name: getattr(result, f.name)[chosen[f.metadata["shape"][0][0]]]
            for f in fields(Result)
            # What the result does not have stays without entries.
            if f.metadata and f.metadata["shape"][0][0] in chosen and len(getattr(result, f.name))
        }
        # The cycle starts in the middle of a run and its ends are moved: the engine's inputs do not fit it.
        arrays |= dict.fromkeys(INPUT_NAMES, ())
        return replace(result, **arrays, meta=self._meta(result.meta))

    def _meta(self, meta: ResultMeta) -> ResultMeta:
        """Return the meta with times since the first sample of the cycle."""
        earlier = self.cycle.lead * self.cycle.motion.duration
        return replace(
            meta,
            settings={**meta.settings, "loop": True},
            fell_at=None if meta.fell_at is None else max(meta.fell_at - earlier, 0.0),
            mjb=None,
            simulated=((0.0, self.cycle.motion.duration),) if meta.simulated else (),
        )


def _sentence(gap: LoopGap) -> str:
    return (
        f"The loop was simulated {gap.cycles} times; the ends of the cycle that is kept were "
        f"{gap.gap_deg:.1f} deg and {gap.gap_mm:.0f} mm apart, which was spread over it."
    )
