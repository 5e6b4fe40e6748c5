"""Step 1, set up the characters: what is known of each before the first attempt, and stays so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..aiming.aiming import Aiming, make_aiming
from ..aiming.correction import Correction
from ..base.conventions import BoolArray, FloatArray
from ..character.posing import pose_from_motion
from ..control.gain_cache import GainCache
from ..motion.motion import CONTROL_DT, Motion, low_pass, on_control_grid
from ..reference.prepare import Prepared
from ..reference.reference import reference_from_poses
from ..scenario.dials import DialFactors, dial_factors
from ..scenario.job import Job
from ..scenario.scenario import Scenario
from ..scenario.settings import BakeSettings
from ..scenario.several import make_scenarios
from ..simulation.kinematic import ClipPlayback, lower_body
from ..world.world import World, WorldCharacter, build_worlds
from .diagnosis import lying
from .methods import USUAL, Method, Preparation, methods_for

TIMESTEP = {"draft": 0.002, "standard": 0.001, "best": 0.001}
"""Time step of the engine by quality [s]."""


@dataclass(frozen=True, eq=False)
class CharacterSetup:
    """One character of a bake.

    index: of the character in the simulation
    begun (N, nq): poses with which a reference begins that goes on where another one stops; None is its own
    references: those that were made so far, by how they were prepared and how strikes were corrected
    """

    scenario: Scenario
    settings: BakeSettings
    world: World
    index: int = 0
    begun: FloatArray | None = None
    references: dict[tuple[Preparation, Correction | None], Prepared] = field(default_factory=dict)

    @cached_property
    def source(self) -> Motion:
        """The source motion on the control grid."""
        return on_control_grid(self.scenario.motion)

    @cached_property
    def source_qpos(self) -> FloatArray:
        """Joint coordinates (T, nq) of the source."""
        return pose_from_motion(self.scenario.spec, self.scenario.binding, self.source)

    @cached_property
    def source_lies(self) -> BoolArray:
        """Whether the body lies in the source (T)."""
        return lying(self.scenario, self.source_qpos)

    @cached_property
    def source_clip(self) -> ClipPlayback:
        """The source for what is played instead of being simulated."""
        return ClipPlayback(self.world.model, self.source_qpos, CONTROL_DT)

    @cached_property
    def source_qacc(self) -> FloatArray:
        """Accelerations (T, nv) of the source, smoothed on the control grid: so no frame rate matters."""
        spec, binding = self.scenario.spec, self.scenario.binding
        smooth = pose_from_motion(spec, binding, low_pass(self.source, USUAL.cutoff_hz))
        return reference_from_poses(self.world.model, smooth, CONTROL_DT).qacc

    @cached_property
    def kinematic_segments(self) -> tuple[int, ...]:
        """Indices of the segments that follow the source instead of being simulated."""
        names = self.scenario.spec.names
        return {"whole": (), "upper": lower_body(names), "soft": tuple(range(len(names)))}[self.settings.only]

    @cached_property
    def dials(self) -> DialFactors:
        """What the plain-word dials of the settings come to."""
        return dial_factors(self.settings)

    @cached_property
    def methods(self) -> tuple[Method, ...]:
        """The methods of the quality, in the order in which they are tried."""
        return methods_for(self.settings.quality, self.settings.correction, self.dials)

    @cached_property
    def gains(self) -> GainCache:
        """Feedback gains that other attempts, and later bakes, need not compute again."""
        folder = self.settings.gain_folder
        return GainCache(None if folder is None else Path(folder))

    @cached_property
    def aiming(self) -> Aiming | None:
        """The strikes of the character; None if there are none."""
        if not self.scenario.aims:
            return None
        smooth = self.smoothed(USUAL.cutoff_hz)
        return make_aiming(self.scenario, self.world, self.source, smooth, CONTROL_DT)

    def smoothed(self, cutoff_hz: float) -> Motion:
        """Return the repaired motion without noise above a frequency, on the control grid."""
        return on_control_grid(low_pass(self.scenario.repaired, cutoff_hz))


def set_up(jobs: Sequence[Job]) -> tuple[CharacterSetup, ...]:
    """Build all characters of a bake and the one engine model that they share."""
    scenarios, settings = make_scenarios(jobs), [job.settings for job in jobs]
    worlds = make_worlds(scenarios, [own.quality for own in settings])
    return tuple(
        CharacterSetup(scenario, own, world, index)
        for index, (scenario, own, world) in enumerate(zip(scenarios, settings, worlds, strict=True))
    )


def make_worlds(scenarios: Sequence[Scenario], qualities: Sequence[str]) -> tuple[World, ...]:
    """Compile the scene of the first scenario with all characters, at the step of the finest quality."""
    characters = [
        WorldCharacter(own.spec, own.ground_height, own.name, own.excluded_pairs, own.body, own.soft)
        for own in scenarios
    ]
    start_s = float(scenarios[0].motion.time[0])
    return build_worlds(characters, min(TIMESTEP[own] for own in qualities), scenarios[0].scene, start_s)
