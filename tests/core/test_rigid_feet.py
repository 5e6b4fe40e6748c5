"""Feet that bend at their toes, on feet that cannot: tips stay on the floor, ankles where they are."""

from __future__ import annotations

import numpy as np

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.character.posing import segment_poses
from sim_core.reference.rigid_feet import lift_dipping_tips
from tests.core.sample_motions import DT, Scene, glide, scene, still


def tips(made: Scene, qpos: FloatArray) -> FloatArray:
    """Height of the tip of each foot (T, 2) above the floor [m]."""
    spec = made.world.spec
    position, quaternion = segment_poses(spec, qpos)
    feet = made.world.index.foot_segments.tolist()
    heights = [
        position[:, foot, 2]
        + rotations.rotate(quaternion[:, foot], spec[spec.names[foot]].contact_points[2:].mean(axis=0))[:, 2]
        for foot in feet
    ]
    return np.stack(heights, axis=1) - made.world.ground_height


def pointing(made: Scene, most: float) -> FloatArray:
    """The left foot points its toes down by an angle and back again [rad]."""
    qpos, foot = made.qpos.copy(), int(made.world.index.foot_segments[0])
    share = np.linspace(0.0, 2.0, len(qpos))
    angle = most * glide(1.0 - np.abs(1.0 - share))
    first = int(made.world.model.jnt_qposadr[made.world.index.joint[foot]])
    turn = rotations.from_vector(np.outer(angle, [0.0, 1.0, 0.0]))
    qpos[:, first : first + 4] = rotations.multiply(qpos[:, first : first + 4], turn)
    return qpos


def test_a_tip_that_dips_is_lifted_about_the_ankle() -> None:
    made = scene(still(1.0))
    dipping = pointing(made, 0.2)
    assert tips(made, dipping)[:, 0].min() < -0.03
    lifted = lift_dipping_tips(made.world, dipping, DT)
    # The low-pass rounds the corners of the turn by a millimetre.
    assert tips(made, lifted).min() > -0.0015
    before, after = (segment_poses(made.world.spec, poses)[0] for poses in (dipping, lifted))
    assert np.allclose(before, after, atol=1e-9)


def test_feet_on_the_floor_stay_as_they_are() -> None:
    made = scene(still(1.0))
    assert np.allclose(lift_dipping_tips(made.world, made.qpos, DT), made.qpos, atol=1e-3)


def test_a_foot_that_points_down_is_not_turned_without_end() -> None:
    """Ballet: no turn of this size brings the tip up, so it is not tried to the end."""
    made = scene(still(1.0))
    down = pointing(made, 1.4)
    turn = rotations.angle_between(
        *(
            segment_poses(made.world.spec, poses)[1]
            for poses in (down, lift_dipping_tips(made.world, down, DT))
        )
    )
    assert turn.max() < 0.45
