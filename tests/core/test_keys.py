"""Curves with few keys: exact where they can be, within limits where they need not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from bench.common.clips import CMU
from bench.keys.trials import measure, posed, read_start, reduced
from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.keys.bone_errors import BoneTree
from sim_core.keys.channel import Track, frames_around, own_rotation, velocity_jumps
from sim_core.keys.handles import fit_handles
from sim_core.keys.key_limits import KeyFigures, KeyLimits
from sim_core.keys.spline import fit_spline
from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import Skeleton

FRAMES = 60


def arm(bones: int = 4, frames: int = FRAMES, noise: float = 0.0) -> Motion:
    """A chain of bones of 30 cm that wave about changing axes."""
    frame = np.arange(frames)
    rest = np.zeros((bones, 3))
    rest[:, 2] = 0.3 * np.arange(bones)
    skeleton = Skeleton(
        tuple(f"b{i}" for i in range(bones)),
        np.arange(bones) - 1,
        rest,
        np.tile([1.0, 0.0, 0.0, 0.0], (bones, 1)),
    )
    random = np.random.default_rng(0)
    position, quaternion = np.zeros((frames, bones, 3)), np.zeros((frames, bones, 4))
    for bone in range(bones):
        swing = np.stack([np.sin(0.15 * frame + bone), 0.5 * np.cos(0.11 * frame), 0.02 * frame], axis=1)
        own = rotations.from_vector(swing + noise * random.standard_normal(swing.shape))
        above = np.tile([1.0, 0.0, 0.0, 0.0], (frames, 1)) if bone == 0 else quaternion[:, bone - 1]
        quaternion[:, bone] = rotations.multiply(above, own)
        base = (
            np.stack([0.01 * frame, 0 * frame, np.sin(0.1 * frame)], axis=1)
            if bone == 0
            else position[:, bone - 1]
        )
        position[:, bone] = base + (0.0 if bone == 0 else rotations.rotate(above, np.array([0.0, 0.0, 0.3])))
    return Motion(skeleton, frame / 30.0, position, quaternion)


def test_a_cubic_needs_two_keys() -> None:
    frame = np.arange(20.0)
    values = np.stack([frame**3 - 20.0 * frame**2, 4.0 - frame], axis=1)
    spline = fit_spline(frame, values, np.array([0, 19]), np.ones(2, dtype=bool))
    between = np.linspace(0.0, 19.0, 101)
    expected = np.stack([between**3 - 20.0 * between**2, 4.0 - between], axis=1)
    np.testing.assert_allclose(spline.at(between), expected, atol=1e-3)


def test_handles_lie_on_the_curve_that_is_evaluated() -> None:
    """De Casteljau in the middle of each piece, where the parameter is a half as handles reach a third."""
    frame = np.arange(30.0)
    values = np.sin(0.3 * frame)[:, None]
    spline = fit_spline(frame, values, np.array([0, 4, 13, 29]), np.ones(4, dtype=bool))
    left, right = spline.handles
    points = np.stack([spline.frame[:, None], spline.value], axis=-1)
    middle = (points[:-1] + 3.0 * right[:-1] + 3.0 * left[1:] + points[1:]) / 8.0
    np.testing.assert_allclose(spline.at(middle[:, 0, 0])[:, 0], middle[:, 0, 1], atol=1e-12)


def test_bent_pieces_come_nearer_and_are_what_blender_evaluates() -> None:
    """The parameter by which a piece reaches a frame is found here from the roots of the cubic."""
    frame = np.arange(25.0)
    values = np.stack([np.tanh(0.9 * (frame - 9.0)), np.zeros(25)], axis=1)
    keys = np.array([0, 6, 13, 24])
    straight = fit_spline(frame, values, keys, np.ones(4, dtype=bool))
    spline, at_frames = fit_handles(straight, values, keys)
    np.testing.assert_allclose(spline.at(frame), at_frames, atol=1e-9)
    assert np.square(at_frames - values).sum() < 0.7 * np.square(straight.at(frame) - values).sum()
    left, right = spline.handles
    points = np.stack([np.broadcast_to(spline.frame[:, None], spline.value.shape), spline.value], axis=-1)
    for number in range(1, 24):
        piece = int(np.searchsorted(keys, number, side="right")) - 1
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = (
            points[piece, 0],
            right[piece, 0],
            left[piece + 1, 0],
            points[piece + 1, 0],
        )
        assert x1 - x0 + x3 - x2 <= x3 - x0 + 1e-9  # beyond that Blender shortens handles
        cubic = [x3 - 3.0 * x2 + 3.0 * x1 - x0, 3.0 * x2 - 6.0 * x1 + 3.0 * x0, 3.0 * (x1 - x0), x0 - number]
        roots = np.roots(cubic)
        inside = (np.abs(roots.imag) < 1e-7) & (roots.real > -1e-7) & (roots.real < 1.0 + 1e-7)
        t = float(roots.real[inside][0])
        by_hand = (1 - t) ** 3 * y0 + 3 * t * (1 - t) ** 2 * y1 + 3 * t**2 * (1 - t) * y2 + t**3 * y3
        assert spline.at(np.array([float(number)]))[0, 0] == pytest.approx(by_hand, abs=1e-6)


def test_channels_that_do_not_change_have_one_key() -> None:
    frame = np.arange(30.0)
    values = np.stack([np.sin(0.3 * frame), np.full(30, 0.7)], axis=1)
    spline = fit_spline(frame, values, np.array([0, 10, 29]), np.ones(3, dtype=bool))
    assert spline.key_counts.tolist() == [3, 1]


def test_channels_that_turn_a_bone_as_wished() -> None:
    angles = np.random.default_rng(3).uniform(-1.0, 1.0, (6, 3))
    wish = np.random.default_rng(4).uniform(-0.01, 0.01, (6, 3))
    to_world = rotations.to_matrix(rotations.from_vector(angles[::-1]))
    for mode, values in (("XYZ", angles), ("QUATERNION", rotations.from_vector(angles))):
        track = Track(0, mode, values, to_world, np.zeros(0, dtype=np.int64))
        np.testing.assert_allclose(track.change(track.values_for(wish)), wish, atol=4e-4)


def test_exact_keys_keep_their_values() -> None:
    frame = np.arange(40.0)
    values = np.random.default_rng(1).standard_normal((40, 3))
    keys, exact = np.array([0, 11, 20, 39]), np.array([True, False, True, True])
    spline = fit_spline(frame, values, keys, exact)
    np.testing.assert_array_equal(spline.value[exact], values[keys[exact]])


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_euler_channels_turn_as_blender_turns(order: str) -> None:
    angles = np.random.default_rng(2).uniform(-1.0, 1.0, (5, 3))
    by_axis = [Rotation.from_rotvec(angles[:, [i]] * np.eye(3)[i]) for i in range(3)]
    first, second, third = (by_axis["XYZ".index(axis)] for axis in order)
    expected = (third * second * first).as_quat(scalar_first=True)
    assert rotations.angle_between(own_rotation(angles, order), expected).max() < 1e-7


def test_few_keys_stay_within_limits_by_full_kinematics() -> None:
    motion, limits = arm(), KeyLimits(0.5, 2.0)
    tracks, few = reduced(motion, limits)
    position, quaternion = posed(motion, tracks, few)
    shift = 1000.0 * np.linalg.norm(position - motion.position_world, axis=-1).max()
    turn = np.degrees(rotations.angle_between(quaternion, motion.quaternion_world).max())
    figures = KeyFigures.of(few, FRAMES)
    # What adding small turns up leaves out: half the square of half a degree, over 0.9 m.
    assert shift < 2.0 + 0.04
    assert turn < 0.5 + 0.01
    assert shift == pytest.approx(figures.millimetres, abs=0.04)
    assert turn == pytest.approx(figures.degrees, abs=0.01)
    assert figures.share < 0.25


def test_wider_limits_need_fewer_keys() -> None:
    shares = [
        KeyFigures.of(reduced(arm(), KeyLimits(0.25 * wide, wide))[1], FRAMES).count
        for wide in (0.5, 2.0, 8.0)
    ]
    assert shares[0] > shares[1] > shares[2]


def test_noise_within_nothing_gets_keys_until_it_is_met() -> None:
    tracks, few = reduced(arm(noise=0.05), KeyLimits(0.01, 0.05))
    assert few.shift_m.max() <= 5e-5
    assert np.degrees(few.turn_rad.max()) <= 0.01


def test_bones_that_keep_their_direction_are_carried_but_not_turned() -> None:
    parents = np.array([-1, 0, 1, 2])
    position: FloatArray = np.zeros((1, 4, 3))
    position[0, :, 2] = np.arange(4)
    tree = BoneTree(parents, position, (True, True, False, True))
    assert tree.rotated(0).tolist() == [0, 1]
    assert tree.moved[0][1].tolist() == [0, 1, 2, 2]
    np.testing.assert_array_equal(tree.lever_arms(0)[0, 2], [0.0, 1.0, 2.0, 2.0])


def test_limits_must_be_above_zero() -> None:
    with pytest.raises(InputError, match="above zero"):
        KeyLimits(0.0, 1.0)


@pytest.mark.skipif(not CMU.is_dir(), reason="the shared captures (../shared/data) are not on this machine")
def test_a_capture_needs_a_quarter_of_its_keys() -> None:
    row = measure("07_01", read_start("07_01").between(0.0, 1.5), KeyLimits())
    assert row["share"] <= 0.25
    assert row["millimetres"] < 2.05


def thrown(bounces: tuple[float, ...], rate: float = 100.0) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Time (T) [s] and path (T, 3), (T, 4) of a box that tumbles, and is sent up with 2 m/s at some times."""
    time = np.arange(0.0, 1.5, 1.0 / rate)
    height, begin = np.zeros_like(time), 0.0
    for end in (*bounces, 9.0):
        now = (time >= begin) & (time < end)
        height[now] = 2.0 * (time[now] - begin) - 0.5 * 9.81 * (time[now] - begin) ** 2
        begin = end
    quaternion = rotations.from_vector(np.outer(10.0 * time, [0.0, 1.0, 0.0]))
    return time, np.column_stack([1.5 * time, np.zeros_like(time), height]), quaternion


def test_falling_and_tumbling_are_no_knocks_and_bounces_are() -> None:
    assert not velocity_jumps(*thrown(())).any()
    flags = velocity_jumps(*thrown((0.405, 0.81)))
    time = thrown(())[0]
    for bounce in (0.405, 0.81):
        near = np.abs(time - bounce) < 0.015
        assert flags[near].any()
        flags[near] = False
    assert not flags.any()


def test_a_turn_alone_can_be_a_knock() -> None:
    """A door that is pushed open at half a second, by a body that does not move."""
    time = np.arange(0.0, 1.0, 0.01)
    turn = rotations.from_vector(np.outer(np.maximum(time - 0.5, 0.0) * 2.0, [0.0, 0.0, 1.0]))
    assert np.flatnonzero(velocity_jumps(time, np.zeros((len(time), 3)), turn)).tolist() == [50]


def test_frames_before_and_after_a_knock_are_named() -> None:
    time, frame_time = np.arange(0.0, 1.0, 0.01), np.arange(0.0, 1.0, 0.04)
    flags = np.zeros(len(time), dtype=bool)
    flags[[0, 9, 10, 40, 99]] = True  # 0 s, 0.09 to 0.1 s, 0.4 s, past the last frame
    assert frames_around(flags, time, frame_time).tolist() == [0, 2, 3, 10, 24]


def test_figures_of_several_things_are_the_sum_and_the_worst() -> None:
    both = KeyFigures.together([KeyFigures(3, 10, 0.1, 2.0), KeyFigures(4, 20, 0.4, 1.0)])
    assert both == KeyFigures(7, 30, 0.4, 2.0)
