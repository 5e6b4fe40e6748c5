"""What a marker's label says: which landmark, on which side.

A label is cut into words of the field, whether they are separated ("R.Knee.Med", "LeftKneeMedial"), shortened
("RKNM") or numbered ("MT5"). Words name a place, a side or an aspect; words that say nothing are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from unicodedata import combining, normalize

from ..recognition.mapping import SIDES
from .landmarks import MIDDLE, SPINE, UNSIDED, USUAL, Landmark

SIDES_ABROAD = (
    "links linke linker linkes gauche izquierda izquierdo sinistra sinistro",
    "rechts rechte rechter rechtes droite droit derecha derecho destra destro",
)
"""Words for left and right in German, French, Spanish and Italian, without accents."""
PLACES_ABROAD = {
    "hip centre": "huefte hufte hanche cadera anca",
    "thigh": "oberschenkel cuisse muslo coscia",
    "knee": "knie genou rodilla ginocchio",
    "shank": "unterschenkel schienbein pierna gamba",
    "ankle": "knoechel knochel sprunggelenk cheville tobillo caviglia",
    "heel": "ferse talon tallone",
    "toe": "zehe zehen orteil orteils",
    "foot": "fuss pied piede",
    "sternum": "brustbein esternon sterno",
    "acromion": "schulter epaule hombro spalla",
    "upper arm": "oberarm",
    "elbow": "ellbogen ellenbogen coude codo gomito",
    "forearm": "unterarm antebrazo avambraccio",
    "wrist": "handgelenk poignet muneca polso",
    "head": "kopf tete cabeza testa",
}
"""Place -> words of these languages for it, without short ones, which are in labels by chance."""
EPICONDYLE = "epicondyle"
"""A word for a place of the knee and of the elbow."""
SIDE_WORDS = {
    "l": SIDES[0],
    "left": SIDES[0],
    "lt": SIDES[0],
    "r": SIDES[1],
    "right": SIDES[1],
    "rt": SIDES[1],
}
ASPECT_WORDS = {
    "medial": "m med medial inner in inside int",
    "lateral": "lat lateral outer out outside ext thumb",
    "front": "f front ant anterior fwd forward",
    "rear": "rear b post posterior p behind",
    "upper": "upper up top sup superior prox proximal",
    "lower": "lower low bottom inf inferior dist distal",
    "tip": "tip end",
    "centre": "jc jointcentre jointcenter centre center joint",
    "1": "1 big hallux great",
    "2": "2",
    "5": "5 small little pinky",
}
"""Aspect -> words for it."""
PLACE_WORDS = {
    "asis": "asis asi ias sias",
    "psis": "psis psi ips sips",
    "waist": "waist wst wt pelvis pelv pel",
    "iliac crest": "crest iliaccrest icr ilcrest",
    "sacrum": "sacrum sacral sacr sac s1 s2 vsacral",
    "trochanter": "trochanter troch troc gtr gt greatertrochanter ftc trc",
    "hip centre": "hip hjc hips midhip chip",
    "thigh": "thigh thi th tgh thap thad thl quad femur femoral upperleg",
    "knee": "knee kne kn condyle femcondyle femoralcondyle femoralepicondyle kjc fc",
    "patella": "patella pat",
    "shank": "shank shin shn sh sk tib tibia tibial tb tiap tiad leg lowerleg calf crus",
    "fibula": "fibula fib fibhead fibulahead headoffibula fh fax",
    "tuberosity": "tuberosity tibialtuberosity tibtub ttc tt tub",
    "ankle": "ankle ank ak ajc mal malleolus malleoli",
    "heel": "heel hee calc calcaneus calcaneum cal fcc hel",
    "metatarsal": "metatarsal metatarsus meta met mt mth mtp mh metahead mtt forefoot",
    "toe": "toe toes",
    "foot": "foot ft midfoot navicular nav instep arch cuboid",
    "c7": "c7 cv7 spinetop",
    "upper back": "t1 t2 t3 t4 t5 tv2 tv4 spinethoracic2 thoracic2",
    "t10": "t6 t7 t8 t9 t10 t11 t12 tv8 tv10 tv12 mai spinethoracic12 thoracic12",
    "lumbar": "lv1 lv2 lv3 lv4 lv5 lumbar spine",
    "jugular notch": "clav clavicle cla ij sjn jugular notch incisura manubrium suprasternale",
    "sternum": "sternum strn stern ster stn xiphoid xiph px sxs xip sme",
    "back": "bak bac back scapula scap offset",
    "trunk": "trunk torso chest thorax thx rib ribs",
    "neck": "neck",
    "acromion": "acromion acromium acrom acr acj ac sho shoulder shld shldr sjc saj",
    "upper arm": "upperarm upa uarm ua arm humerus hum bicep biceps tricep triceps deltoid delt",
    "elbow": "elbow elb el ejc",
    EPICONDYLE: "epicondyle epi",
    "forearm": "forearm frm farm fa lowerarm larm",
    "wrist": "wrist wri wr wrs wjc styloid",
    "hand": "hand hnd fin finger fing mcp knuckle metacarpal mc hm2 hm3 hm5",
    "head": "head hd hea vertex forehead headband chin jaw",
    "temple": "temple tmp",
    "ear": "ear tragus",
    "eye": "eye",
    "nose": "nose",
    "mouth": "mouth lip",
}
"""Place -> words for it."""
WHOLE_WORDS = {
    # Shortened words that hold a place and its aspect at once.
    "fhd": ("head", "front"), "bhd": ("head", "rear"), "fwt": ("waist", "front"), "bwt": ("waist", "rear"),
    "knm": ("knee", "medial"), "knl": ("knee", USUAL), "fle": ("knee", USUAL), "fme": ("knee", "medial"),
    "mfc": ("knee", "medial"), "lfc": ("knee", USUAL), "mfe": ("knee", "medial"), "lfe": ("knee", USUAL),
    "anm": ("ankle", "medial"), "lmal": ("ankle", USUAL), "mmal": ("ankle", "medial"),
    "fal": ("ankle", USUAL), "tam": ("ankle", "medial"), "lm": ("ankle", USUAL), "mm": ("ankle", "medial"),
    "fm1": ("metatarsal", "1"), "fm2": ("metatarsal", "2"), "fm5": ("metatarsal", "5"),
    "fmh": ("metatarsal", "1"), "smh": ("metatarsal", "2"), "vmh": ("metatarsal", "5"),
    "d1m": ("metatarsal", "1"), "d2m": ("metatarsal", "2"), "d5m": ("metatarsal", "5"),
    "hal": ("toe", "1"), "hallux": ("toe", "1"), "ash": ("acromion", "front"), "psh": ("acromion", "rear"),
    "lel": ("elbow", USUAL), "mel": ("elbow", "medial"), "hle": ("elbow", USUAL), "hme": ("elbow", "medial"),
    "wra": ("wrist", "lateral"), "wrb": ("wrist", "medial"), "rsp": ("wrist", "lateral"),
    "usp": ("wrist", "medial"), "radius": ("wrist", "lateral"), "rad": ("wrist", "lateral"),
    "radial": ("wrist", "lateral"), "ulna": ("wrist", "medial"), "uln": ("wrist", "medial"),
    "ulnar": ("wrist", "medial"), "anteriorsuperioriliacspine": ("asis", USUAL),
    "posteriorsuperioriliacspine": ("psis", USUAL),
}  # fmt: skip
"""Word -> place and aspect."""
FINGERS = "thumb index pinky forefinger"
"""Words that name the hand, or with the word foot its toes, where they stand for no aspect of a place."""
LONGEST_RUN = 40
"""Longer runs of letters are no label that anybody made."""
SIDE_WORDS |= {word: side for side, words in zip(SIDES, SIDES_ABROAD, strict=True) for word in words.split()}
PLACE_WORDS |= {place: f"{PLACE_WORDS[place]} {words}" for place, words in PLACES_ABROAD.items()}
BEFORE = {
    # Of two places in a label the first is where the marker is, the second says of what.
    "wrist": ("forearm", "hand", "upper arm"),
    "knee": ("thigh", "shank"),
    "ankle": ("shank", "foot"),
    "fibula": ("shank", "head"),
    "tuberosity": ("shank",),
    "elbow": ("upper arm", "forearm"),
    "metatarsal": ("foot", "head", "toe"),
    "heel": ("foot",),
    "toe": ("foot",),
    "temple": ("head",),
    "ear": ("head",),
    "eye": ("head",),
    "nose": ("head",),
    "mouth": ("head",),
    "iliac crest": ("waist",),
    "asis": ("waist",),
    "psis": ("waist",),
    "sacrum": ("waist",),
    "jugular notch": ("sternum", "trunk"),
    "c7": ("back", "lumbar", "trunk"),
    "acromion": ("back",),
    "trochanter": ("thigh", "hip centre"),
    "forearm": ("upper arm",),
    "t10": ("back", "lumbar", "trunk"),
    "upper back": ("back", "lumbar", "trunk"),
    "sternum": ("trunk",),
    "back": ("trunk",),
}
Word = tuple[str, str]
"""What a word is about ("side", "place", "aspect", "whole" or "none"), and the word."""


def read_label(label: str) -> Landmark | None:
    """Return the landmark that a label names; None if it names none, or several that do not fit together."""
    for words in _readings(label):
        found = _landmark(words)
        if found is not None:
            return found
    return None


def _readings(label: str) -> Iterator[Sequence[Word]]:
    """Yield the ways to cut a label into words, the likelier ones first."""
    plain = "".join(letter for letter in normalize("NFKD", label) if not combining(letter))
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    for text in (apart, plain):
        parts: list[list[tuple[Word, ...]]] = []
        for run in re.findall(r"[a-z0-9]+", text.lower()):
            cuts = _cuts(run)
            parts.append(list(cuts) if cuts else [(("none", run),)])
        yield from _combined(parts)


def _combined(parts: list[list[tuple[Word, ...]]]) -> Iterator[list[Word]]:
    if not parts:
        yield []
        return
    for cut in parts[0]:
        for rest in _combined(parts[1:]):
            yield [*cut, *rest]


@cache
def _vocabulary() -> dict[str, str]:
    """Return what each word is about."""
    about = {word: "place" for words in PLACE_WORDS.values() for word in words.split()}
    about |= dict.fromkeys(FINGERS.split(), "finger")
    about |= {word: "aspect" for words in ASPECT_WORDS.values() for word in words.split()}
    return about | dict.fromkeys(WHOLE_WORDS, "whole") | dict.fromkeys(SIDE_WORDS, "side")


@cache
def _cuts(run: str) -> tuple[tuple[Word, ...], ...]:
    """Return the ways to cut a run of letters and digits into known words, those with the fewest first."""
    if len(run) > LONGEST_RUN:
        return ()
    about = _vocabulary()
    ways: list[list[tuple[Word, ...]]] = [[()], *([] for _ in run)]
    for end in range(1, len(run) + 1):
        for start in range(end):
            word = run[start:end]
            if word in about:
                ways[end] += [(*way, (about[word], word)) for way in ways[start]]
            elif word.isdigit() and not run[start - 1 : start].isdigit() and not run[end : end + 1].isdigit():
                ways[end] += [(*way, ("none", word)) for way in ways[start]]
        ways[end] = sorted(ways[end], key=_length)[:8]
    return tuple(ways[-1])


def _length(way: tuple[Word, ...]) -> int:
    """Return the number of words; an aspect of one letter counts twice, because letters are everywhere."""
    return len(way) + sum(about == "aspect" and len(word) == 1 and word.isalpha() for about, word in way)


def _landmark(words: Sequence[Word]) -> Landmark | None:
    """Return the landmark that words name together."""
    side = MIDDLE
    aspects: list[str] = []
    places: list[str] = []
    for about, word in words:
        if about == "side" and side == MIDDLE:
            side = SIDE_WORDS[word]
        elif about == "side":
            aspects.append("lateral")  # a second L stands for lateral, as in R_LELBOW
            if word != "l":
                return None
        elif about == "aspect":
            aspects.append(_of(ASPECT_WORDS, word))
        elif about == "place":
            places.append(_of(PLACE_WORDS, word))
        elif about == "whole":
            places.append(WHOLE_WORDS[word][0])
            aspects.append(WHOLE_WORDS[word][1])
    if {word for _, word in words} & set(FINGERS.split()):
        places = _with_fingers(places, aspects)
    place = _place(places, aspects)
    if place is None or (side == MIDDLE and place not in UNSIDED) or (side != MIDDLE and place in SPINE):
        return None
    known = [aspect for aspect in aspects if aspect]
    return Landmark(place, side, _aspect(place, known, [word for _, word in words]))


def _with_fingers(places: list[str], aspects: list[str]) -> list[str]:
    """Return the places of a label that names a finger; the index of a foot is its big toe."""
    if places == ["foot"]:
        aspects.append("1")
        return ["toe"]
    return places or ["hand"]


def _of(table: dict[str, str], word: str) -> str:
    return next(name for name, words in table.items() if word in words.split())


def _place(places: Sequence[str], aspects: list[str]) -> str | None:
    """Return where the marker is if several places are named; "back" beside another place is an aspect."""
    found = list(dict.fromkeys(places))
    if "back" in found and len(found) > 1:
        found.remove("back")
        aspects.append("rear")
    if EPICONDYLE in found:
        found.remove(EPICONDYLE)
        found.append("knee" if {"thigh", "knee"} & set(found) else "elbow")
    for place in found:
        if all(other == place or other in BEFORE.get(place, ()) for other in found):
            return place
    return None


def _aspect(place: str, aspects: Sequence[str], words: Sequence[str]) -> str:
    """Return the aspect that tells most; the joint's centre where the word itself says so."""
    if any(word.endswith("jc") for word in words):
        return "centre"
    wanted = {"metatarsal": ("1", "2", "5"), "toe": ("tip", "1", "5")}.get(place, ())
    for aspect in (*wanted, "centre", "medial", "lateral", "front", "rear", "upper"):
        if aspect in aspects:
            return aspect
    return USUAL
