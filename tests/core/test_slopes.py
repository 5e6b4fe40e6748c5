"""Slopes that a motion was captured on: one plane where soles slope with it, steps where they do not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.scene.scene import Role
from sim_core.scene.shapes import Box
from sim_core.supports.find import FoundSupports, find_supports
from sim_core.supports.planes import fit_plane
from sim_core.supports.support import SupportKind
from tests.core.sample_motions import ANKLES, DT, glide, legs, times
from tests.core.sample_people import MAPPING, Performance, person

LENGTH, STEPS = 0.4, 9
FIRST_M = 0.5
"""Where the slope begins [m]."""


def uphill(degrees: float, soles_slope: bool = True) -> Performance:
    """Walks over a level floor and then up a slope, or up stairs whose steps are where its feet would be."""
    slope = np.tan(np.radians(degrees))
    time = times(0.4 + 0.6 * STEPS)
    ways, pitches = np.zeros((2, len(time), 3)), np.zeros((2, len(time)))
    for step in range(STEPS):
        foot, start = step % 2, 0.2 + 0.6 * step
        share, swings = glide((time - start) / 0.4), (time > start) & (time < start + 0.4)
        length = LENGTH if step == 0 else 2.0 * LENGTH
        before = ways[foot, -1].copy()
        at = before[0] + length
        ways[foot, :, 0] += length * share
        ways[foot, :, 2] += (slope * max(at - FIRST_M, 0.0) - before[2]) * share
        ways[foot, :, 2] += swings * 6.0 * (share * (1.0 - share)) ** 2
        target = np.radians(degrees) if soles_slope and at > FIRST_M else 0.0
        pitches[foot] += (target - pitches[foot, -1]) * share
    middle = gaussian_filter1d(ways.mean(axis=0), 0.2 / DT, axis=0, mode="nearest")
    sway = 0.05 * np.sin(2.0 * np.pi * (time - 0.7) / 1.2)
    hips = np.stack([middle[:, 0], sway, middle[:, 2] - 0.08], axis=1)
    made = legs(time, hips, ANKLES + ways.swapaxes(0, 1))
    turns = dict(made.turns)
    for foot, side in enumerate("LR"):
        pitched = rotations.from_vector(np.outer(-pitches[foot], [0.0, 1.0, 0.0]))
        level = rotations.from_vector(np.asarray(made.turns[f"foot.{side}"]))
        turns[f"foot.{side}"] = rotations.to_vector(rotations.multiply(level, pitched))
    return Performance(time, turns, hips)


def found_in(performance: Performance, scale: float = 1.0) -> FoundSupports:
    return find_supports(Job(person(performance, scale=scale), MAPPING, BakeSettings()))


def surface_at(found: FoundSupports, places: FloatArray) -> FloatArray:
    """Heights of the surface of the only support at places (N, 2) [m]."""
    (slab,) = found.scene.objects
    assert isinstance(slab.shape, Box)
    normal = rotations.rotate(slab.quaternion, np.array([0.0, 0.0, 1.0]))
    top = slab.position + slab.shape.half_size[2] * normal
    return np.asarray(top[2] - (places - top[:2]) @ normal[:2] / normal[2])


@pytest.mark.parametrize(("degrees", "scale"), [(6.0, 1.0), (12.0, 1.0), (12.0, 0.7), (-8.0, 1.0)])
def test_stances_on_a_slope_are_one_sloping_slab(degrees: float, scale: float) -> None:
    found = found_in(uphill(degrees), scale)
    assert [own.kind for own in found.supports] == [SupportKind.SLOPE]
    (slope,), (slab,) = found.supports, found.scene.objects
    assert np.degrees(slope.tilt) == pytest.approx(abs(degrees), abs=1.0)
    assert slab.role is Role.GROUND and slab.captured
    along = np.array([[1.0, 0.0], [1.8, 0.0], [2.6, 0.0]])
    true = scale * np.tan(np.radians(degrees)) * (along[:, 0] - FIRST_M)
    assert surface_at(found, scale * along) == pytest.approx(true, abs=0.03 * scale)
    assert any(f"a slope of {np.degrees(slope.tilt):.1f} deg, up to" in note for note in found.notes)


def test_a_mirrored_slope_is_the_same_mirrored() -> None:
    one, other = (found_in(own) for own in (uphill(10.0), uphill(10.0).mirrored()))
    (left,), (right,) = one.scene.objects, other.scene.objects
    assert right.position == pytest.approx(left.position * [1, -1, 1], abs=1e-3)
    assert other.supports[0].tilt == pytest.approx(one.supports[0].tilt, abs=1e-3)


def test_level_soles_on_the_same_plane_are_on_steps() -> None:
    kinds = {own.kind for own in found_in(uphill(12.0, soles_slope=False)).supports}
    assert kinds == {SupportKind.STEP}


def test_a_plane_says_nothing_about_directions_without_spread() -> None:
    places = np.array([[0.0, 0.0], [1.0, 0.01], [2.0, -0.01], [3.0, 0.0]])
    plane = fit_plane(places, 0.1 * places[:, 0] + 5.0 * places[:, 1])
    assert plane.gradient == pytest.approx([0.1, 0.0], abs=0.02)
    assert plane.rise(plane.centre[:2]) == pytest.approx(0.0)
