"""Balls of some masses that lie ready to be thrown, because a compiled model cannot get new bodies."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np

from ..base.conventions import Z_UP, FloatArray
from ..scene.scene import Launch, Role, Scene, SceneObject
from ..scene.shapes import Sphere
from ..world.scene_model import hold_projectile, release_projectile
from ..world.world import World

MASSES_KG = (0.5, 1.0, 2.0, 5.0, 10.0)
"""Masses of the balls; each is thrown again when it is asked for again."""
DENSITY = 400.0
"""Of a ball [kg/m^3]: 5 kg have the size of a football."""
BELOW_M = 5.0
"""How far below the floor they wait [m]."""
FASTEST = 12.0
"""Largest speed of a ball [m/s]: what is faster would pass through a hand between two engine steps."""
PREFIX = "heft ball "


def radius_of(mass: float) -> float:
    """Return the radius of a ball [m]."""
    return float(np.cbrt(0.75 * mass / (np.pi * DENSITY)))


def with_balls(scene: Scene, floor: float) -> Scene:
    """Return a scene with the balls, waiting below the floor at a height [m]."""
    balls = tuple(
        SceneObject(
            f"{PREFIX}{mass:g} kg",
            Role.PROJECTILE,
            Sphere(radius_of(mass)),
            position=np.array([number, 0.0, floor - BELOW_M]),
            mass=mass,
            bounce=0.3,
            launch=Launch(0.0, FASTEST, direction=-Z_UP),
        )
        for number, mass in enumerate(MASSES_KG)
    )
    return replace(scene, objects=(*scene.objects, *balls))


class Balls:
    """The balls of a world."""

    def __init__(self, world: World, data: mujoco.MjData) -> None:
        """Let all balls wait."""
        self.world, self.data = world, data
        self.first = len(world.scene.objects) - len(MASSES_KG)
        self.thrown: set[str] = set()
        for number in range(len(MASSES_KG)):
            hold_projectile(world.engine.model, world.engine.objects, self.first + number)

    def throw(self, mass: float, position: FloatArray, velocity: FloatArray) -> None:
        """Throw the ball whose mass is nearest [kg] from a position (3) [m] with a velocity (3) [m/s]."""
        number = int(np.abs(np.array(MASSES_KG) - mass).argmin())
        engine, chosen = self.world.engine, self.first + number
        model, joint = engine.model, engine.model.body_jntadr[engine.objects.body[chosen]]
        release_projectile(model, engine.objects, chosen)
        qpos, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
        self.data.qpos[qpos : qpos + 7] = [*position, 1.0, 0.0, 0.0, 0.0]
        slower = min(1.0, FASTEST / max(float(np.linalg.norm(velocity)), 1e-9))
        self.data.qvel[dof : dof + 6] = [*(slower * velocity), 0.0, 0.0, 0.0]
        self.thrown.add(self.world.scene.objects[chosen].name)
