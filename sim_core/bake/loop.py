"""Loops: several cycles are simulated, and one of them is kept, with ends that match.

A clip that ends in the pose of its start, but at another speed, and one that cannot be repeated, is simulated
once. Then its end is brought back to its start, because what follows in a game or a scene begins there.
"""

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
from ..sequence.cycle import LEAD_SECONDS, Cycle, close_cycle

SAME_DEG, SAME_SHARE = 2.0, 0.06
"""Joint angles that differ by less [deg], or by a smaller share of the largest turn, are the same."""
SAME_M = 0.02
"""Difference of the hips' height below which both ends are the same pose, as a share of that height."""
SAME_SPEED = 0.3
"""Largest difference of joint speeds at the ends, as a share of the fastest joint speed."""
MOVES_DEG, BREATHES_DEG = 10.0, 1.0
"""Where no joint turns further than the first, only the share above counts, because a body that stands still
ends as it began by chance; further than the second nothing turns in a pose, which nobody wants to repeat."""
SHORTEST = 5
"""Number of samples that a motion needs to be a loop."""
WIDEST_GAP_DEG, WIDEST_GAP_SHARE = 45.0, 0.3
"""Ends of a simulated cycle that are further apart, in any joint or by a share of the hips' height, are not
those of a loop: spreading the gap would show."""


def loop_of(jobs: Sequence[Job]) -> Loop | None:
    """Return the loop that jobs are simulated as: where it is asked for, or where a single motion closes.

    A motion that may be interrupted by getting up is none, unless it is asked for.
    """
    wanted = [own.loop for own in (job.settings for job in jobs) if own.simulate and not own.only_plausible]
    if "on" in wanted and len(jobs) > 1:
        raise InputError("A loop is simulated alone: select one character, or leave out Loop.")
    if len(wanted) != 1 or len(jobs) > 1 or wanted[0] == "off":
        return None
    if wanted[0] == "on":
        return Loop.of(jobs[0])
    once = jobs[0].settings.get_up or not _closes(jobs[0])
    return None if once else Loop.of(jobs[0], _goes_on(jobs[0]))


def _closes(job: Job) -> bool:
    """Return whether a motion ends as it began, and nothing happens only once in it."""
    settings = job.settings
    blended = settings.blend_in_s > 0.0 or settings.blend_out_s > 0.0
    return not blended and not _happens_once(job) and same_pose_at_ends(job.motion, _hips(job))


def _goes_on(job: Job) -> bool:
    """Return whether a motion that closes goes on over its seam."""
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
    same_deg = max(SAME_DEG if moved > MOVES_DEG else 0.0, SAME_SHARE * moved)
    return bool(moved > BREATHES_DEG and apart <= same_deg and same_height)


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


SOFT_LEAD_SECONDS = 3.0
"""Soft parts swing longer than a body until a cycle repeats itself: then a tail of 1 Hz with a damping ratio
of 0.25 has a hundredth of its swing left [s]."""
SAME_TIME_S = 1e-9
"""Tolerance for equal sample times [s]."""
NO_INPUTS: dict[str, Any] = dict.fromkeys(INPUT_NAMES, ())
"""A cycle may start in the middle of a run, and its ends are moved: the engine's inputs do not fit it."""


@dataclass(frozen=True, eq=False)
class Loop:
    """A job whose motion is one cycle; repeats: whether it goes on over its seam at the same speed."""

    job: Job
    cycle: Cycle
    repeats: bool = True

    @staticmethod
    def of(job: Job, repeats: bool = True) -> Loop:
        """Return the loop of a job, or refuse one whose scene is not the same in every cycle."""
        if _happens_once(job):
            raise InputError(
                "A loop has no place for what happens once: leave out Loop, or objects and pushes."
            )
        lead_s = SOFT_LEAD_SECONDS if job.soft else LEAD_SECONDS
        return Loop(job, Cycle.of(job.motion, _hips(job), lead_s), repeats)

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
        """Return the job with its motion as it is, where it is not repeated."""
        return replace(self.job, settings=replace(self.job.settings, loop="off"), bone_share=None)

    def cut_from(self, result: Result) -> Result:
        """Return the one cycle that is kept of the unrolled job's result, with ends that match."""
        return self._closed(self._cut(result), self.cycle.lead + 2)

    def brought_back(self, once: Result) -> Result:
        """Return the result of the job that was simulated once, with ends that match if they are near."""
        if once.meta.fell_at is not None:
            return once
        closed = self._closed(replace(once, **NO_INPUTS, meta=replace(once.meta, mjb=None)), 1)
        refusal = refusal_of(None, closed.meta.loop, self.hips_height_m)
        return replace(once, meta=once.meta.with_notes(refusal)) if refusal else closed

    def _closed(self, cut: Result, cycles: int) -> Result:
        """Return a result whose gap between its ends is spread over it; cycles: how many were simulated."""
        skeleton = self.job.motion.skeleton
        bones = close_cycle(
            cut.source_time,
            cut.bone_position,
            cut.bone_quaternion_world,
            nearest_listed_parents(skeleton, cut.bone_name.tolist()),
            self.cycle,
            self.repeats,
        )
        # At its own size, and walking where the clip is in place.
        walked = replace(self.cycle, travel=self.cycle.travelled(cut.source_joint_position[:, 0]))
        joints = close_cycle(
            cut.time, cut.joint_position, cut.joint_quaternion_world, cut.joint_parent, walked, self.repeats
        )
        gap = LoopGap(bones.gap_deg, bones.gap_mm, cycles)
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
        return replace(result, **arrays, **NO_INPUTS, meta=self._meta(result.meta))

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
    """Say why the ends of what was simulated are not brought together; nothing where they are."""
    if fell_at is not None:
        return "The motion is no loop when it is simulated: repeated, it falls. So it was simulated once."
    if gap is None or (
        gap.gap_deg <= WIDEST_GAP_DEG and gap.gap_mm <= 1000.0 * WIDEST_GAP_SHARE * hips_height_m
    ):
        return ""
    apart = f"{gap.gap_deg:.0f} deg and {gap.gap_mm / 10.0:.0f} cm apart"
    if gap.cycles > 1:
        return f"The motion is no loop when it is simulated: its ends are {apart}. So it was simulated once."
    return f"The clip ends as it begins, but the simulated ends are {apart}, too far to be brought together."


def _sentence(gap: LoopGap) -> str:
    apart = f"{gap.gap_deg:.1f} deg and {gap.gap_mm:.0f} mm apart, which was spread over it."
    if gap.cycles == 1:
        return f"The clip ends as it begins; simulated once, its ends were {apart}"
    return f"The loop was simulated {gap.cycles} times; the ends of the cycle that is kept were {apart}"
