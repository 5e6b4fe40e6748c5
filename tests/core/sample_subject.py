"""A subject with known lengths, marker places and motion, and the markers that it shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim_core.base.conventions import FloatArray
from sim_core.markers.length_groups import length_groups
from sim_core.markers.marker_sets import MarkerSet, preset_set
from sim_core.markers.marker_take import MarkerTake
from sim_core.markers.template import place_markers, template
from sim_core.posefit.fit_body import EngineBody
from sim_core.posefit.fit_rig import RigBody
from sim_core.posefit.points import Attachments, point_positions

RATE_HZ = 100.0
STRIDE_HZ = 1.0


@dataclass(frozen=True, eq=False)
class KnownSubject:
    """The truth: body, markers on it and poses (T, nq); and the take and table that show it."""

    rig: RigBody
    attachments: Attachments
    qpos: FloatArray
    take: MarkerTake
    table: MarkerSet

    @property
    def labels(self) -> tuple[str, ...]:
        return self.take.labels


def walker(frames: int = 120, set_name: str = "cmu_41", shift_m: float = 0.01, seed: int = 0) -> KnownSubject:
    """Walks with swinging arms; lengths differ from the average body by a few percent."""
    rng = np.random.default_rng(seed)
    base = template(1.70)
    groups = length_groups(base)
    scale = rng.normal(0.0, 0.03, len(groups.names))
    rig = base.with_anchors(base.body.anchors * groups.factors(scale)[:, None])
    table = preset_set(set_name)
    nominal = place_markers(rig, table, tuple(table.rows), 1.70)
    own = groups.own_factors(scale)[nominal.link][:, None]
    offset = nominal.offset * own + rng.normal(0.0, shift_m, nominal.offset.shape)
    attachments = Attachments(nominal.link, offset)
    engine = EngineBody(rig.body)
    time = np.arange(frames) / RATE_HZ
    qpos = engine.moved(np.tile(engine.neutral, (frames, 1)), swinging(engine, rig, time))
    take = MarkerTake(
        name="",
        labels=nominal.labels,
        labelled=np.ones(len(nominal.labels), dtype=bool),
        time=time,
        position_world=point_positions(engine, attachments, qpos),
        residual=np.full((frames, len(nominal.labels)), np.nan),
    )
    return KnownSubject(rig, attachments, qpos, take, table)


def swinging(engine: EngineBody, rig: RigBody, time: FloatArray) -> FloatArray:
    """Changes (T, nv) from the neutral pose: a gait that keeps to all joint limits."""
    change = np.zeros((len(time), engine.model.nv))
    phase = 2.0 * np.pi * STRIDE_HZ * time

    def turn(slot: str, axis: int, angle: FloatArray) -> None:
        link = rig.link(slot)
        assert link is not None
        change[:, engine.model.body_dofadr[engine.body[link]] + axis] = angle

    change[:, 0] = 1.2 * time
    change[:, 2] = 0.93 + 0.02 * np.cos(2.0 * phase)
    change[:, 5] = 0.08 * np.sin(phase)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        swing = sign * np.sin(phase)
        turn(f"thigh.{side}", 1, -0.2 - 0.45 * swing)
        turn(f"thigh.{side}", 0, 0.08 * np.cos(phase))
        turn(f"shin.{side}", 0, 0.5 + 0.4 * np.cos(phase + (0.0 if sign > 0 else np.pi)))
        turn(f"foot.{side}", 1, 0.2 * swing)
        turn(f"upper_arm.{side}", 1, 0.35 * swing)
        turn(f"upper_arm.{side}", 0, sign * (0.25 + 0.05 * np.cos(phase)))
        turn(f"forearm.{side}", 0, -0.5 - 0.2 * swing)
        turn(f"forearm.{side}", 1, 0.2 * np.cos(phase))
        turn(f"hand.{side}", 1, 0.1 * swing)
    turn("spine", 2, 0.08 * np.sin(phase))
    turn("chest", 2, -0.1 * np.sin(phase))
    turn("head", 2, 0.15 * np.sin(0.5 * phase))
    return change
