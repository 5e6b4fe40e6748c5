"""Which chains of bones are simulated as soft parts, and how: roles, dials and their JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..base.errors import InputError
from ..base.json_codec import from_object, to_object

if TYPE_CHECKING:
    from ..motion.skeleton import Skeleton
    from ..recognition.mapping import BoneMapping
    from ..recognition.soft_chains import SoftChain


@dataclass(frozen=True)
class SoftRole:
    """What a soft part of one kind is like.

    label: its name in Blender; stiffness, damping, collides: as in SoftPart
    thickness: radius over the chain's length; density [kg/m^3]
    """

    label: str
    stiffness: float
    damping: float
    collides: bool
    thickness: float
    density: float


ROLES = {
    "tail": SoftRole("Tail", 0.35, 0.25, True, 0.05, 1000.0),
    "hair": SoftRole("Hair", 0.2, 0.3, False, 0.03, 300.0),
    "ear": SoftRole("Ear", 0.55, 0.2, False, 0.12, 500.0),
    "antenna": SoftRole("Antenna", 0.6, 0.1, False, 0.02, 500.0),
    "cloth": SoftRole("Cloth Strip", 0.1, 0.4, True, 0.05, 200.0),
    "backpack": SoftRole("Backpack", 0.7, 0.4, False, 0.5, 300.0),
    "flesh": SoftRole("Flesh", 0.6, 0.25, False, 0.5, 1000.0),
    "other": SoftRole("Other", 0.35, 0.3, True, 0.05, 500.0),
}
"""By the name that recognition, settings and options use.

Hair does not collide unless it is asked for: strands that land on shoulders buckle to one side or the other
by the smallest difference, so that even the frame rate of the keys would show.
"""


@dataclass(frozen=True)
class SoftPart:
    """A chain of bones that is simulated as a soft part.

    bones: from the body to the tip; role: one of ROLES
    stiffness: from 0, limp, to 1, which follows its animation closely
    damping: from 0, swings on, to 1, does not swing back
    collides: with its own body, the ground and objects
    tip: a bone that marks where the last one ends; None guesses it
    """

    bones: tuple[str, ...]
    role: str
    stiffness: float
    damping: float
    collides: bool
    tip: str | None = None

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise InputError(f"The soft role '{self.role}' is unknown; choose one of {', '.join(ROLES)}.")
        if not self.bones:
            raise InputError("A soft part has no bones; give it at least one, or leave it out.")
        for name in ("stiffness", "damping"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                value = getattr(self, name)
                raise InputError(f"The {name} of a soft part is {value}; it must lie between 0 and 1.")

    @property
    def name(self) -> str:
        """Return the name of the first bone, by which a part is called."""
        return self.bones[0]


def soft_part(chain: SoftChain) -> SoftPart:
    """Return a chain that was found as a soft part with the dials of its role."""
    role = ROLES[chain.role]
    return SoftPart(chain.bones, chain.role, role.stiffness, role.damping, role.collides, chain.tip)


def check_soft_parts(parts: Sequence[SoftPart], skeleton: Skeleton, mapping: BoneMapping) -> None:
    """Raise an InputError for parts that are not chains of unclaimed bones below the body."""
    claimed = {bone for slot in mapping for bone in mapping.bones[slot]}
    carries = {skeleton.names[a] for bone in claimed for a in skeleton.ancestors(skeleton.index[bone])}
    seen: set[str] = set()
    for part in parts:
        for bone in (*part.bones, *(() if part.tip is None else (part.tip,))):
            if bone not in skeleton.index:
                raise InputError(f"Soft bone '{bone}' is not in the rig; find the soft parts again.")
        for bone in part.bones:
            if bone in claimed or bone in carries:
                raise InputError(f"Soft bone '{bone}' is or carries a part of the body; leave it out.")
            if bone in seen:
                raise InputError(f"Bone '{bone}' is in two soft parts; leave it out of one.")
            seen.add(bone)
        _check_chain(part, skeleton, claimed)


def _check_chain(part: SoftPart, skeleton: Skeleton, claimed: set[str]) -> None:
    index = [skeleton.index[bone] for bone in part.bones]
    for above, below in zip(index, index[1:], strict=False):
        if skeleton.parents[below] != above:
            raise InputError(
                f"Soft bone '{skeleton.names[below]}' is not directly below '{skeleton.names[above]}'; "
                "list the bones of a chain from the body to its tip."
            )
    if not claimed & {skeleton.names[a] for a in skeleton.ancestors(index[0])}:
        raise InputError(f"Soft bone '{part.name}' does not hang on the body; leave it out.")


def soft_to_objects(parts: Iterable[SoftPart]) -> list[dict[str, Any]]:
    """Return soft parts as JSON objects."""
    return [to_object(part) for part in parts]


def soft_from_objects(value: object, what: str) -> tuple[SoftPart, ...]:
    """Return the soft parts in a list of JSON objects; `what` names it in messages."""
    if not isinstance(value, list):
        raise InputError(f"{what} has no list of soft parts; make it again.")
    return tuple(from_object(SoftPart, each, what) for each in value)
