"""Trials of the balance benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..common.cache import Item, key_of
from ..common.clips import START_NOISE
from ..common.grounds import GROUNDS

DEFAULT = "footsteps"
POLICIES = (DEFAULT, "three_link", "full_state", "swing_hip", "virtual_actuator", "joint_offset")
PLAIN = "plain"
"""The tracking QP with damping of the body alone, without feedback of position."""

WALKS = ("02_01", "07_01", "08_01", "16_31", "35_01", "91_19", "138_01")
COMPARED = (*WALKS[:5], "16_17", "91_19", "138_01", "77_02", "49_18")
PLOTTED = ("02_01", "16_31")
START, STOP, SIDEWAYS, TURN, STAND = "02_05:0-3+02_01", "02_01+02_05:0-4", "13_18:8-13", "16_17", "77_02"
STYLES = ("104_28", "132_29", "137_42", "05_02", START, STOP, SIDEWAYS)
MOTIONS = (START, STOP, SIDEWAYS, TURN, STAND)
WORDS = {
    START: "stand and punch, then walk",
    STOP: "walk, then stand and punch",
    SIDEWAYS: "boxing with sideways steps",
    TURN: "walk with a turn",
    STAND: "stand",
}
MOTION_GROUNDS = ("up 5 deg", "5 cm steps up")

PUSHED_WALKS = ("02_01", "07_01", "16_31", "35_01", "91_19:0-5", "138_01")
PUSHED_STANDS = ("77_02:0-5", "02_05:0-5")
PUSH_N, PUSH_S = 200.0, 0.1
DIRECTIONS = {"ahead": 0.0, "left": 90.0, "back": 180.0, "right": 270.0}
"""Directions of pushes about the vertical, from where the pelvis faces [deg]."""
SHARES = (0.3, 0.55)
"""Times of disturbances, as shares of the clip."""

BALL_KG, BALL_M_S, BALL_RADIUS = 5.0, 5.0, 0.11
BALL_S = 0.2
"""Time of flight of a ball [s], about a metre."""
BALL_STANDS = ("77_02:0-5",)
BALL_WALKS = ("02_01", "138_01")
BALLS: dict[str, tuple[str, float]] = {
    "head": ("head", 180.0),
    "chest": ("chest", 180.0),
    "back": ("chest", 0.0),
    "left side": ("chest", 270.0),
    "right side": ("chest", 90.0),
}
"""The segment that a ball hits, and the direction of its flight as in DIRECTIONS."""

PARTS = ("policies", "styles", "pushes", "balls", "terrain", "motions")


def make_item(clip: str, policy: str, seed: int, ground: str = "flat", **disturbance: Any) -> Item:
    """Return a trial; a disturbance is a push (of DIRECTIONS) or a ball (of BALLS), each with its time."""
    return {
        "clip": clip,
        "ground": ground,
        "policy": policy,
        "seed": seed,
        "noise": START_NOISE,
        "push": None,
        "ball": None,
        "curve": clip in PLOTTED and ground == "flat" and not disturbance,
    } | disturbance


def items_of(part: str, seeds: Sequence[int]) -> list[Item]:
    """Return all trials of a part."""
    if part == "policies":
        return [make_item(c, p, s) for c in COMPARED for s in seeds for p in (PLAIN, *POLICIES)]
    if part == "styles":
        return [make_item(c, p, s) for c in STYLES for s in seeds for p in POLICIES[:2]]
    if part == "pushes":
        pushed = (*PUSHED_WALKS, *PUSHED_STANDS)
        pushes = [[direction, share] for direction in DIRECTIONS for share in SHARES]
        return [make_item(c, p, seeds[0], push=push) for c in pushed for p in POLICIES for push in pushes]
    if part == "balls":
        clips = (*BALL_STANDS, *BALL_WALKS)
        balls = [[ball, share] for ball in BALLS for share in SHARES]
        return [make_item(c, p, seeds[0], ball=ball) for c in clips for p in POLICIES for ball in balls]
    if part == "terrain":
        return [make_item(c, DEFAULT, s, g) for g in GROUNDS for c in WALKS for s in seeds]
    return [make_item(c, DEFAULT, s, g) for g in MOTION_GROUNDS for c in MOTIONS for s in seeds]


def tasks_of(items: Sequence[Item]) -> list[list[Item]]:
    """Group trials by process: those that share a prepared motion, long groups first, each trial once."""
    tasks: dict[tuple[str, str], list[Item]] = {}
    for item in {key_of(item): item for item in items}.values():
        flat = item["ground"] == "flat"
        tasks.setdefault((item["ground"], item["clip"].partition(":")[0] if flat else ""), []).append(item)
    for task in tasks.values():
        task.sort(key=lambda item: str(item["clip"]))
    return sorted(tasks.values(), key=len, reverse=True)


def describe(item: Item) -> str:
    """Return the text that is printed for a trial."""
    push = "" if item["push"] is None else ", pushed {} at {:g} of the clip".format(*item["push"])
    ball = "" if item["ball"] is None else ", ball on the {} at {:g} of the clip".format(*item["ball"])
    return f"{item['clip']} {item['ground']} {item['policy']}{push}{ball}, seed {item['seed']}"
