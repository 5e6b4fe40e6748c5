"""A simulated motion that is mixed with the clip it came from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..character.posing import segment_centres, segment_poses
from ..character.spec import CharacterSpec
from ..conventions import FloatArray
from ..easing import smooth_step
from .clip import Clip
from .trace import Trace


def mixed(trace: Trace, clip: Clip, spec: CharacterSpec, share: FloatArray) -> Trace:
    """The trace by a share (T) and the clip by the rest; no forces are known where nothing is simulated."""
    qpos = clip.mixed(0, trace.qpos, share)
    qpos[share == 1.0] = trace.qpos[share == 1.0]
    simulated = trace.simulated * share
    acts = simulated > 0.0
    return replace(
        trace,
        qpos=qpos,
        body_com=segment_centres(spec, *segment_poses(spec, qpos)),
        assist=trace.assist * acts[:, None],
        push=trace.push * acts[:, None],
        torque=trace.torque * acts[:, None],
        contact_force=trace.contact_force * acts[:, None, None],
        simulated=simulated,
    )


def end_shares(time: FloatArray, blend_in_s: float, blend_out_s: float) -> FloatArray:
    """How much of each sample (T) is simulated if it comes from the clip and goes back to it at its ends."""
    share = np.ones(len(time))
    if blend_in_s > 0.0:
        share = share * smooth_step((time - time[0]) / blend_in_s)
    if blend_out_s > 0.0:
        share = share * smooth_step((time[-1] - time) / blend_out_s)
    return share
