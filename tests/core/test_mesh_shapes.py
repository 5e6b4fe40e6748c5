"""A mesh becomes the simplest shape that stands for it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from sim_core.base.conventions import Z_UP, FloatArray
from sim_core.base.errors import InputError
from sim_core.scene.mesh_shapes import SHEET_THICKNESS, Mesh, height_field, shape_of_mesh
from sim_core.scene.shapes import Box, Capsule, Cylinder, HeightField, Hull, Shape, Sphere


def convex(vertices: FloatArray) -> Mesh:
    """A closed mesh about points, its triangles seen from outside."""
    hull = ConvexHull(vertices)
    triangles = hull.simplices.copy()
    corners = vertices[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inwards = (normal * hull.equations[:, :3]).sum(axis=1) < 0.0
    triangles[inwards] = triangles[inwards][:, ::-1]
    return Mesh(vertices, triangles)


def grid(heights: FloatArray, size: float = 2.0) -> Mesh:
    """An open sheet over a square about the origin."""
    rows, columns = heights.shape
    x, y = np.meshgrid(np.linspace(-size, size, columns), np.linspace(-size, size, rows))
    vertices = np.stack([x, y, heights], axis=-1).reshape(-1, 3)
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    lower = np.stack([corner, corner + 1, corner + columns], axis=1)
    upper = np.stack([corner + 1, corner + columns + 1, corner + columns], axis=1)
    return Mesh(vertices, np.vstack([lower, upper]))


def cuboid(half: FloatArray, middle: FloatArray) -> Mesh:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return convex(signs * half + middle)


def staircase() -> Mesh:
    """Two steps of 0.1 m, each 0.5 m deep, as one closed mesh."""
    profile = np.array([[0, 0], [1, 0], [1, 0.2], [0.5, 0.2], [0.5, 0.1], [0, 0.1]], dtype=float)
    left = np.column_stack([profile[:, 0], np.full(6, -0.5), profile[:, 1]])
    right = left + [0.0, 1.0, 0.0]
    cap = np.array([[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4]])
    sides = [[i, (i + 1) % 6, i + 6] for i in range(6)] + [
        [(i + 1) % 6, (i + 1) % 6 + 6, i + 6] for i in range(6)
    ]
    return Mesh(np.vstack([left, right]), np.vstack([cap, cap[:, ::-1] + 6, np.array(sides)[:, ::-1]]))


def look(mesh: Mesh, kind: str = "auto", is_static: bool = True) -> tuple[Shape, FloatArray]:
    return shape_of_mesh(mesh, kind, is_static, Z_UP)


def test_a_box_is_a_box_wherever_it_is() -> None:
    half, middle = np.array([1.0, 0.5, 0.02]), np.array([3.0, -1.0, 0.4])
    shape, place = look(cuboid(half, middle))
    assert isinstance(shape, Box) and shape.half_size == pytest.approx(half)
    assert place == pytest.approx(middle)


def test_a_ball_is_a_sphere() -> None:
    directions = np.random.default_rng(0).normal(size=(300, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    shape, place = look(convex(0.4 * directions + [0.0, 0.0, 2.0]))
    assert isinstance(shape, Sphere) and shape.radius == pytest.approx(0.4, rel=0.03)
    assert place == pytest.approx([0.0, 0.0, 2.0], abs=0.02)


def test_other_convex_bodies_are_hulls() -> None:
    wedge = convex(
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0.5], [1, 1, 0.5]], dtype=float)
    )
    shape, place = look(wedge)
    assert isinstance(shape, Hull) and len(shape.vertices) == 6
    assert not place.any()


def test_a_sheet_is_the_top_of_a_slab() -> None:
    shape, _ = look(grid(np.zeros((3, 3))))
    assert isinstance(shape, Hull)
    assert shape.vertices[:, 2].max() == 0.0
    assert shape.vertices[:, 2].min() == pytest.approx(-SHEET_THICKNESS)


def test_hills_and_stairs_that_stand_still_are_height_fields() -> None:
    hills = 0.3 * np.random.default_rng(1).uniform(size=(9, 9))
    assert isinstance(look(grid(hills))[0], HeightField)
    shape, place = look(staircase())
    assert isinstance(shape, HeightField)
    assert place == pytest.approx([0.5, 0.0, 0.0])
    x = np.linspace(0.0, 1.0, shape.heights.shape[1])
    middle = shape.heights[len(shape.heights) // 2]
    assert middle[(x > 0.01) & (x < 0.49)] == pytest.approx(0.1)
    assert middle[(x > 0.51) & (x < 0.99)] == pytest.approx(0.2)


def test_what_moves_or_leans_is_never_a_height_field() -> None:
    assert isinstance(look(staircase(), is_static=False)[0], Hull)
    leaning = np.array([0.3, 0.0, np.sqrt(1.0 - 0.09)])
    assert isinstance(shape_of_mesh(staircase(), "auto", True, leaning)[0], Hull)


def test_a_height_field_follows_the_highest_surface() -> None:
    """Of two sheets the upper one counts; between vertices it is their plane."""
    slope = np.tile(np.linspace(0.0, 1.0, 5), (5, 1))
    upper, lower = grid(slope), grid(slope - 0.5)
    both = Mesh(
        np.vstack([lower.vertices, upper.vertices]), np.vstack([lower.triangles, upper.triangles + 25])
    )
    field = height_field(both)
    x = np.linspace(0.0, 1.0, field.heights.shape[1])
    assert field.heights == pytest.approx(np.tile(x, (len(field.heights), 1)), abs=1e-9)
    assert field.half_size == pytest.approx([2.0, 2.0])


@pytest.mark.parametrize(("kind", "wanted"), [("box", Box), ("cylinder", Cylinder), ("capsule", Capsule)])
def test_a_shape_may_be_asked_for(kind: str, wanted: type[Shape]) -> None:
    shape, place = look(staircase(), kind)
    assert isinstance(shape, wanted)
    assert place == pytest.approx([0.5, 0.0, 0.1])


def test_a_mirrored_mesh_is_still_seen_from_outside() -> None:
    mirrored = staircase().transformed(np.diag([1.0, -1.0, 1.0]))
    a, b, c = (mirrored.vertices[mirrored.triangles[:, i]] for i in range(3))
    assert np.sum(np.cross(a, b) * c) / 6.0 == pytest.approx(0.15)


def test_meshes_without_a_surface_are_refused() -> None:
    line = np.outer(np.arange(4.0), [1.0, 0.0, 0.0])
    with pytest.raises(InputError, match="no faces"):
        look(Mesh(line, np.zeros((0, 3), dtype=np.int64)))
    with pytest.raises(InputError, match="on one line"):
        look(Mesh(line, np.array([[0, 1, 2]])))
