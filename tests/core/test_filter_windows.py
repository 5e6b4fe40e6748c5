"""The dynamic filter over long motions: its windows give what one window over the whole would give."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base.conventions import GRAVITY
from sim_core.reference.contacts import flat_contact_ground
from sim_core.reference.dynamic_filter import Filtered, FilterSettings
from sim_core.reference.filter_windows import HELD_S, LOOKAHEAD_S, WINDOW_S, _windows, filter_motion
from sim_core.reference.reference import pose_changes
from tests.core.sample_motions import DT, Scene, dynamic_filter, scene, walk


def in_windows(made: Scene) -> Filtered:
    ground = flat_contact_ground(len(made.qpos), len(made.schedule.foot), made.world.ground_height)
    return filter_motion(made.world, made.qpos, made.schedule, ground, DT, made.leg_length, FilterSettings())


@pytest.mark.parametrize("seconds", [0.05, WINDOW_S, WINDOW_S + DT, 25.0, 600.0])
def test_windows_cover_the_motion_and_overlap(seconds: float) -> None:
    samples = round(seconds / DT)
    windows = list(_windows(samples, DT))
    assert windows[0].start == 0 and windows[-1].stop == samples
    assert all(one.stop - one.start <= round(WINDOW_S / DT) for one in windows)
    for one, following in zip(windows, windows[1:], strict=False):
        assert one.stop - following.start == round((LOOKAHEAD_S + HELD_S) / DT)
        assert following.stop > one.stop


def test_a_short_motion_is_filtered_as_a_whole() -> None:
    made = scene(walk(1.3))
    found, whole = in_windows(made), dynamic_filter(made).run(made.qpos)
    for name in ("qpos", "support_force", "residual", "residual_before"):
        assert np.array_equal(getattr(found, name), getattr(whole, name)), name


def test_a_long_motion_has_no_seams() -> None:
    made = scene(walk(WINDOW_S + 3.0))
    found, whole = in_windows(made), dynamic_filter(made).run(made.qpos)
    weight = made.world.spec.mass * GRAVITY
    assert found.residual_before == pytest.approx(whole.residual_before, abs=1e-6 * weight)
    # What no force explains stays within the filter's own deviation in every frame, also at the seam.
    inner = slice(1, -1)
    assert np.abs(found.residual[inner, :3]).max() < FilterSettings().force * weight
    assert found.support_force[inner, :, 2].sum(axis=1).min() > 0.5 * weight
    # The poses differ by less than half of the smallest deviation that the filter grants a joint.
    apart = np.abs(pose_changes(made.world.model, whole.qpos, found.qpos))
    assert apart[:, :3].max() < 0.01
    assert np.degrees(apart[:, 3:].max()) < 2.5
