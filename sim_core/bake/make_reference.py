"""Step 2, make the reference: the motion that forces can produce, on the ground that is there."""

from __future__ import annotations

from ..aiming.correction import Correction
from ..base.conventions import FloatArray
from ..character.posing import pose_from_motion
from ..motion.motion import CONTROL_DT
from ..reference.prepare import GroundedMotion, Prepared, make_feasible, put_on_ground, unfiltered_reference
from .attempt import Attempt
from .methods import Method
from .setup import CharacterSetup


def make_reference(setup: CharacterSetup, attempt: Attempt) -> Prepared:
    """Return the reference of an attempt; each is made once, whatever tracks it."""
    key = (attempt.method.preparation, attempt.correction)
    if key not in setup.references:
        setup.references[key] = _prepare(setup, attempt)
    return setup.references[key]


def first_correction(setup: CharacterSetup, method: Method) -> Correction | None:
    """Return the correction with which the planned strikes hit their targets; None without strikes."""
    if setup.aiming is None:
        return None
    return setup.aiming.first(lambda correction: planned_qpos(setup, Attempt(method, correction)))


def planned_qpos(setup: CharacterSetup, attempt: Attempt) -> FloatArray:
    """Return the poses (T, nq) on the ground, before they are made possible for forces."""
    return _on_ground(setup, attempt).projected.qpos


def _prepare(setup: CharacterSetup, attempt: Attempt) -> Prepared:
    on_ground = _on_ground(setup, attempt)
    if setup.kinematic_segments:
        return unfiltered_reference(setup.world, on_ground, CONTROL_DT)
    leg_length = setup.scenario.leg_length
    start, held = None, 0
    if setup.begun is not None:
        start, held = on_ground.projected.qpos.copy(), len(setup.begun)
        start[:held] = setup.begun
    return make_feasible(setup.world, on_ground, CONTROL_DT, leg_length, attempt.method.filter, start, held)


def _on_ground(setup: CharacterSetup, attempt: Attempt) -> GroundedMotion:
    """Put the motion on its ground; with a correction, retimed at its strikes and aimed."""
    scenario, aiming, correction = setup.scenario, setup.aiming, attempt.correction
    motion = setup.smoothed(attempt.method.cutoff_hz)
    if aiming is not None and correction is not None:
        motion = aiming.warped(motion, correction)
    qpos = pose_from_motion(scenario.spec, scenario.binding, motion)
    method = attempt.method
    on_ground = put_on_ground(
        setup.world,
        qpos,
        CONTROL_DT,
        scenario.leg_length,
        method.point_speed,
        rolls=method.filter.changes,
        passes_by=not setup.kinematic_segments,
    )
    if aiming is not None and correction is not None:
        on_ground = on_ground.moved(aiming.moved(on_ground.projected.qpos, correction))
    return on_ground
