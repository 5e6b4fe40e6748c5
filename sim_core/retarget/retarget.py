"""The retargeting pipeline, from motions and other bodies to those bodies' motions, and its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..base.conventions import Z_UP, BoolArray, FloatArray
from ..base.errors import InputError
from ..base.files import AnyPath
from ..base.npz_file import write_file
from ..motion.motion import Motion, low_pass_values
from ..motion.motion_arrays import motion_to_arrays
from ..recognition.mapping import SIDES, mapping_to_object
from ..scene.scene import FLAT, Scene
from .extremities import extremity_rotations
from .foot_goals import foot_goals, roll_share, with_reaches
from .hands import Hands, reached
from .heel_rise import raised_heels
from .legs import Legs, following
from .placement import ground_shifts
from .props import Prop
from .relations import Actor, find_relations
from .resizing import Resizing, is_same_body, motion_on_same_body, resizing
from .retarget_options import Feet, RetargetOptions, check_reaches
from .retarget_rig import RetargetRig, make_retarget_rig
from .scene_floor import SceneFloor, on_ground
from .stances import FootPath, find_stances, foot_path, standing_height, steady_feet
from .style import BoneRotations, moved_by, posed, styled
from .trunk import bent_trunks, missing
from .unreached import Unreached, unreached

SCHEMA = 1
SWAY_HZ = 6.0
"""Cutoff of the low-pass for the displacement of feet by other hips and legs; faster ones would shake them
[Hz]."""
SAME_BODY = (
    "Source and target are the same body, so the motion was taken over as it is; lock the feet to take "
    "out what skates in it."
)
"""Note on a motion that was copied."""


@dataclass(frozen=True, eq=False)
class Retargeted:
    """The target's motion, and what it was made from.

    repaired: the source's motion with steady feet; rests: side -> when its heel and toes rest (T, 2)
    turned_bones: bones of the target that have rotations of their own
    floor: the ground of the target; leg_ratio: target over source; notes: on the source
    unreached: what hands touch in the source and miss here
    """

    motion: Motion
    source: RetargetRig
    target: RetargetRig
    repaired: Motion
    rests: dict[str, BoolArray]
    turned_bones: tuple[int, ...]
    floor: SceneFloor
    leg_ratio: float
    notes: tuple[str, ...]
    unreached: tuple[Unreached, ...] = ()


@dataclass(frozen=True, eq=False)
class Take:
    """A motion of a source, the target that shall have it, and how."""

    source: RetargetRig
    motion: Motion
    target: RetargetRig
    options: RetargetOptions = field(default_factory=RetargetOptions)

    @property
    def ratio(self) -> float:
        """Length of the target's legs, relative to the source's."""
        return self.target.leg_length / self.source.leg_length


@dataclass(frozen=True, eq=False)
class _Common:
    """What all characters share.

    start (3): about which paths are scaled [m]; keeps_path: or not at all
    across, time_scale: factors of paths and of the time
    copies: whether everybody is retargeted to the same body, and so keeps the motion as it is
    """

    scene: Scene
    start: FloatArray
    keeps_path: bool
    across: float
    time_scale: float
    copies: bool

    @staticmethod
    def of(takes: Sequence[Take], props: Sequence[Prop], scene: Scene) -> _Common:
        """Return what is common to characters and the props that they touch."""
        hips = [take.motion.position_world[0, take.source.bone("hips")] for take in takes]
        ratio = float(np.mean([take.ratio for take in takes]))
        # The steps to an object that stays are those of the source.
        keep = any(take.options.keep_path for take in takes) or any(not prop.is_held for prop in props)
        slows = all(take.options.scale_time for take in takes)
        fits = all(take.options.feet is Feet.FIT and is_same_body(take.source, take.target) for take in takes)
        across, time_scale = 1.0 if keep else ratio, float(np.sqrt(ratio)) if slows else 1.0
        return _Common(scene, np.mean(hips, axis=0), keep, across, time_scale, fits)


class _Character:
    """One character on the way from its source's motion to its own."""

    def __init__(self, take: Take, common: _Common) -> None:
        source, motion = take.source, take.motion
        self.source, self.target, self.motion, options = source, take.target, motion, take.options
        check_reaches(options.reaches, self.target)
        options = replace(options, keep_path=common.keeps_path)
        time = motion.time[0] + (motion.time - motion.time[0]) * common.time_scale
        self.floor = SceneFloor(common.scene, source.character.ground_height, time)
        self.repaired, self.notes = steady_feet(source, motion)
        self.locks = options.feet is not Feet.FREE
        if common.copies:
            # How feet lie flat is measured: the same motion on the same body must give the same answer.
            moved = motion_on_same_body(source, motion, self.target)
            self.target = make_retarget_rig(self.target.skeleton, self.target.mapping, moved)
            options = replace(options, hands=False)
            self.locks = not self.floor.is_flat or any(one.slot.startswith("foot") for one in options.reaches)
            if not self.locks:
                self.repaired, self.notes = motion, (*self.notes, SAME_BODY)
        self.options, self.ratio = options, take.ratio
        self.rests = find_stances(source, self.repaired)
        stands = standing_height(source, self.repaired, self.rests) if self.locks else 0.0
        self.size = resizing(source, self.target, common.start, common.across, stands)
        joints = [source.bone(f"thigh.{side}") for side in SIDES]
        hips = self.size(motion.position_world[:, joints].mean(axis=1))
        self.style = styled(source, motion, self.target, hips, time)

    def actor(self, style: Motion) -> Actor:
        """Return the character as hands see it."""
        return Actor(self.source, self.motion, self.target, style)

    def stand(self, shift: FloatArray) -> Actor:
        """Put the character on its legs, moved over the ground by (3) [m]."""
        style, self.size = moved_by(self.style, shift), replace(self.size, shift=shift)
        turned = {bone: style.quaternion_world[:, bone] for bone in self.target.part_bones}
        root = style.position_world[:, self.target.bone("hips")]
        if self.locks:
            feet = _feet(self.source, self.repaired, self.rests, style, self.target, self.size, self.options)
            if not self.floor.is_flat:
                feet, up = on_ground(feet, self.rests, self.floor, 1.0 / style.rate_hz)
                style = replace(style, position_world=style.position_world + up[:, None])
            for side in SIDES:
                reaches = [one for one in self.options.reaches if one.slot == f"foot.{side}"]
                feet[side] = with_reaches(feet[side], reaches, style.time)
            legs, root = Legs(self.target).stand(style, feet)
            turned |= legs
        self.turned, self.root = turned, root
        return self.actor(posed(self.target, turned, root, style.time))

    def leaning(self, spine: BoneRotations, upright: Actor) -> Actor:
        """Return the character with other rotations of its spine, if there are any."""
        if not spine:
            return upright
        return self.actor(posed(self.target, self.turned | spine, self.root, upright.style.time))

    def finish(
        self, actor: Actor, goals: dict[str, FloatArray], missed: Sequence[Unreached] = ()
    ) -> Retargeted:
        """Return the motion with palms at goals (T, 3), by side [m]; missed: what they do not reach."""
        turned = self.turned
        if goals or self.options.hold_hands or self.options.reaches:
            turned |= reached(actor, goals, self.options)
        turned |= extremity_rotations(self.source, self.motion, self.target, turned)
        result = posed(self.target, turned, self.root, actor.style.time)
        bones = tuple(sorted(turned))
        return Retargeted(
            result,
            self.source,
            self.target,
            self.repaired,
            self.rests,
            bones,
            self.floor,
            self.ratio,
            (*self.notes, *(one.note for one in missed)),
            tuple(missed),
        )


def retarget(
    source: RetargetRig,
    motion: Motion,
    target: RetargetRig,
    options: RetargetOptions | None = None,
    scene: Scene = FLAT,
) -> Retargeted:
    """Return the motion of `source` on `target`, which stands on the ground of a scene."""
    return retarget_together([Take(source, motion, target, options or RetargetOptions())], scene)[0][0]


def retarget_together(
    takes: Sequence[Take], scene: Scene = FLAT, props: Sequence[Prop] = ()
) -> tuple[list[Retargeted], tuple[Prop, ...]]:
    """Return the motions of all targets, whose hands keep what they touch, and the props that go with them.

    All motions have the same frames, and so have the props (docs/retarget.md).
    """
    _refuse_other_frames(takes)
    common = _Common.of(takes, props, scene)
    characters = [_Character(take, common) for take in takes]
    if common.copies or not any(one.options.hands for one in characters):
        actors = [one.stand(np.zeros(3)) for one in characters]
        return [one.finish(actor, {}) for one, actor in zip(characters, actors, strict=True)], tuple(props)
    bases = tuple(
        replace(prop, position=characters[0].size.of_objects(prop.position, prop.below))
        if prop.is_held
        else prop
        for prop in props
    )
    relations = find_relations([one.actor(one.style) for one in characters], props)
    shifts: FloatArray = np.zeros((len(takes), 3))
    placed: tuple[Hands, FloatArray] | None = None
    if len(takes) > 1 or any(not prop.is_held for prop in props):

        def moved_hands(moved: FloatArray) -> Hands:
            styles = [moved_by(one.style, by) for one, by in zip(characters, moved, strict=True)]
            pairs = zip(characters, styles, strict=True)
            return Hands(relations, [one.actor(style) for one, style in pairs], bases)

        shifts, placed = ground_shifts(moved_hands, len(takes))
    actors = [one.stand(shift) for one, shift in zip(characters, shifts, strict=True)]
    hands = Hands(relations, actors, bases)
    moved = hands.solve(None if placed is None else hands.where(*placed))
    bent = bent_trunks(hands, moved)
    if any(bent):
        leaning = [one.leaning(own, actor) for one, actor, own in zip(characters, actors, bent, strict=True)]
        nearer = Hands(relations, leaning, bases)
        found = nearer.solve(nearer.where(hands, moved))
        if missing(nearer, found) < missing(hands, moved):
            actors, hands, moved = leaning, nearer, found
            for one, own in zip(characters, bent, strict=True):
                one.turned |= own
    missed, outcomes = unreached(hands, moved), []
    for owner, (one, actor) in enumerate(zip(characters, actors, strict=True)):
        goals = hands.paths(actor, moved) if one.options.hands else {}
        outcomes.append(one.finish(actor, goals, [miss for miss in missed if miss.owner == owner and goals]))
    return outcomes, hands.props(moved)


def same_frames(takes: Sequence[Take]) -> list[Take]:
    """Return the takes at the rate of the first one, as long as all of them last."""
    times = [take.motion.time for take in takes]
    first, last = max(float(time[0]) for time in times), min(float(time[-1]) for time in times)
    if last <= first:
        raise InputError(
            f"The motions have no time in common: one begins at {first:g} s, when another has ended at "
            f"{last:g} s; move one of them."
        )
    time = times[0][(times[0] >= first - 1e-9) & (times[0] <= last + 1e-9)]
    return [replace(take, motion=take.motion.at(time)) for take in takes]


def _refuse_other_frames(takes: Sequence[Take]) -> None:
    first = takes[0].motion.time
    if any(len(take.motion.time) != len(first) for take in takes) or any(
        np.abs(take.motion.time - first).max() > 1e-6 for take in takes
    ):
        raise InputError(
            "Characters are retargeted together over the same frames, but their motions have "
            f"{', '.join(str(len(take.motion.time)) for take in takes)}; resample them."
        )


def _feet(
    source: RetargetRig,
    repaired: Motion,
    rests: dict[str, BoolArray],
    style_motion: Motion,
    target: RetargetRig,
    size: Resizing,
    options: RetargetOptions,
) -> dict[str, FootPath]:
    """Return the goal paths of the target's feet."""
    ground = source.character.ground_height
    feet = {}
    for side in SIDES:
        path = foot_path(source, repaired, side)
        ankle = size(path.ankle_world)
        if not options.keep_path:
            ankle = ankle + _beside(source, repaired, target, style_motion, size, f"foot.{side}")
        sole = target.sole(side)
        roll = roll_share(path.sole, sole, target.leg_length / source.leg_length)
        scaled = FootPath(ankle, path.axes_world, sole)
        feet[side] = foot_goals(scaled, rests[side], ground, style_motion.rate_hz, roll)
    return _on_toes(style_motion, rests, target, feet, ground)


def _on_toes(
    style_motion: Motion,
    rests: dict[str, BoolArray],
    target: RetargetRig,
    feet: dict[str, FootPath],
    ground: float,
) -> dict[str, FootPath]:
    """Return feet whose heels are raised as the knees of the style require, where toes rest."""
    moved, rate_hz, position = (
        following(target, style_motion, feet),
        style_motion.rate_hz,
        style_motion.position_world,
    )
    raised = {}
    for side in SIDES:
        hip, ankle = (position[:, target.bone(f"{part}.{side}")] for part in ("thigh", "foot"))
        apart = np.linalg.norm(hip - ankle, axis=1)
        raised[side] = raised_heels(feet[side], rests[side], hip + moved, apart, ground, rate_hz)
    return raised


def _beside(
    source: RetargetRig,
    repaired: Motion,
    target: RetargetRig,
    style_motion: Motion,
    size: Resizing,
    foot: str,
) -> FloatArray:
    """Return the horizontal displacement (T, 3) of a foot in the style from the scaled source [m].

    Wide hips stand wide, and a bent leg whose thigh is long for its shin sets its foot elsewhere.
    """
    away = style_motion.position_world[:, target.bone(foot)] - size(
        repaired.position_world[:, source.bone(foot)]
    )
    return low_pass_values(away * (1.0 - Z_UP), repaired.rate_hz, SWAY_HZ)


def save_retargeted(outcome: Retargeted, path: AnyPath, meta: dict[str, Any]) -> None:
    """Write the motion as one npz file (docs/retarget.md), with joints as in a result file."""
    mapping = mapping_to_object(outcome.target.mapping)
    names = outcome.motion.skeleton.names
    record = {
        "mapping": mapping,
        "turned_bones": [names[bone] for bone in outcome.turned_bones],
        "leg_ratio": outcome.leg_ratio,
        "notes": outcome.notes,
    }
    write_file(path, "retarget", SCHEMA, motion_to_arrays(outcome.motion), {**record, **meta})
