"""What is done before a simulation, or without one: filter, marker fit, retargeting, forces."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import mujoco
import numpy as np

from sim_core.analysis.clip_dynamics import analyse_motion
from sim_core.bake.attempt import Attempt
from sim_core.bake.make_reference import make_reference
from sim_core.bake.setup import CharacterSetup, set_up
from sim_core.markers.fit_pipeline import choose_set
from sim_core.markers.marker_fit import fit_take
from sim_core.markers.read_markers import read_markers
from sim_core.markers.subject import calibrate_subject
from sim_core.markers.template import template
from sim_core.retarget.retarget import retarget
from sim_core.retarget.retarget_rig import make_retarget_rig
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings

from ..common.clips import MARKERS
from ..common.motions import motion_of
from .figures import Figure, least_seconds
from .ticks import FULL_BODY

CLIP = "13_18"
"""A stand with gestures; its first ten seconds are long enough that fixed costs count little."""
WALK = "07_01"
MARKER_FILE = MARKERS / "cmu_c3d"
FILTER_BARS = {None: 0.1, FULL_BODY: 0.25}
FIT_BARS = {"preview": 2000.0, "final": 400.0}
RETARGET_BAR, DYNAMICS_BAR = 2000.0, 10_000.0


def measure_filter(rounds: int) -> Iterator[Figure]:
    """Yield the time of a whole reference, in which the filter has nearly all, relative to the clip."""
    for character, bar in FILTER_BARS.items():
        (setup,) = set_up([Job(*motion_of(CLIP), BakeSettings(character=character))])
        seconds = least_seconds({"reference": partial(_prepare, setup)}, rounds)["reference"]
        name, duration_s = f"dynamic filter, {setup.world.model.nv} dof", setup.source.duration
        note = f"the whole reference of {duration_s:.0f} s of {CLIP}"
        yield Figure(name, seconds / duration_s, "x the clip's length", bar, note=note)


def _prepare(setup: CharacterSetup) -> None:
    setup.references.clear()
    make_reference(setup, Attempt(setup.methods[0]))


def measure_rates(rounds: int) -> Iterator[Figure]:
    """Yield frames in a second of marker fit, retargeting and forces, and of bare kinematics."""
    yield from _marker_fit(rounds)
    motion, mapping = motion_of(WALK)
    source = make_retarget_rig(motion.skeleton, mapping, motion)
    person = template()
    target = make_retarget_rig(person.skeleton, person.mapping)
    yield _rate("retarget", rounds, len(motion.time), lambda: retarget(source, motion, target), RETARGET_BAR)
    still, parts = motion_of(CLIP)
    samples = len(analyse_motion(still, parts).time)
    yield _rate("dynamics", rounds, samples, lambda: analyse_motion(still, parts), DYNAMICS_BAR)
    yield _bare_kinematics(rounds)


def _marker_fit(rounds: int) -> Iterator[Figure]:
    files = sorted(MARKER_FILE.glob("*.c3d"))
    if not files:
        return
    take = read_markers(files[0]).take()
    subject = calibrate_subject(take, choose_set(take), None)
    for quality, bar in FIT_BARS.items():
        frames = len(fit_take(take, subject, quality).qpos)
        fit = partial(fit_take, take, subject, quality)
        yield _rate(f"marker fit, {quality}", rounds, frames, fit, bar)


def _rate(name: str, rounds: int, frames: int, work: Callable[[], object], bar: float) -> Figure:
    seconds = least_seconds({name: work}, rounds)[name]
    return Figure(name, frames / seconds, "frames/s", bar, at_least=True, note=f"{frames} frames")


def _bare_kinematics(rounds: int) -> Figure:
    """Return how many poses the engine alone places in a second, for comparison."""
    (setup,) = set_up([Job(*motion_of(WALK), BakeSettings())])
    model, poses = setup.world.model, np.tile(setup.source_qpos, (10, 1))
    data, spent = mujoco.MjData(model), []
    for _ in range(rounds):
        began = time.process_time()
        for pose in poses:
            data.qpos[:] = pose
            mujoco.mj_kinematics(model, data)
        spent.append(time.process_time() - began)
    return Figure("bare mj_kinematics, for comparison", len(poses) / min(spent), "frames/s")
