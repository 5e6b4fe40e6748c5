"""Loops: several cycles are simulated, and one of them is kept, with ends that match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray, IntArray
from ..base.errors import InputError
from ..character.binding import bind
from ..motion.motion import Motion
from ..motion.skeleton import nearest_listed_parents
from ..result.meta import ResultMeta
from ..result.metrics import local_rotations
from ..result.records import LoopGap
from ..result.result import INPUT_NAMES, Result
from ..scenario.job import Job
from ..scenario.scenario import make_scenario
from ..scenario.treadmill import find_belt
from ..sequence.cycle import Cycle, close_cycle

SAME_DEG, SAME_SHARE = 2.0, 0.06
"""Joint angles that differ by less [deg], or by a smaller share of the largest turn, are the same."""
SAME_M = 0.02
"""Difference of the hips' height below which both ends are the same pose, as a share of that height."""
SAME_SPEED = 0.3
"""Largest difference of joint speeds at the ends, as a share of the fastest joint speed."""
MOVES_DEG = 10.0
"""A motion in which no joint turns further is a pose, which nobody wants to repeat [deg]."""
SHORTEST = 5
"""Number of samples that a motion needs to be a loop."""
WIDEST_GAP_DEG, WIDEST_GAP_SHARE = 45.0, 0.3
"""Ends of a simulated cycle that are further apart, in any joint or by a share of the hips' height, are not
those of a loop: spreading the gap would show."""


def loop_of(jobs: Sequence[Job]) -> Loop | None:
    """Return the loop that jobs are simulated as: where it is asked for, or where a single motion closes."""
    wanted = [own.loop for own in (job.settings for job in jobs) if own.simulate and not own.only_plausible]
    if "on" in wanted and len(jobs) > 1:
        raise InputError("A loop is simulated alone: select one character, or leave out Loop.")
    if len(wanted) != 1 or len(jobs) > 1 or wanted[0] == "off":
        return None
    return Loop.of(jobs[0]) if wanted[0] == "on" or _closes(jobs[0]) else None


def _closes(job: Job) -> bool:
    """Return whether a motion may be repeated as it is: nothing happens once, and its end is its start."""
    settings = job.settings
    blended = settings.blend_in_s > 0.0 or settings.blend_out_s > 0.0
    if blended or _happens_once(job) or not same_pose_at_ends(job.motion, _hips(job)):
        return False
    # Feet that strike the belt at the seam stop there, so that speeds differ in a cycle as well.
    return same_speed_at_ends(job.motion) or find_belt(job, make_scenario(job)) is not None


def _happens_once(job: Job) -> bool:
    return bool(job.scene.objects or job.scene.pushes or job.aims)


def _hips(job: Job) -> int:
    """Return the index of the bone that carries the body."""
    return int(bind(job.motion.skeleton, job.mapping).joint[0])


def same_pose_at_ends(motion: Motion, hips: int) -> bool:
    """Return whether a motion moves, and ends in the pose in which it began, wherever it went meanwhile."""
    if len(motion.time) < SHORTEST:
        return False
    turn = _joint_turns(motion)
    moved = float(np.degrees(rotations.angle_between(turn, turn[:1])).max())
    first, last = motion.quaternion_world[[0, -1], hips]
    turned = rotations.multiply(last, rotations.conjugate(first))
    tilted = rotations.angle_between(rotations.about_vertical(rotations.heading(turned)), turned)
    apart = np.degrees(np.append(rotations.angle_between(turn[0], turn[-1]), tilted)).max()
    height = _heights(motion, hips)
    same_height = abs(height[-1] - height[0]) <= SAME_M * height.max()
    return bool(moved > MOVES_DEG and apart <= max(SAME_DEG, SAME_SHARE * moved) and same_height)


def _heights(motion: Motion, hips: int) -> FloatArray:
    """Return the heights (T) of the hips above the lowest point of the motion [m]."""
    return np.asarray(motion.position_world[:, hips, 2] - motion.position_world[..., 2].min())


def same_speed_at_ends(motion: Motion) -> bool:
    """Return whether the joints of a motion turn as fast at its end as at its start."""
    turn = _joint_turns(motion)
    step = rotations.to_vector(rotations.multiply(turn[1:], rotations.conjugate(turn[:-1])))
    fastest = np.linalg.norm(step, axis=-1).max()
    return bool(np.linalg.norm(step[-1] - step[0], axis=-1).max() <= SAME_SPEED * fastest)


def _joint_turns(motion: Motion) -> FloatArray:
    """Return the rotations (T, N - 1, 4) of all bones but the first in their parents."""
    return local_rotations(motion.quaternion_world, motion.skeleton.parents)[:, 1:]


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
        if _happens_once(job):
            raise InputError(
                "A loop has no place for what happens once: leave out Loop, or objects and pushes."
            )
        return Loop(job, Cycle.of(job.motion, _hips(job)))

    @property
    def hips_height_m(self) -> float:
        """Height of the hips at their highest, at the rig's own size [m]."""
        return float(_heights(self.job.motion, _hips(self.job)).max())

    def unrolled(self) -> Job:
        """Return the job with several cycles of the motion."""
        return replace(
            self.job,
            motion=self.cycle.unrolled(),
            settings=replace(self.job.settings, loop="off", find_assist=False),
            bone_share=None,
        )

    def once(self) -> Job:
        """Return the job with its motion as it is, where it cannot be a loop."""
        return replace(self.job, settings=replace(self.job.settings, loop="off"))

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
            settings={**meta.settings, "loop": self.job.settings.loop},
            fell_at=None if meta.fell_at is None else max(meta.fell_at - earlier, 0.0),
            mjb=None,
            simulated=((0.0, self.cycle.motion.duration),) if meta.simulated else (),
        )


def refusal_of(fell_at: float | None, gap: LoopGap | None, hips_height_m: float) -> str:
    """Say why what was simulated is no loop; nothing where it is one."""
    if fell_at is not None:
        why = "repeated, it falls"
    elif gap is not None and (
        gap.gap_deg > WIDEST_GAP_DEG or gap.gap_mm > 1000.0 * WIDEST_GAP_SHARE * hips_height_m
    ):
        why = f"its ends come to lie {gap.gap_deg:.0f} deg and {gap.gap_mm / 10.0:.0f} cm apart"
    else:
        return ""
    return (
        f"The motion is no loop when it is simulated: {why}. So it was simulated once, with ends of its own."
    )


def _sentence(gap: LoopGap) -> str:
    return (
        f"The loop was simulated {gap.cycles} times; the ends of the cycle that is kept were "
        f"{gap.gap_deg:.1f} deg and {gap.gap_mm:.0f} mm apart, which was spread over it."
    )
