"""Hands on other bodies: they stay outside the mesh, keep what they touch, and do not pop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.motion.motion import Motion
from sim_core.motion.skinned_mesh import SkinnedMesh
from sim_core.retarget import style
from sim_core.retarget.arms import palm_offset, palms
from sim_core.retarget.body_surface import moving_parts
from sim_core.retarget.displacements import Pulls
from sim_core.retarget.hand_touches import find_touches
from sim_core.retarget.relations import Actor
from sim_core.retarget.retarget import Take, retarget, retarget_together
from sim_core.retarget.retarget_options import RetargetOptions
from sim_core.retarget.retarget_rig import RetargetRig, make_retarget_rig
from tests.core.sample_company import handshake
from tests.core.sample_people import A_POSE, MAPPING, Performance, person, standing
from tests.core.sample_touches import HELD, PLACES, touching

WITHOUT = RetargetOptions(hands=False)


def ball(centre: FloatArray, radius: FloatArray, bone: int, rings: int = 24) -> SkinnedMesh:
    """An ellipsoid that moves with one bone; its normals point outwards."""
    polar, around = np.meshgrid(
        np.linspace(0.0, np.pi, rings), np.linspace(0.0, 2.0 * np.pi, rings), indexing="ij"
    )
    unit = np.stack([np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)], axis=-1)
    vertex = centre + radius * unit.reshape(-1, 3)
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(rings - 1), np.arange(rings - 1), indexing="ij"))
    a, b, c, d = i * rings + j, (i + 1) * rings + j, (i + 1) * rings + j + 1, i * rings + j + 1
    triangle = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    count = len(vertex)
    return SkinnedMesh(vertex, triangle, np.full((count, 1), bone), np.ones((count, 1)))


RADIUS = np.array([0.2, 0.3, 0.4])


def stout(scale: float = 1.1) -> tuple[RetargetRig, FloatArray]:
    """A person with a belly about the hips as wide as the arms hang, and the belly's middle at rest."""
    skeleton = person(standing(), A_POSE, 3, scale).skeleton
    hips = skeleton.index["hips"]
    centre = skeleton.rest_position_world[hips]
    mesh = ball(centre, scale * RADIUS, hips)
    return make_retarget_rig(skeleton, MAPPING, mesh=mesh), centre


def depth(rig: RetargetRig, motion: Motion, side: str, scale: float) -> FloatArray:
    """How deep a palm is in the belly (T), in its radii: positive inside."""
    away = palms(rig, motion, side) - motion.position_world[:, rig.bone("hips")]
    return 1.0 - np.linalg.norm(away / (scale * RADIUS), axis=1)


@pytest.mark.parametrize("scale", [0.63, 1.37])
def test_hanging_hands_are_outside_a_wide_body(scale: float) -> None:
    motion = person(standing(1.0, 60.0))
    source = make_retarget_rig(motion.skeleton, MAPPING, motion)
    target, _ = stout(scale)
    for side in "LR":
        assert depth(target, retarget(source, motion, target, WITHOUT).motion, side, scale).min() > 0.1
        outside = retarget(source, motion, target).motion
        assert depth(target, outside, side, scale).max() < 0.0


def test_what_is_inside_is_known_from_a_mesh_with_holes_and_layers() -> None:
    target, centre = stout()
    mesh = target.mesh
    assert mesh is not None
    inner = ball(centre, 0.55 * RADIUS, int(mesh.bone[0, 0]))
    count = len(mesh.vertex)
    whole = SkinnedMesh(
        np.concatenate([mesh.vertex, inner.vertex]),
        np.concatenate([mesh.triangle[::7], mesh.triangle[1::7], mesh.triangle[2::7], mesh.triangle[3::7],
                        mesh.triangle[4::7], mesh.triangle[5::7], inner.triangle + count]),
        np.concatenate([mesh.bone, inner.bone]),
        np.concatenate([mesh.weight, inner.weight]),
    )  # fmt: skip
    surface = replace(target, mesh=whole).surfaces["pelvis"]
    part = moving_parts(target.character, {"pelvis": surface}, person(standing(), A_POSE, 3, 1.1))["pelvis"]
    rng = np.random.default_rng(4)
    unit = rng.normal(size=(len(part.axes), 3))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    for share in (0.6, 0.9, 1.1):
        gap = surface.gap(part.local(centre + share * 1.1 * RADIUS * unit))
        assert np.all((gap < 0.0) if share < 1.0 else (gap > 0.0))


@pytest.mark.parametrize("name", PLACES)
def test_touches_are_found_as_intervals_and_kept_on_other_sizes(name: str) -> None:
    source, motion = touching(name)
    parts = moving_parts(source.character, source.surfaces, motion)
    held = (motion.time > HELD[0]) & (motion.time < HELD[1])
    for side, (part, _, _) in PLACES[name].items():
        near = {key: value for key, value in parts.items() if not key.endswith(f"arm.{side}")}
        (found,) = find_touches(palms(source, motion, side), near, motion.rate_hz, 1.0)
        assert (
            found.part == part
            and abs(found.first / 60.0 - HELD[0]) < 0.1
            and abs(found.past / 60.0 - HELD[1]) < 0.1
        )
        for scale in (0.63, 1.37):
            target = make_retarget_rig(person(standing(), A_POSE, 3, scale).skeleton, MAPPING)
            result = retarget(source, motion, target).motion
            own = moving_parts(target.character, target.surfaces, result)[part]
            gap = own.surface.gap(own.local(palms(target, result, side)))[held]
            source_gap = near[part].surface.gap(near[part].local(palms(source, motion, side)))[held]
            assert np.abs(gap - scale * source_gap).max() < 0.02


def test_a_hand_on_the_hip_is_on_the_hip_of_a_stout_body_and_moves_smoothly() -> None:
    source, motion = touching("hands on hips")
    target, _ = stout()
    held = (motion.time > HELD[0]) & (motion.time < HELD[1])
    result = retarget(source, motion, target).motion
    surface = moving_parts(target.character, target.surfaces, result)["pelvis"]
    for side in "LR":
        palm = palms(target, result, side)
        gap = surface.surface.gap(surface.local(palm))
        assert np.abs(gap[held] - 0.02).max() < 0.015 and depth(target, result, side, 1.1).max() < 0.0
        jerk, source_jerk = (
            np.percentile(np.linalg.norm(np.diff(path, 3, axis=0), axis=1), 99)
            for path in (palm, palms(source, motion, side))
        )
        assert jerk < 1.6 * source_jerk


def test_hands_in_thick_gloves_meet_at_their_surfaces() -> None:
    company, radius = handshake(), 0.08
    skeleton = person(standing(), A_POSE, 3).skeleton
    bare = make_retarget_rig(skeleton, MAPPING)
    centre = bare.rest("hand.R") + rotations.rotate(bare.axes_rest_world["hand.R"], palm_offset(bare, "R"))
    hips, hand = skeleton.index["hips"], skeleton.index["hand.R"]
    body = ball(skeleton.rest_position_world[hips], np.full(3, 0.1), hips)
    glove = ball(centre, np.full(3, radius), hand)
    mesh = SkinnedMesh(
        np.concatenate([body.vertex, glove.vertex]),
        np.concatenate([body.triangle, glove.triangle + len(body.vertex)]),
        np.concatenate([body.bone, glove.bone]),
        np.concatenate([body.weight, glove.weight]),
    )
    gloved = make_retarget_rig(skeleton, MAPPING, mesh=mesh)
    outcomes, _ = retarget_together([Take(*one, gloved) for one in company.people])
    apart = np.subtract(*(palms(one.target, one.motion, "R") for one in outcomes))
    source = np.subtract(*(palms(*one, "R") for one in company.people))
    wider = (np.linalg.norm(apart, axis=1) - np.linalg.norm(source, axis=1))[company.held]
    thin = Actor(*company.people[0], bare, company.people[0][1]).thickness("R")
    # A ball of 24 rings is up to 1 % narrower than a round one.
    np.testing.assert_allclose(wider, 2.0 * (radius - thin), atol=0.003)


def test_displacements_begin_before_a_pull_and_bend_nowhere_sharply() -> None:
    frames, rate = 240, 60.0
    pulls = Pulls(np.zeros((frames, 3)), rate)
    weight = np.zeros(frames)
    weight[100:140] = 1e4
    pulls.add_point(0, np.tile([0.1, 0.0, -0.2], (frames, 1)), weight)
    moved = pulls.step()
    np.testing.assert_allclose(moved[105:135], np.tile([0.1, 0.0, -0.2], (30, 1)), atol=1e-3)
    assert np.abs(moved[[0, -1]]).max() < 0.01
    # A cubic step of 0.2 m over the same 0.3 s has an acceleration of 6 * 0.2 / 0.3^2.
    assert np.abs(np.diff(moved, 2, axis=0)).max() * rate**2 < 6.0 * 0.2 / 0.3**2


def test_noise_that_cancels_at_the_shoulders_of_the_source_does_not_shake_hands_on_short_legs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rate = 120.0
    time = np.arange(240) / rate
    lean = 0.004 * np.sin(2.0 * np.pi * 20.0 * time)
    zero = np.zeros_like(time)
    # The shoulders are 0.48 m above the hips: what the lean moves there, the hips take back.
    leaning = Performance(
        time,
        {
            "spine": np.stack([zero, lean, zero], axis=1),
            **{f"upper_arm.{side}": np.stack([zero, -0.5 - lean, zero], axis=1) for side in "LR"},
            **{f"forearm.{side}": np.stack([zero, zero - 0.6, zero], axis=1) for side in "LR"},
        },
        np.stack([-0.4 * lean + 0.02 * np.sin(2.0 * np.pi * time), zero, zero], axis=1),
    )
    motion = person(leaning)
    source = make_retarget_rig(motion.skeleton, MAPPING, motion)
    skeleton = person(standing()).skeleton
    short = np.array(skeleton.rest_position_world)
    legs = [skeleton.index[f"{part}.{side}"] for part in ("shin", "foot", "toe") for side in "LR"]
    short[legs, 2] = 0.92 - 0.5 * (0.92 - short[legs, 2])
    target = make_retarget_rig(replace(skeleton, rest_position_world=short), MAPPING)

    def jerk() -> float:
        palm = palms(target, retarget(source, motion, target, WITHOUT).motion, "L")
        return float(np.linalg.norm(np.diff(palm, 3, axis=0), axis=1)[20:-20].max())

    steady = jerk()
    monkeypatch.setattr(style, "STEADY_SHARE", 0.0)
    # Seven tenths of what does not cancel are taken back.
    assert steady < 0.4 * jerk()
