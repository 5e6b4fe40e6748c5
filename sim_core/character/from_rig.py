"""Characters made from a rig: its proportions with human masses, joint ranges and strength."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base import rotations
from ..base.conventions import FloatArray
from ..base.intervals import true_intervals
from ..motion.motion import Motion
from ..recognition.mapping import SIDES, BoneMapping
from . import anthropometry as body
from .anthropometry import body_height, hip_centre, to_segment_frame
from .binding import RigBinding, bind
from .foot_shapes import Foot, measure_feet
from .hinges import fit_hinge_joint, twist
from .joint_limits import HINGE_RANGE_DEG, ball_joint, hinge_joint, without_side
from .spec import (
    MOST_INSET,
    CharacterSpec,
    Joint,
    JointKind,
    Segment,
    SegmentBox,
    SegmentCapsule,
    SegmentShape,
)
from .toes import split_foot

LIMIT_MARGIN = np.radians(5.0)
"""Margin between the motion and a joint limit that is widened for it [rad]."""
MAX_CONE = np.radians(175.0)
"""Largest half angle of a ball joint's range; beyond it a rotation vector could wrap [rad]."""
MAX_LEVER_FACTOR = 1.5
"""Largest factor by which a rigid foot raises the ankle's torque limit."""
CHEST_WIDTH, HIPS_WIDTH = 0.85, 1.5
"""Width of the chest over the distance of its arms, and of what is below it over that of the hip joints."""
LEAST_TALL, LEAST_WIDE, DEEP = 0.06, 0.12, (0.06, 0.25)
"""Least height and width of a part of the trunk, and the range of its depth, over body height."""
USUAL_TALL, LEAST_RISE = 0.12, 0.05
"""Height of a part of the trunk where the next joint does not rise by the second share, over body height."""
HEAD_COM = 0.55
"""Centre of mass of head and neck above their joint, over the distance to the vertex."""
BUTTOCK_SHARE = 0.025
"""How far the buttocks reach behind the hip joints, over body height, without their roundness."""
LEVEL_THIGH, SITS_SPEED, SITS_S, CUT_OFF_S = 0.5, 0.25, 0.3, 0.15
"""A body sits or lies where both thighs slope down by less than this sine, with hips that are as slow as this
[m/s], for as long as this [s]: a roll passes over its hips in less. At the ends of a clip, which cut it off,
the last one is enough."""
TOE = "toe"
"""Name of the toes' segments, without their side."""
NOTED_WIDENING = np.radians(10.0)
"""Excess over the human range above which the user is told [rad]."""


@dataclass(frozen=True, eq=False)
class RigCharacter:
    """A character, its binding to the rig, and the height of the ground under its feet [m].

    notes: sentences for the user, one for each joint range that the motion exceeds
    """

    spec: CharacterSpec
    binding: RigBinding
    ground_height: float
    notes: tuple[str, ...]


def character_from_rig(
    motion: Motion, mapping: BoneMapping, mass: float | None = None, toes: bool = False
) -> RigCharacter:
    """Make a character: sizes from the rest pose; joint axes, joint ranges and soles from the motion.

    toes: feet bend at their balls, where the rig has toe bones on both sides
    """
    toes = toes and has_toes(mapping)
    binding = bind(motion.skeleton, mapping, toes)
    height = body_height(binding)
    feet, ground = measure_feet(binding, mapping, motion, height)
    binding = _with_foot_axes(binding, feet)
    total = body.mass_from_height(height) if mass is None else mass
    joints, notes = _joints(binding, motion, total, height)
    masses = _masses(binding, total)
    segments = tuple(
        _segment(binding, bones.name, bones.parent, joints[bones.name], masses[bones.name], height, feet)
        for bones in binding.segments
        if without_side(bones.name) != TOE
    )
    if toes:
        segments = _with_toes(segments, joints, feet)
    if _sits(binding, motion):
        segments = _with_buttocks(segments, height)
    spec = CharacterSpec(mapping.kind, segments, height)
    return RigCharacter(spec, binding, ground, tuple(notes))


def has_toes(mapping: BoneMapping) -> bool:
    """Return whether a rig has toe bones on both sides."""
    return all(f"{TOE}.{side}" in mapping for side in SIDES)


def _with_foot_axes(binding: RigBinding, feet: dict[str, Foot]) -> RigBinding:
    axes = binding.rest_quaternion_world.copy()
    for name, foot in feet.items():
        axes[binding.index(name)] = foot.axes_world_rest
        if (toe := name.replace("foot", TOE)) in binding.names:
            axes[binding.index(toe)] = foot.axes_world_rest
    rest_bone = binding.skeleton.rest_quaternion_world[binding.driver]
    return replace(binding, rest_quaternion_world=axes, bone_to_segment=rotations.relative(rest_bone, axes))


def segment_rotations(binding: RigBinding, motion: Motion) -> FloatArray:
    """Return the segments' axes in the world over time (T, S, 4)."""
    return rotations.multiply(motion.quaternion_world[:, binding.driver], binding.bone_to_segment)


def _joints(
    binding: RigBinding, motion: Motion, mass: float, height: float
) -> tuple[dict[str, Joint], list[str]]:
    world = segment_rotations(binding, motion)
    joints: dict[str, Joint] = {"pelvis": Joint(JointKind.FREE)}
    notes: list[str] = []
    for i, segment in enumerate(binding.segments):
        if segment.parent is None:
            continue
        relative = rotations.relative(world[:, binding.index(segment.parent)], world[:, i])
        joint: Joint | None = None
        if without_side(segment.name) == TOE:
            joint = hinge_joint(segment.name, mass, height)
        elif without_side(segment.name) in HINGE_RANGE_DEG:
            joint = fit_hinge_joint(hinge_joint(segment.name, mass, height), relative)
        joint = joint or ball_joint(segment.name, mass, height)
        joints[segment.name], excess = widened(joint, relative)
        if excess > NOTED_WIDENING:
            notes.append(
                f"The motion bends '{segment.driver}' {np.degrees(excess):.0f} deg past the human range; "
                "its limit was widened."
            )
    return joints, notes


def widened(joint: Joint, relative: FloatArray) -> tuple[Joint, float]:
    """Return the joint with a range that includes rotations (T, 4), and how far it was widened [rad]."""
    local = rotations.relative(joint.centre, relative)
    if joint.kind is JointKind.HINGE:
        angles = twist(local, joint.axis)
        low, high = float(angles.min() - LIMIT_MARGIN), float(angles.max() + LIMIT_MARGIN)
        excess = max(joint.low - low, high - joint.high, 0.0)
        return replace(joint, low=min(joint.low, low), high=max(joint.high, high)), excess
    largest = rotations.angle_between(np.array([1.0, 0.0, 0.0, 0.0]), local).max() + LIMIT_MARGIN
    excess = max(largest - joint.high, 0.0)
    return replace(joint, high=float(min(max(joint.high, largest), MAX_CONE))), float(excess)


def _masses(binding: RigBinding, total: float) -> dict[str, float]:
    """Return masses by the published shares; that of a missing part is added to its parent's."""
    names = binding.names
    # Toes get their share of the foot later.
    whole = [name for name in names if without_side(name) != TOE]
    masses = {name: body.MASS_FRACTION[without_side(name)] * total for name in whole}
    substitutes = {
        "abdomen": ("chest", "pelvis"),
        "chest": ("abdomen", "pelvis"),
        "head": ("chest", "pelvis"),
    }
    for missing, others in substitutes.items():
        if missing not in names:
            masses[next(n for n in others if n in names)] += body.MASS_FRACTION[missing] * total
    for side in SIDES:
        chain = ["chest" if "chest" in names else "pelvis"]
        for slot in ("upper_arm", "forearm", "hand"):
            if f"{slot}.{side}" in names:
                chain.append(f"{slot}.{side}")
            else:
                masses[chain[-1]] += body.MASS_FRACTION[slot] * total
    return masses


def _segment(
    binding: RigBinding,
    name: str,
    parent: str | None,
    joint: Joint,
    mass: float,
    height: float,
    feet: dict[str, Foot],
) -> Segment:
    anchor = np.zeros(3) if parent is None else to_segment_frame(binding, parent, binding.rest_position(name))
    if name in feet:
        return _foot_segment(name, parent, joint, anchor, mass, height, feet[name])
    if name in ("pelvis", "abdomen", "chest"):
        com, size = _trunk_box(binding, name, mass, height)
        inertia = body.box_inertia(mass, size)
        shapes: tuple[SegmentShape, ...] = (_transverse_capsule(com, size),)
    else:
        length, com_z = _limb_length(binding, name, height)
        com = np.array([0.0, 0.0, com_z])
        radius = body.rod_radius(mass, abs(length))
        inertia = body.rod_inertia(mass, abs(length), radius)
        across = 0.0
        if without_side(name) == "hand":
            breadth = body.HAND_BREADTH_SHARE * height
            radius = body.plate_thickness(mass, abs(length), breadth) / 2.0
            across = max(0.5 * breadth - radius, 0.0)
        shapes = tuple(_along_limb(length, radius, x) for x in ((across, -across) if across else (0.0,)))
    return Segment(name, parent, joint, anchor, mass, com, inertia, shapes)


def _along_limb(length: float, radius: float, x: float) -> SegmentCapsule:
    """Return a capsule along the segment's Z over a signed length, moved forwards by x [m]."""
    inset = min(radius, MOST_INSET * abs(length)) * np.sign(length)
    return SegmentCapsule(np.array([x, 0.0, inset]), np.array([x, 0.0, length - inset]), radius)


def _limb_length(binding: RigBinding, name: str, height: float) -> tuple[float, float]:
    """Return length and centre of mass along the segment's Z [m]; both are negative for limbs that hang."""
    side = name[-1]
    next_joint = {"thigh": "shin", "shin": "foot", "upper_arm": "forearm", "forearm": "hand"}.get(
        without_side(name)
    )
    if name == "head":
        length = body.NECK_TO_VERTEX_SHARE * height
        return length, HEAD_COM * length
    if next_joint and f"{next_joint}.{side}" in binding.names:
        span = binding.rest_position(f"{next_joint}.{side}") - binding.rest_position(name)
        length = float(np.linalg.norm(span))
    else:
        is_forearm = without_side(name) == "forearm"
        length = (body.FOREARM_LENGTH_SHARE if is_forearm else body.HAND_LENGTH_SHARE) * height
    return -length, -body.COM_FRACTION[without_side(name)] * length


def _trunk_box(binding: RigBinding, name: str, mass: float, height: float) -> tuple[FloatArray, FloatArray]:
    """Return centre (3) and size (3) of a part of the trunk as a box in the segment's frame [m]."""
    bottom, top = _trunk_span(binding, name, height)
    tall = max(float(top[2] - bottom[2]), LEAST_TALL * height)
    arms, thighs = ("upper_arm.L", "upper_arm.R"), ("thigh.L", "thigh.R")
    sides = arms if name == "chest" and set(arms) <= set(binding.names) else thighs  # some have one arm
    joints_apart = float(np.linalg.norm(binding.rest_position(sides[0]) - binding.rest_position(sides[1])))
    wide = max((CHEST_WIDTH if name == "chest" else HIPS_WIDTH) * joints_apart, LEAST_WIDE * height)
    deep = float(np.clip(mass / (body.BODY_DENSITY * tall * wide), DEEP[0] * height, DEEP[1] * height))
    centre = 0.5 * (bottom + top)
    centre[1] = 0.0
    return centre, np.array([deep, wide, tall])


def _trunk_span(binding: RigBinding, name: str, height: float) -> tuple[FloatArray, FloatArray]:
    """Return the lower and the upper end of a trunk segment in its frame [m]."""
    names = binding.names
    order = [n for n in names if n in ("pelvis", "abdomen", "chest", "head")]
    above = order[order.index(name) + 1] if name != order[-1] else None
    bottom = to_segment_frame(binding, name, hip_centre(binding)) if name == "pelvis" else np.zeros(3)
    top = bottom + np.array([0.0, 0.0, USUAL_TALL * height])
    if above is not None:
        reach = to_segment_frame(binding, name, binding.rest_position(above))
        if reach[2] > bottom[2] + LEAST_RISE * height:
            top = reach
    return bottom.copy(), top


def _transverse_capsule(centre: FloatArray, size: FloatArray) -> SegmentCapsule:
    """Return a capsule across the body that fills a box of the trunk."""
    radius = 0.5 * float(np.sqrt(size[0] * size[2]))
    half = np.array([0.0, max(0.5 * size[1] - radius, 0.01), 0.0])
    return SegmentCapsule(centre - half, centre + half, radius)


def _sits(binding: RigBinding, motion: Motion) -> bool:
    """Return whether the motion sits or lies for a while, so that the shape of what it sits on counts.

    Rolls are carried by the plain pelvis: on buttocks, which lift the body, a captured one fell.
    """
    if len(motion.time) < 2:
        return False
    joints = {name: motion.position_world[:, binding.joint[i]] for i, name in enumerate(binding.names)}
    thighs = [joints[f"shin.{side}"] - joints[f"thigh.{side}"] for side in SIDES]
    slopes = [-thigh[:, 2] / np.linalg.norm(thigh, axis=1) for thigh in thighs]
    speed = np.linalg.norm(np.gradient(joints["pelvis"], motion.time, axis=0), axis=1)
    sits = (np.max(slopes, axis=0) < LEVEL_THIGH) & (speed < SITS_SPEED)
    return any(
        motion.time[end - 1] - motion.time[start]
        > (CUT_OFF_S if start == 0 or end == len(sits) else SITS_S)
        for start, end in true_intervals(sits)
    )


def _with_buttocks(segments: tuple[Segment, ...], height: float) -> tuple[Segment, ...]:
    """Give the pelvis what a body sits on: flesh about each hip joint, as thick as the thigh.

    Without it the hip joints of somebody who sits are a thumb above the seat instead of a hand's breadth, and
    the thighs go on below the pelvis, so that the body rests on a line across the pelvis or on the thighs.
    """
    pelvis = next(own for own in segments if own.parent is None)
    thighs = [own for own in segments if without_side(own.name) == "thigh"]
    shapes = list(pelvis.shapes)
    for thigh in thighs:
        capsule = thigh.shapes[0]
        assert isinstance(capsule, SegmentCapsule)
        behind = thigh.anchor - [BUTTOCK_SHARE * height, 0.0, 0.0]
        shapes.append(SegmentCapsule(thigh.anchor, behind, capsule.radius))
    seated = replace(pelvis, shapes=tuple(shapes))
    return tuple(seated if own is pelvis else own for own in segments)


def _with_toes(
    segments: tuple[Segment, ...], joints: dict[str, Joint], feet: dict[str, Foot]
) -> tuple[Segment, ...]:
    """Return the segments with toes after their feet; ankles have no lever over a rigid tip then."""
    found: list[Segment] = []
    for own in segments:
        if own.name not in feet:
            found.append(own)
            continue
        toe = own.name.replace("foot", TOE)
        found += split_foot(replace(own, joint=joints[own.name]), toe, joints[toe], feet[own.name])
    return tuple(found)


def _foot_segment(
    name: str, parent: str | None, joint: Joint, anchor: FloatArray, mass: float, height: float, foot: Foot
) -> Segment:
    # A foot without toe joint pushes off from its tip instead of its ball, so the ankle's lever is longer.
    joint = replace(joint, torque_limit=joint.torque_limit * min(foot.tip_x / foot.ball_x, MAX_LEVER_FACTOR))
    half_width = 0.5 * body.FOOT_WIDTH_SHARE * height
    points = np.array(
        [[x, y, -foot.depth] for x in (foot.heel_x, foot.tip_x) for y in (half_width, -half_width)]
    )
    middle = 0.5 * (foot.heel_x + foot.tip_x)
    size = np.array([foot.tip_x - foot.heel_x, 2.0 * half_width, foot.depth])
    box = SegmentBox(np.array([middle, 0.0, -0.5 * foot.depth]), 0.5 * size)
    inertia = body.box_inertia(mass, size)
    return Segment(name, parent, joint, anchor, mass, box.centre, inertia, (box,), points)
