"""Soft parts as rigid links: a capsule for each bone, on a ball joint with a spring and a damper.

Stiffness and damping are given by what one sees, the lowest frequency of a chain and its damping ratio; the
springs follow from them and from the inertia of the links. The links take their mass from the segment that
carries them, so that the body weighs what it weighed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh

from ..base import rotations
from ..base.conventions import GRAVITY, Z_UP, FloatArray, IntArray
from ..motion.skeleton import Skeleton
from .anthropometry import rod_inertia, to_segment_frame
from .binding import RigBinding
from .soft_parts import ROLES, SoftPart
from .spec import MOST_INSET, CharacterSpec, Segment, SegmentCapsule

HIGHEST_HZ = 8.0
"""Lowest frequency of a chain whose stiffness is 1; it falls with the square of the dial [Hz]."""
MOST_OF_SEGMENT = 0.3
"""Share of a segment's mass that its soft parts have at most."""
LEAST_DAMPING = 0.03
"""Least damping ratio, as of air: without any, a limp chain that is flung would gain energy by rounding."""
LEAST_AXIAL = 0.2
"""Least inertia of a link about its own axis, over that across."""
SINGLE_SHARE = 0.08
"""Length of a single bone without a tip, over body height."""


@dataclass(frozen=True, eq=False)
class SoftLink:
    """One bone of a soft part.

    bone: index in the skeleton; segment: index of the segment that carries the whole part
    parent: index of the link that it hangs on; -1 where that is the segment
    anchor (3): the joint in the parent's frame [m]; rest (4): from the parent's axes to the bone's, at rest
    com (3) [m], inertia (3) [kg m^2] about it along axes (4), in the bone's axes
    stiffness [Nm/rad], damping [Nms/rad]: of the ball joint
    held: share of the moment of its weight at the animated pose that the spring is bent to carry, 0 to 1
    """

    name: str
    bone: int
    segment: int
    parent: int
    anchor: FloatArray
    rest: FloatArray
    mass: float
    com: FloatArray
    inertia: FloatArray
    axes: FloatArray
    shape: SegmentCapsule
    stiffness: float
    damping: float
    held: float
    collides: bool


@dataclass(frozen=True, eq=False)
class SoftBody:
    """The soft parts of a character.

    links: parents first
    core: the body without them, which is simulated together with them; its segments are lighter
    whole: the body with their mass in the segments, at rest, which motions are planned with
    """

    parts: tuple[SoftPart, ...]
    links: tuple[SoftLink, ...]
    core: CharacterSpec
    whole: CharacterSpec

    @property
    def bones(self) -> IntArray:
        """Return the bones of the links in the skeleton (n)."""
        return np.array([link.bone for link in self.links], dtype=np.int64)

    @property
    def mass(self) -> float:
        """Return the mass of all links [kg]."""
        return sum(link.mass for link in self.links)


def make_soft_body(spec: CharacterSpec, binding: RigBinding, parts: Sequence[SoftPart]) -> SoftBody:
    """Make the links of soft parts at the size of the binding's rest pose."""
    chains = sorted(
        (_chain(spec, binding, part) for part in parts), key=lambda chain: chain[0].bone
    )  # a part that hangs on another one comes after it
    links = _connected([link for chain in chains for link in chain], binding)
    links = _with_less_mass(links, spec)
    core = replace(spec, segments=tuple(_lighter(s, _on(i, links)) for i, s in enumerate(spec.segments)))
    whole = [_heavier(s, _on(i, links), _at_rest(binding, links)) for i, s in enumerate(core.segments)]
    return SoftBody(tuple(parts), tuple(links), core, replace(spec, segments=tuple(whole)))


def _chain(spec: CharacterSpec, binding: RigBinding, part: SoftPart) -> list[SoftLink]:
    """Return the links of one part; those that they hang on are found later."""
    skeleton, role = binding.skeleton, ROLES[part.role]
    bones = [skeleton.index[bone] for bone in part.bones]
    spans = _spans(skeleton, bones, part.tip, SINGLE_SHARE * spec.height)
    lengths = np.linalg.norm(spans, axis=1)
    radius = role.thickness * float(lengths.sum())
    masses = role.density * np.pi * radius**2 * lengths
    springs = Springs.of(masses, lengths, radius, part.stiffness, part.damping)
    segment = _carrier(binding, bones[0])
    return [
        SoftLink(
            name=skeleton.names[bone],
            bone=bone,
            segment=segment,
            parent=-1,
            anchor=np.zeros(3),
            rest=np.zeros(4),
            mass=float(masses[i]),
            com=0.5 * spans[i],
            inertia=_inertia(float(masses[i]), float(lengths[i]), radius),
            axes=rotations.shortest_rotation(Z_UP, spans[i] / lengths[i]),
            shape=_capsule(spans[i], radius),
            stiffness=float(springs.stiffness[i]),
            damping=float(springs.damping[i]),
            held=float(springs.held[i]),
            collides=part.collides,
        )
        for i, bone in enumerate(bones)
    ]


def _spans(skeleton: Skeleton, bones: Sequence[int], tip: str | None, single_m: float) -> FloatArray:
    """Return the vector from each bone's head to the next joint (n, 3), in the bone's own axes [m].

    Tails are not known. The last bone is as long as the one before it, and a single one points away from the
    bone that it hangs on.
    """
    heads = skeleton.rest_position_world[list(bones)]
    if tip is not None:
        end = skeleton.rest_position_world[skeleton.index[tip]]
    elif len(bones) > 1:
        end = 2.0 * heads[-1] - heads[-2]
    else:
        away = heads[0] - skeleton.rest_position_world[skeleton.parents[bones[0]]]
        distance = float(np.linalg.norm(away))
        end = heads[0] + single_m * (away / distance if distance > 1e-6 else Z_UP)
    ends = np.vstack([heads[1:], end])
    own_axes = rotations.conjugate(skeleton.rest_quaternion_world[list(bones)])
    return rotations.rotate(own_axes, ends - heads)


def _inertia(mass: float, length: float, radius: float) -> FloatArray:
    """Return the principal inertias (3) of a link about its centre [kg m^2].

    About its own axis it has at least a share of those across: nobody sees a strand spin, and steps would
    have to be as short as a thin one spins fast.
    """
    across, _, along = rod_inertia(mass, length, radius)
    return np.array([across, across, max(along, LEAST_AXIAL * across)])


def _capsule(span: FloatArray, radius: float) -> SegmentCapsule:
    inset = min(radius / float(np.linalg.norm(span)), MOST_INSET)
    return SegmentCapsule(inset * span, (1.0 - inset) * span, radius)


def _carrier(binding: RigBinding, bone: int) -> int:
    """Return the segment of the nearest bone of the body above a bone."""
    segment_of = dict(zip(binding.bone.tolist(), binding.bone_segment.tolist(), strict=True))
    return next(segment_of[above] for above in binding.skeleton.ancestors(bone) if above in segment_of)


def _connected(links: list[SoftLink], binding: RigBinding) -> list[SoftLink]:
    """Return the links with what they hang on."""
    skeleton, number = binding.skeleton, {link.bone: i for i, link in enumerate(links)}
    connected = []
    for link in links:
        above = skeleton.ancestors(link.bone)
        mapped = set(binding.bone.tolist())
        nearest = next(bone for bone in above if bone in number or bone in mapped)
        head, turn = skeleton.rest_position_world[link.bone], skeleton.rest_quaternion_world[link.bone]
        if nearest in number:
            axes = skeleton.rest_quaternion_world[nearest]
            offset = head - skeleton.rest_position_world[nearest]
            anchor, parent = rotations.rotate(rotations.conjugate(axes), offset), number[nearest]
        else:
            axes, parent = binding.rest_quaternion_world[link.segment], -1
            anchor = to_segment_frame(binding, binding.names[link.segment], head)
        rest = rotations.relative(axes, turn)
        connected.append(replace(link, parent=parent, anchor=anchor, rest=rest))
    return connected


@dataclass(frozen=True, eq=False)
class Springs:
    """Springs of the n joints of one chain; see SoftLink."""

    stiffness: FloatArray
    damping: FloatArray
    held: FloatArray

    @staticmethod
    def of(
        masses: FloatArray, lengths: FloatArray, radius: float, stiffness: float, damping: float
    ) -> Springs:
        """Return springs with which the straight chain swings as the dials say, without gravity.

        Each spring is as strong as what hangs on it is inert, times a factor that gives the chain's lowest
        mode the wanted frequency. Where gravity swings it faster, damping is related to gravity.
        """
        joint = np.cumsum(lengths) - lengths
        centre = joint + 0.5 * lengths
        own = masses * (3.0 * radius**2 + lengths**2) / 12.0  # of rods across their length
        arm = np.clip(centre[None, :] - joint[:, None], 0.0, None)  # (joint, link)
        hangs = np.triu(np.ones((len(masses), len(masses))))  # links that hang on each joint
        inertia = np.einsum("ik,jk,k->ij", arm, arm, masses) + (hangs * own) @ hangs.T
        shape = np.diag(inertia)
        unit = shape / eigh(np.diag(shape), inertia, eigvals_only=True)[0]
        wanted = 2.0 * np.pi * HIGHEST_HZ * stiffness**2
        swings = float(np.sqrt(1.5 * GRAVITY / lengths.sum()))  # of a hanging rod
        springs = wanted**2 * unit
        return Springs(
            springs,
            2.0 * max(damping, LEAST_DAMPING) * max(wanted, swings) * unit,
            np.minimum(springs / (GRAVITY * (arm @ masses)), 1.0),
        )


def _with_less_mass(links: Sequence[SoftLink], spec: CharacterSpec) -> list[SoftLink]:
    """Return the links, lighter where they are more than a share of the segment that carries them."""
    lighter = []
    for link in links:
        together = sum(other.mass for other in _on(link.segment, links))
        factor = min(1.0, MOST_OF_SEGMENT * spec.segments[link.segment].mass / together)
        lighter.append(
            replace(
                link,
                mass=factor * link.mass,
                inertia=factor * link.inertia,
                stiffness=factor * link.stiffness,
                damping=factor * link.damping,
            )
        )
    return lighter


def _on(segment: int, links: Sequence[SoftLink]) -> list[SoftLink]:
    return [link for link in links if link.segment == segment]


def _lighter(segment: Segment, links: Sequence[SoftLink]) -> Segment:
    """Return a segment without the mass of its links."""
    mass = segment.mass - sum(link.mass for link in links)
    return replace(segment, mass=mass, inertia=segment.inertia * mass / segment.mass)


def _at_rest(binding: RigBinding, links: Sequence[SoftLink]) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Return centre of mass (3) and axes of inertia (4) of links at rest, in the frames of their segments."""
    skeleton, found = binding.skeleton, {}
    for link in links:
        turn = skeleton.rest_quaternion_world[link.bone]
        centre = skeleton.rest_position_world[link.bone] + rotations.rotate(turn, link.com)
        axes = rotations.relative(binding.rest_quaternion_world[link.segment], turn)
        placed = to_segment_frame(binding, binding.names[link.segment], centre)
        found[link.name] = placed, rotations.multiply(axes, link.axes)
    return found


def _heavier(
    segment: Segment, links: Sequence[SoftLink], at_rest: dict[str, tuple[FloatArray, FloatArray]]
) -> Segment:
    """Return a segment with the mass of its links at rest; products of inertia are left out."""
    if not links:
        return segment
    masses = np.array([segment.mass, *(link.mass for link in links)])
    centres = np.array([segment.com, *(at_rest[link.name][0] for link in links)])
    com = masses @ centres / masses.sum()
    squares = (centres - com) ** 2
    inertia = segment.inertia + masses @ (squares.sum(axis=1, keepdims=True) - squares)
    for link in links:
        turn = rotations.to_matrix(at_rest[link.name][1])
        inertia = inertia + np.diag(turn @ np.diag(link.inertia) @ turn.T)
    return replace(segment, mass=float(masses.sum()), com=com, inertia=inertia)
