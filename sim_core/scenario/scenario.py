"""A performance ready for physics: a character, the rig it moves, and the motion at its size."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..character.anthropometry import body_height, leg_length
from ..character.binding import RigBinding, bind
from ..character.body_shapes import body_forms
from ..character.foot_repair import repair_feet
from ..character.from_rig import character_from_rig
from ..character.preset_character import load_character
from ..character.spec import CharacterSpec
from ..character.transfer import transfer_motion
from ..motion.motion import Motion
from ..scene.aims import Aim
from ..scene.scene import FLAT, Scene
from ..world.character_collision import SegmentPair
from .job import Job


@dataclass(frozen=True, eq=False)
class Scenario:
    """What is simulated.

    motion: the source at physical size; repaired: the same without flipped feet, for the simulation
    scale: physical size over the rig's own size
    leg_length [m]: hip to ankle; ground_height [m]
    scene: what is about it, at physical size; aims: what it shall strike, likewise
    passing: pairs of body parts that pass through each other; None lets all of them pass
    name: of the character; offset (3): by which it was moved, at physical size, to stand with others [m]
    belt (3): velocity of what the source stands on, where the take walks instead [m/s]
    notes: sentences for the user on how the character and its motion were set up
    """

    spec: CharacterSpec
    binding: RigBinding
    motion: Motion
    repaired: Motion
    ground_height: float
    leg_length: float
    scale: float
    scene: Scene = FLAT
    name: str = "character"
    aims: tuple[Aim, ...] = ()
    offset: FloatArray = field(default_factory=lambda: np.zeros(3))
    excluded_pairs: tuple[SegmentPair, ...] | None = None
    belt: FloatArray = field(default_factory=lambda: np.zeros(3))
    notes: tuple[str, ...] = ()

    @property
    def body_facts(self) -> dict[str, Any]:
        """What a result tells of the body: its size and place, and the shapes of its parts."""
        size = {"height": self.spec.height, "mass": self.spec.mass, "scale": self.scale}
        place = {"offset": self.offset.tolist(), "belt": self.belt.tolist()}
        return {
            "character": size | place | {"belt_from": float(self.motion.time[0])},
            "body_shapes": [form.as_dict() for form in body_forms(self.spec)],
        }

    def with_notes(self, *notes: str) -> Scenario:
        """Return the scenario with more sentences for the user after those it has."""
        return replace(self, notes=(*self.notes, *notes))

    def moved(self, offset: FloatArray) -> Scenario:
        """The same take elsewhere."""
        return replace(
            self,
            motion=self.motion.moved(offset),
            repaired=self.repaired.moved(offset),
            ground_height=self.ground_height + float(offset[2]),
            offset=self.offset + offset,
            aims=tuple(aim.moved(offset) for aim in self.aims),
        )

    def on_rig(self, position: FloatArray, time: FloatArray) -> FloatArray:
        """Points (T, N, 3) of the take at times (T) [s], where the rig has them and at its size."""
        carried = self.belt * (time - self.motion.time[0])[:, None, None]
        return (position - self.offset + carried) / self.scale


def make_scenario(job: Job) -> Scenario:
    """The character that the job's rig and settings describe."""
    if job.settings.character is not None:
        return _preset_scenario(job, job.settings.character)
    rig = bind(job.motion.skeleton, job.mapping)
    measured = body_height(rig)
    scale = 1.0 if job.settings.height is None else job.settings.height / measured
    motion = job.motion.scaled(scale)
    repaired, notes = repair_feet(rig, motion)
    built = character_from_rig(repaired, job.mapping, job.settings.mass)
    return Scenario(
        built.spec,
        built.binding,
        motion,
        repaired,
        built.ground_height,
        leg_length(built.binding),
        scale,
        job.scene.scaled(scale),
        job.name,
        tuple(aim.scaled(scale) for aim in job.aims),
        notes=(*built.notes, *notes),
    )


def _preset_scenario(job: Job, name: str) -> Scenario:
    if job.settings.height is not None or job.settings.mass is not None:
        raise InputError(f"The preset character '{name}' has its own height and mass; leave both out.")
    cast = transfer_motion(load_character(name), job.motion, job.mapping)
    leg = leg_length(cast.binding)
    motion = cast.motion
    return Scenario(cast.spec, cast.binding, motion, motion, 0.0, leg, 1.0, job.scene, job.name, job.aims)
