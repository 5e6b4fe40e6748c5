"""Simulating only around hits (Zordan, Hodgins 2002, section 8.1).

Characters play their clips as moving obstacles until shortly before something hits one of them. From there
on all are simulated. When all are back on their motions they return to their clips. A second simulation,
which plays the clips ahead of the first, finds the next hit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from ..base.conventions import FloatArray
from ..base.intervals import smooth_step
from ..control.hit_reaction import HitReactions
from ..reference.contacts import REFERENCE_LEG_LENGTH
from ..reference.reference import Reference, pose_changes
from ..simulation.kinematic import ClipPlayback, blend_with_clip
from ..simulation.projectiles import Flight
from ..simulation.simulation import Simulation
from ..simulation.trace import Trace
from ..world.scene_model import hold_projectile
from ..world.start_state import raise_out_of_ground
from ..world.world import World

BLEND_S = 0.4
"""Time over which clip and simulation are blended into each other [s]."""
LEAD_S = 0.5
"""Time by which the simulation starts before a hit, so that the blend is over when it happens [s]."""
QUIET_S = 0.2
"""Least time after the last hit before the clip may come back [s]."""
NEAR_M, NEAR_RAD = 0.05, np.radians(5.0)
"""A body is back on its motion when its pelvis is within the first [m], for a leg of 0.86 m, and its joints
are within the second [rad] on average."""


@dataclass(frozen=True, eq=False)
class CharacterWatch:
    """What is observed of one character: its clip, its reference, and the hits that it detects."""

    world: World
    clip: ClipPlayback
    reference: Reference
    reactions: HitReactions
    leg_length: float

    def is_near(self, sample: int, qpos: FloatArray) -> bool:
        """Return whether a pose (nq) is near the reference."""
        planned = self.reference.qpos[sample : sample + 1]
        change = pose_changes(self.world.model, planned, qpos[None])[0]
        near_m = NEAR_M * self.leg_length / REFERENCE_LEG_LENGTH
        return bool(np.linalg.norm(change[:3]) < near_m and np.abs(change[3:]).mean() < NEAR_RAD)

    def is_quiet(self, time_s: float, disturbed_s: float) -> bool:
        """Return whether the body has recovered from all hits; disturbed_s: time of the last push [s]."""
        last = max([disturbed_s, *self.reactions.last_hit.values()])
        return time_s - last >= max(QUIET_S, self.reactions.settings.recovery_s)


class AroundHits:
    """Decides at each control interval whether the characters play their clips or are simulated."""

    def __init__(
        self,
        simulation: Simulation,
        lookahead: Simulation,
        watches: Sequence[CharacterWatch],
        flights: Sequence[Flight],
        ticks: int,
    ) -> None:
        """Set up; lookahead: a second simulation of the same engine; ticks: control intervals in all."""
        self.simulation, self.lookahead, self.watches = simulation, lookahead, tuple(watches)
        self.flights, self.ticks, self.dt = flights, ticks, simulation.control_dt
        self.steps = max(character.hold for character in simulation.characters)
        self.blend, self.lead = round(BLEND_S / self.dt), round(LEAD_S / self.dt)
        self.windows: list[list[int]] = []  # first and past-the-last simulated tick of each
        self.playing, self.near_since, self.disturbed = True, 0, 0  # ticks: when near again, when last pushed

    def begin(self) -> None:
        """Let all characters play, or simulate them if something hits them soon; before the first sample."""
        self._play(self.simulation, 0)
        self.next_hit = self._look_ahead(0)
        self.switch(0)

    def switch(self, tick: int) -> None:
        """Change between playing and simulating, at the start of a control interval."""
        if tick % self.steps:
            return  # commands are kept for several ticks
        if self.playing:
            if self.next_hit is not None and tick + self.lead >= self.next_hit:
                self._simulate(tick)
        elif not self._is_back(tick):
            self.near_since = tick
        elif tick - self.near_since >= self.blend:
            self.near_since, next_hit = tick, self._look_ahead(tick)
            if next_hit is None or tick + self.lead < next_hit:
                self.windows[-1][1], self.playing, self.next_hit = tick, True, next_hit
                self._play(self.simulation, tick)

    def shares(self, samples: int) -> FloatArray:
        """Return how much of each sample is simulated (T): 0 is the clip as it was."""
        share = np.zeros(samples)
        for first, end in self.windows:
            tick = np.arange(first, min(end, samples))
            into = 1.0 if first == 0 else smooth_step((tick - first) / self.blend)
            out = 1.0 if end > self.ticks else smooth_step((end - tick) / self.blend)
            share[tick] = into * out
        return share

    def blended(self, index: int, trace: Trace) -> Trace:
        """Return a character's trace with its clip, which has no forces, where nothing was simulated."""
        watch = self.watches[index]
        return blend_with_clip(trace, watch.clip, watch.world.spec, self.shares(len(trace.time)))

    def _is_back(self, tick: int) -> bool:
        characters, time_s = self.simulation.characters, tick * self.dt
        if any(character.push.any() for character in characters):
            self.disturbed = max(self.disturbed, tick)
        return all(
            watch.is_near(tick, character.qpos) and watch.is_quiet(time_s, self.disturbed * self.dt)
            for watch, character in zip(self.watches, characters, strict=True)
        )

    def _play(self, simulation: Simulation, tick: int) -> None:
        for character, watch in zip(simulation.characters, self.watches, strict=True):
            character.play(watch.clip, tick)

    def _simulate(self, tick: int) -> None:
        assert self.next_hit is not None
        self.windows.append([tick, self.ticks + 1])
        self.playing, self.near_since, self.disturbed = False, tick, self.next_hit
        for character, watch in zip(self.simulation.characters, self.watches, strict=True):
            start = raise_out_of_ground(watch.world, watch.reference.qpos[tick])
            character.start(start, watch.reference.qvel[tick])

    def _look_ahead(self, tick: int) -> int | None:
        """Return the control interval of the next hit if all go on playing; None if there is none."""
        model, lookahead = self.simulation.engine.model, self.lookahead
        mujoco.mj_copyData(lookahead.data, model, self.simulation.data)
        self._play(lookahead, tick)
        detectors = [
            HitReactions(own.world.spec, own.world.colliders, own.reactions.settings) for own in self.watches
        ]
        found = None
        for now in range(tick, self.ticks):
            lookahead.advance(now, self.flights)
            for character, reactions in zip(lookahead.characters, detectors, strict=True):
                reactions.observe((now + 1) * self.dt, character.impacts.drain())
            hit = any(reactions.last_hit for reactions in detectors)
            if hit or any(character.push.any() for character in lookahead.characters):
                found = now
                break
        for flight in self.flights:
            if flight.tick >= tick:  # the engine's model is shared
                hold_projectile(model, lookahead.objects, flight.object_index)
        return found
