"""Rotation axioms on random rotations; scipy's matrices are the independent truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sim_core.base import rotations
from sim_core.base.conventions import Z_UP_FROM_Y_UP, FloatArray

ROUNDING = 1e-12


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def random_quaternions(rng: np.random.Generator, *shape: int) -> FloatArray:
    return rotations.normalise(rng.normal(size=(*shape, 4)))


def test_products_are_those_of_matrices(rng: np.random.Generator) -> None:
    a, b = random_quaternions(rng, 5, 3), random_quaternions(rng, 5, 3)
    product = rotations.to_matrix(rotations.multiply(a, b))
    assert product == pytest.approx(rotations.to_matrix(a) @ rotations.to_matrix(b), abs=ROUNDING)


def test_products_broadcast(rng: np.random.Generator) -> None:
    a, b = random_quaternions(rng), random_quaternions(rng, 4, 2)
    assert rotations.multiply(a, b)[3, 1] == pytest.approx(rotations.multiply(a, b[3, 1]))


def test_rotating_a_vector_is_the_matrix_product(rng: np.random.Generator) -> None:
    q, v = random_quaternions(rng, 6), rng.normal(size=(6, 3))
    turned = np.einsum("nij,nj->ni", rotations.to_matrix(q), v)
    assert rotations.rotate(q, v) == pytest.approx(turned, abs=ROUNDING)


def test_vector_products_are_numpys_to_the_last_digit(rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(5, 1, 3)), rng.normal(size=(4, 3))
    assert np.array_equal(rotations.cross(a, b), np.cross(a, b))


def test_lengths_are_numpys_to_the_last_digit(rng: np.random.Generator) -> None:
    q = rng.normal(size=(7, 3, 4))
    assert np.array_equal(rotations.length(q), np.linalg.norm(q, axis=-1))


def test_the_conjugate_undoes(rng: np.random.Generator) -> None:
    q = random_quaternions(rng, 6)
    identity = np.tile([1.0, 0.0, 0.0, 0.0], (6, 1))
    assert rotations.multiply(q, rotations.conjugate(q)) == pytest.approx(identity, abs=ROUNDING)


def test_relative_leads_from_one_frame_to_the_other(rng: np.random.Generator) -> None:
    a, b = random_quaternions(rng, 6), random_quaternions(rng, 6)
    assert rotations.multiply(a, rotations.relative(a, b)) == pytest.approx(b, abs=ROUNDING)


def test_angles_know_the_double_cover(rng: np.random.Generator) -> None:
    a, b = random_quaternions(rng, 50), random_quaternions(rng, 50)
    angle = rotations.angle_between(a, b)
    expected = (
        Rotation.from_quat(a, scalar_first=True).inv() * Rotation.from_quat(b, scalar_first=True)
    ).magnitude()
    assert angle == pytest.approx(expected, abs=1e-9)
    assert rotations.angle_between(-a, b) == pytest.approx(angle, abs=ROUNDING)
    assert rotations.angle_between(b, a) == pytest.approx(angle, abs=ROUNDING)


def test_small_angles_keep_their_digits() -> None:
    tiny = rotations.from_vector(np.array([1e-9, 0.0, 0.0]))
    assert rotations.angle_between(np.array([1.0, 0.0, 0.0, 0.0]), tiny) == pytest.approx(1e-9, rel=1e-6)


def test_continuous_removes_flips_and_keeps_rotations(rng: np.random.Generator) -> None:
    times = np.linspace(0.0, 3.0, 40)[:, None, None]
    smooth = rotations.from_vector(times * rng.normal(size=(1, 3, 3)))
    flipped = smooth * rng.choice([-1.0, 1.0], size=(40, 3, 1))
    result = rotations.continuous(flipped)
    assert np.all(np.sum(result[1:] * result[:-1], axis=-1) > 0.0)
    assert rotations.angle_between(result, smooth) == pytest.approx(np.zeros((40, 3)), abs=1e-7)
    assert result[0] == pytest.approx(flipped[0])


def test_vectors_and_matrices_come_back(rng: np.random.Generator) -> None:
    vectors = rng.normal(size=(4, 3, 3))
    assert np.linalg.norm(vectors, axis=-1).max() < np.pi
    assert rotations.to_vector(rotations.from_vector(vectors)) == pytest.approx(vectors, abs=1e-9)
    q = random_quaternions(rng, 4, 3)
    back = rotations.from_matrix(rotations.to_matrix(q))
    assert rotations.angle_between(back, q) == pytest.approx(np.zeros((4, 3)), abs=1e-7)


def test_euler_angles_turn_about_moving_axes() -> None:
    q = rotations.from_euler("ZYX", np.radians([[30.0, 40.0, 50.0]]))
    single = [
        rotations.from_euler(axis, np.radians([[angle]]))
        for axis, angle in zip("ZYX", (30, 40, 50), strict=True)
    ]
    product = rotations.multiply(rotations.multiply(single[0], single[1]), single[2])
    assert rotations.angle_between(q, product) == pytest.approx([0.0], abs=1e-7)


def test_y_up_turns_into_z_up_without_mirroring() -> None:
    assert pytest.approx([3.0, 1.0, 2.0]) == Z_UP_FROM_Y_UP @ [1.0, 2.0, 3.0]
    assert np.linalg.det(Z_UP_FROM_Y_UP) == pytest.approx(1.0)


def test_the_smallest_turn_to_a_normal(rng: np.random.Generator) -> None:
    normals = rng.normal(size=(20, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    normals[:, 2] = np.abs(normals[:, 2])
    turns = rotations.from_up(normals)
    assert turns[..., 2] == pytest.approx(normals, abs=ROUNDING)
    assert turns @ turns.swapaxes(-1, -2) == pytest.approx(np.tile(np.eye(3), (20, 1, 1)), abs=ROUNDING)
    # No turn with that image of Z is smaller than the angle between the two.
    angle = rotations.angle_between(rotations.from_matrix(turns), np.array([1.0, 0.0, 0.0, 0.0]))
    assert angle == pytest.approx(np.arccos(normals[:, 2]), abs=1e-7)


def test_slerp_turns_evenly_the_short_way() -> None:
    rng = np.random.default_rng(3)
    a, turn = rotations.from_vector(rng.normal(size=(50, 3))), rng.normal(size=(50, 3))
    b = rotations.multiply(a, rotations.from_vector(turn))
    for share in (0.0, 0.3, 1.0):
        part = rotations.slerp(a, -b, np.full(50, share))
        np.testing.assert_allclose(
            rotations.angle_between(a, part), share * rotations.angle_between(a, b), atol=1e-7
        )
        np.testing.assert_allclose(
            rotations.angle_between(part, b), (1.0 - share) * rotations.angle_between(a, b), atol=1e-7
        )


def test_turns_about_the_vertical_go_from_x_to_y() -> None:
    quarter = rotations.about_vertical(np.pi / 2)
    np.testing.assert_allclose(
        rotations.rotate(quarter, np.array([1.0, 0.0, 2.0])), [0.0, 1.0, 2.0], atol=1e-12
    )


def test_levelling_leaves_the_smallest_tilt() -> None:
    """A foot that is turned past the vertical keeps its heading; only what is upside down has none."""
    pitch = np.radians([0.0, 60.0, 89.0, 91.0, 150.0])
    tilted = rotations.multiply(rotations.about_vertical(0.4), rotations.from_euler("Y", pitch[:, None]))
    np.testing.assert_allclose(rotations.heading(rotations.vertical_twist(tilted)), 0.4, atol=1e-9)
    upside_down = rotations.from_euler("Y", np.array([np.pi]))
    np.testing.assert_allclose(np.linalg.norm(rotations.vertical_twist(upside_down)), 1.0)
