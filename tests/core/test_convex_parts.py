"""Meshes of any form: their convex parts fill them, and nothing but them."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from sim_core.base.conventions import FloatArray, IntArray
from sim_core.base.errors import InputError
from sim_core.scene.convex_parts import convex_parts, hull_volume, signed_volume
from sim_core.scene.mesh_shapes import Mesh
from sim_core.scene.scene import Role, Scene, SceneObject
from sim_core.scene.scene_file import scene_from_dict, scene_to_dict
from sim_core.scene.shapes import Compound, Sphere, half_thickness
from sim_core.simulation.overlaps import refuse_overlaps
from sim_core.world.ground import SceneGround
from tests.core.sample_motions import Scene as Made
from tests.core.sample_motions import scene as made_for
from tests.core.sample_motions import still
from tests.core.test_mesh_shapes import cuboid, look
from tests.core.test_props import FAR, among, fall, prop, prop_path

RING, TUBE = 0.5, 0.1


@pytest.fixture(scope="module")
def standing() -> Made:
    return made_for(still(0.5))


def joined(*meshes: Mesh) -> Mesh:
    starts = np.cumsum([0, *(len(m.vertices) for m in meshes)])
    return Mesh(
        np.vstack([m.vertices for m in meshes]),
        np.vstack([m.triangles + s for m, s in zip(meshes, starts[:-1], strict=True)]),
    )


def doorway() -> Mesh:
    """Two posts and a lintel: 1 m wide and 2 m high inside."""
    posts = [cuboid(np.array([0.3, 0.1, 1.0]), np.array([x, 0.0, 1.0])) for x in (-0.8, 0.8)]
    return joined(*posts, cuboid(np.array([1.1, 0.1, 0.2]), np.array([0.0, 0.0, 2.2])))


def torus(around: int = 24, across: int = 8) -> Mesh:
    a, b = np.meshgrid(*(2.0 * np.pi * np.arange(n) / n for n in (around, across)), indexing="ij")
    out = RING + TUBE * np.cos(b)
    vertices = np.stack([out * np.cos(a), out * np.sin(a), TUBE * np.sin(b)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")

    def at(i: IntArray, j: IntArray) -> IntArray:
        return ((i % around) * across + j % across).reshape(-1)

    lower = np.stack([at(i, j), at(i + 1, j), at(i + 1, j + 1)], axis=1)
    return Mesh(vertices, np.vstack([lower, np.stack([at(i, j), at(i + 1, j + 1), at(i, j + 1)], axis=1)]))


@pytest.fixture(scope="module")
def ring() -> Compound:
    mesh = torus()
    return Compound(mesh.vertices, mesh.triangles)


def covered(parts: tuple[FloatArray, ...], point: FloatArray) -> bool:
    """Whether a point lies in one of the parts, by the engine."""
    spec = mujoco.MjSpec()
    for number, part in enumerate(parts):
        spec.add_mesh(name=f"{number}").uservert = part.reshape(-1)
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"{number}")
    probe = spec.worldbody.add_body(pos=point)
    probe.add_freejoint()
    probe.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[1e-3, 0.0, 0.0])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return bool(data.ncon > 0)


def test_convex_pieces_are_taken_as_they_are() -> None:
    mesh = doorway()
    parts = convex_parts(mesh.vertices, mesh.triangles)
    assert sorted(map(len, parts)) == [8, 8, 8]
    assert sum(map(hull_volume, parts)) == pytest.approx(signed_volume(mesh.vertices, mesh.triangles))


def test_a_ring_keeps_its_hole_and_its_volume(ring: Compound) -> None:
    """A tenth: the parts are hulls of bent pieces."""
    parts = tuple(part.vertices for part in ring.parts)
    assert sum(map(hull_volume, parts)) == pytest.approx(
        signed_volume(ring.vertices, ring.triangles), rel=0.1
    )
    assert not covered(parts, np.zeros(3))
    for angle in np.linspace(0.0, 2.0 * np.pi, 8):
        assert covered(parts, RING * np.array([np.cos(angle), np.sin(angle), 0.0]))


@pytest.mark.parametrize("fault", ["loose vertices", "double vertices"])
def test_vertices_too_many_change_nothing(ring: Compound, fault: str) -> None:
    vertices, triangles = ring.vertices, ring.triangles
    if fault == "loose vertices":
        vertices = np.vstack([vertices, [[5.0, 0.0, 0.0]]])
    else:
        vertices, triangles = vertices[triangles.reshape(-1)], np.arange(triangles.size).reshape(-1, 3)
    volume = sum(map(hull_volume, convex_parts(vertices, triangles)))
    assert volume == pytest.approx(sum(hull_volume(part.vertices) for part in ring.parts), rel=0.05)


def test_a_box_with_a_face_turned_round_is_a_box() -> None:
    """Drawn anew from cubes of a twentieth of its size, of which it takes on less than one."""
    mesh = cuboid(np.array([0.3, 0.2, 0.2]), np.zeros(3))
    parts = convex_parts(mesh.vertices, np.vstack([mesh.triangles[:1, ::-1], mesh.triangles[1:]]))
    assert np.abs(np.vstack(parts)).max(axis=0) == pytest.approx([0.3, 0.2, 0.2], abs=0.6 / 20)
    assert covered(parts, np.zeros(3))


def test_an_open_box_holds_what_falls_into_it(standing: Made) -> None:
    """It is not watertight, and has walls without thickness."""
    mesh = cuboid(np.array([0.3, 0.3, 0.2]), np.zeros(3))
    lid = (mesh.vertices[mesh.triangles][:, :, 2] > 0.0).all(axis=1)
    tub = SceneObject("tub", Role.OBSTACLE, Compound(mesh.vertices, mesh.triangles[~lid]), FAR + [0, 0, 0.3])
    world = among(standing, tub, prop("ball", Sphere(0.1), FAR + [0, 0, 0.6], mass=0.1))
    height = prop_path(world, fall(standing, world, 1.0), "ball")[-1, 2]
    assert height == pytest.approx(0.2, abs=0.03), "on the bottom of the tub, whose cubes are 3 cm"


def test_a_mesh_without_any_inside_is_refused() -> None:
    flat = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    with pytest.raises(InputError, match="lie in one plane"):
        Compound(flat, faces)
    with pytest.raises(InputError, match="encloses nothing"):
        convex_parts(flat, faces)
    with pytest.raises(InputError, match="whole numbers from 0 to 3"):
        Compound(flat + np.eye(4, 3), np.array([[0, 1, 9]]))


def test_a_scene_file_holds_meshes(ring: Compound) -> None:
    scene = Scene((SceneObject("ring", Role.OBSTACLE, ring),))
    (again,) = scene_from_dict(scene_to_dict(scene), "a test").objects
    assert isinstance(again.shape, Compound)
    assert np.array_equal(again.shape.triangles, ring.triangles)
    assert again.shape.vertices == pytest.approx(ring.vertices)


def test_a_doorway_is_seen_as_one_and_can_be_walked_through(standing: Made) -> None:
    shape, place = look(doorway())
    assert isinstance(shape, Compound) and not place.any()
    door = SceneObject("door", Role.OBSTACLE, shape)
    ground = SceneGround(Scene((door,)), 0.0)
    below = ground.below(np.array([[0.0, 0.0, 1.0], [0.8, 0.0, 2.3]]))
    assert below.height == pytest.approx([0.0, 2.4])
    assert below.object[1] == 0
    ball = prop(
        "ball",
        look(cuboid(np.full(3, 0.1), np.zeros(3)))[0],
        np.array([0.0, -1.0, 1.0]),
        velocity=[0, 4.0, 0],
    )
    world = among(standing, door, ball)
    refuse_overlaps((world,), (standing.qpos[0] + np.eye(len(standing.qpos[0]))[0] * 5.0,))
    assert prop_path(world, fall(standing, world, 0.4), "ball")[-1, 1] > 0.4


def test_a_ring_falls_over_a_peg_with_the_mass_of_its_parts(standing: Made, ring: Compound) -> None:
    """As a hull it would come to rest on top of the peg."""
    peg = SceneObject("peg", Role.OBSTACLE, look(cuboid(np.array([0.1, 0.1, 0.5]), np.zeros(3)))[0], FAR)
    world = among(standing, peg, prop("ring", ring, FAR + [0.0, 0.0, 0.7], mass=3.0))
    body = world.engine.objects.body[1]
    assert world.engine.model.body_mass[body] == pytest.approx(3.0)
    spin = 3.0 * (RING**2 + 0.75 * TUBE**2)  # of a torus about its axis
    assert world.engine.model.body_inertia[body].max() == pytest.approx(spin, rel=0.1)
    path = prop_path(world, fall(standing, world, 1.0), "ring")
    assert path[-1, 2] == pytest.approx(TUBE, abs=0.02)
    assert half_thickness(ring) < TUBE + 0.01
    assert world.describe_geom(int(world.engine.objects.geoms_of(1)[-1])) == "'ring'"
