"""Finds body parts by the words in bone names, for rigs of no known family."""

from __future__ import annotations

from ..motion.skeleton import Skeleton
from .bone_names import parse_name
from .mapping import SIDES, Slots

SIDE_WORDS = {
    "thigh": "thigh upleg upperleg legupper upperlegs femur",
    "shin": "shin calf loleg lowerleg lowleg leglower tibia knee crus",
    "foot": "foot feet ankle talus calcn calcaneus",
    "toe": "toe toes toebase ball ballfoot",
    "clavicle": "clavicle clav collar collarbone",
    "upper_arm": "upperarm uparm shldr armupper humerus bicep",
    "forearm": "forearm lowerarm loarm lowarm armlower elbow ulna radius",
    "hand": "hand wrist palm",
    "leg": "leg legs",
    "arm": "arm arms",
    "shoulder": "shoulder",
    "hip": "hip",
}
CENTRE_WORDS = {
    "hips": "hips hip pelvis",
    "spine": "spine abdomen stomach chest torso upperchest waist lowerback back ribcage thorax upperbody",
    "neck": "neck",
    "head": "head",
}
SIDE_PART_OF = {word: part for part, words in SIDE_WORDS.items() for word in words.split()}
CENTRE_PART_OF = {word: part for part, words in CENTRE_WORDS.items() for word in words.split()}


def find_by_name(skeleton: Skeleton) -> Slots:
    """Return the bones of each slot by their names, parents first; slots may be missing."""
    found: Slots = {}
    for index, name in enumerate(skeleton.names):
        parsed = parse_name(name)
        if parsed.is_helper:
            continue
        if parsed.side and parsed.part in SIDE_PART_OF:
            found.setdefault(f"{SIDE_PART_OF[parsed.part]}.{parsed.side}", []).append(index)
        elif not parsed.side and parsed.part in CENTRE_PART_OF:
            found.setdefault(CENTRE_PART_OF[parsed.part], []).append(index)
    for side in SIDES:
        _assign_ambiguous_words(found, side)
        _keep_one_chain(skeleton, found, side)
    found["head"] = found.get("head", [])[:1]
    return {slot: bones for slot, bones in found.items() if bones}


def _assign_ambiguous_words(found: Slots, side: str) -> None:
    """Decide what "leg", "arm", "shoulder" and "hip" mean by the other words that were found."""
    hip, shoulder = found.pop(f"hip.{side}", []), found.pop(f"shoulder.{side}", [])
    if f"thigh.{side}" not in found and f"leg.{side}" not in found:
        found[f"thigh.{side}"] = hip
    _fill_free_slots(
        found, found.pop(f"leg.{side}", []), [f"{slot}.{side}" for slot in ("thigh", "shin", "foot", "toe")]
    )
    _fill_free_slots(
        found, found.pop(f"arm.{side}", []), [f"{slot}.{side}" for slot in ("upper_arm", "forearm", "hand")]
    )
    _fill_free_slots(found, shoulder, [f"{slot}.{side}" for slot in ("upper_arm", "clavicle")])


def _fill_free_slots(found: Slots, bones: list[int], slots: list[str]) -> None:
    """Assign bones, from the root's side, to the slots that are still free."""
    free = [slot for slot in slots if not found.get(slot)]
    for slot, bone in zip(free, bones, strict=False):
        found[slot] = [bone]


def _keep_one_chain(skeleton: Skeleton, found: Slots, side: str) -> None:
    """Keep of each slot the first bone, its siblings and the bones below it."""
    ankles = found.get(f"foot.{side}", [])
    if len(ankles) > 1 and not found.get(f"toe.{side}") and ankles[0] in skeleton.ancestors(ankles[1]):
        found[f"foot.{side}"], found[f"toe.{side}"] = ankles[:1], ankles[1:2]
    for slot in [slot for slot in found if slot.endswith(f".{side}")]:
        bones = found[slot]
        first_parent = skeleton.parents[bones[0]] if bones else None
        found[slot] = [
            bone
            for bone in bones
            if bone == bones[0]
            or bones[0] in skeleton.ancestors(bone)
            or skeleton.parents[bone] == first_parent
        ]
