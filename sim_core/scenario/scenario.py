"""What one character is asked to do: its body, its motion, its scene and its targets, at physical size."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..base.conventions import FloatArray
from ..base.errors import InputError
from ..character.anthropometry import body_height, leg_length
from ..character.binding import RigBinding, bind
from ..character.from_rig import character_from_rig, has_toes
from ..character.joint_repair import repair_motion
from ..character.preset_character import load_character
from ..character.spec import CharacterSpec
from ..character.transfer import transfer_motion
from ..motion.motion import Motion
from ..reading.pace_and_size import size_note, usual_size
from ..reading.rest_pose import standing_at_rest
from ..reading.seat import with_seat
from ..result.records import JointRepair
from ..scene.aims import Aim
from ..scene.scene import FLAT, Scene
from ..world.character_collision import SegmentPair
from ..world.soft_model import WorldSoft
from ..world.world import CompiledBody
from .floor import find_floor
from .job import Job

NO_TOES = "The rig has no toe bones on both sides, so its feet do not bend; assign them under Bones."
"""Note where feet should bend and cannot."""


@dataclass(frozen=True, eq=False)
class Scenario:
    """One character, the motion that it is to follow, its surroundings and its targets, at physical size.

    motion: the source; repaired: the same without samples that no body can do, which is what the simulation
    follows; repairs: what was repaired
    ground_height: of the floor [m]; leg_length: from hip to ankle [m]
    scale: physical size over the rig's own size
    scene: the objects around the character; aims: the targets that it shall strike
    offset (3): by how much it was moved in order to stand beside other characters [m]
    excluded_pairs: pairs of segments that do not collide with each other; None for no self-collision at all
    belt (3): velocity of the treadmill that the source walks on, where the simulation walks over ground [m/s]
    notes: sentences for the user on how the character and its motion were set up
    body: the character's own compiled model; None where nothing was compiled yet
    soft: its soft parts, whose mass is in the spec's segments; None without any
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
    body: CompiledBody | None = None
    repairs: tuple[JointRepair, ...] = ()
    soft: WorldSoft | None = None

    def with_notes(self, *notes: str) -> Scenario:
        """Return the scenario with more sentences for the user after those it has."""
        return replace(self, notes=(*self.notes, *notes))

    def moved(self, offset: FloatArray) -> Scenario:
        """Return the scenario moved by an offset (3) [m]."""
        return replace(
            self,
            motion=self.motion.moved(offset),
            repaired=self.repaired.moved(offset),
            ground_height=self.ground_height + float(offset[2]),
            offset=self.offset + offset,
            aims=tuple(aim.moved(offset) for aim in self.aims),
        )

    def on_rig(self, position: FloatArray, time: FloatArray) -> FloatArray:
        """Return points (T, N, 3) at times (T) [s] where the rig has them, at the rig's own size."""
        belt_travel = self.belt * (time - self.motion.time[0])[:, None, None]
        return (position - self.offset + belt_travel) / self.scale


def make_scenario(job: Job) -> Scenario:
    """Build the character that a job's rig and settings describe."""
    if job.settings.character is not None:
        return _preset_scenario(job, job.settings.character)
    source = standing_at_rest(job.motion, job.mapping)
    rig = bind(source.skeleton, job.mapping)
    measured = body_height(rig)
    height = usual_size(measured) if job.settings.height is None else job.settings.height
    scale = height / measured
    motion = source.scaled(scale)
    repair = repair_motion(rig, motion)
    notes = repair.notes if scale == 1.0 else (size_note(height, measured), *repair.notes)
    if job.settings.toe_joint and not has_toes(job.mapping):
        notes = (*notes, NO_TOES)
    found = character_from_rig(repair.motion, job.mapping, job.settings.mass, job.settings.toe_joint)
    built = with_seat(found, repair.motion)
    scene = job.scene.scaled(scale)
    floor, told = find_floor(scene, built.ground_height, float(motion.time[0]))
    return Scenario(
        built.spec,
        built.binding,
        motion,
        repair.motion,
        floor,
        leg_length(built.binding),
        scale,
        scene,
        job.name,
        tuple(aim.scaled(scale) for aim in job.aims),
        notes=(*built.notes, *notes, *filter(None, [told])),
        repairs=repair.repairs,
    )


def _preset_scenario(job: Job, name: str) -> Scenario:
    if job.settings.height is not None or job.settings.mass is not None:
        raise InputError(f"The preset character '{name}' has its own height and mass; leave both out.")
    moved = transfer_motion(load_character(name), job.motion, job.mapping)
    leg, motion = leg_length(moved.binding), moved.motion
    floor, told = find_floor(job.scene, 0.0, float(motion.time[0]))
    scenario = Scenario(
        moved.spec, moved.binding, motion, motion, floor, leg, 1.0, job.scene, job.name, job.aims
    )
    return scenario.with_notes(told) if told else scenario
