"""What the standing benchmark runs: motions on two feet, disturbed, under methods that can hold them."""

from __future__ import annotations

from ..balance.plan import DEFAULT, DIRECTIONS, PLAIN, make_item
from ..common.cache import Item

METHODS = (PLAIN, DEFAULT, "virtual_actuator", "joint_offset")
GROUPS = {
    "standing, gains chosen on": ("77_02:0-4", "02_05:0-4"),
    "standing": ("77_02:3.8-7.8", "02_05:7-11", "05_02:0-3", "118_01:0-3"),
    "boxing with steps": ("13_18:0-4", "13_18:8-12"),
    "never looked at while choosing": ("02_05:11-15", "140_08:4.6-7.4", "13_18:16-20"),
}
"""Parts of captures in which both feet stand: standing, punches, a dancer's arms, a crouch; and boxing."""
SEEDS = (1, 2)
PUSHES_N = (150.0, 200.0, 250.0)
BALLS = ("head", "chest", "back")
SHARE = 0.3
"""When the push or the ball comes, as a share of the motion."""
KINDS = ("start", *(f"{newtons:g} N" for newtons in PUSHES_N), "ball")


def items_of(clip: str, method: str) -> dict[str, list[Item]]:
    """Return the runs of one motion with one method, by kind."""
    seed = SEEDS[0]
    return {
        "start": [make_item(clip, method, seed) for seed in SEEDS],
        **{
            f"{newtons:g} N": [
                make_item(clip, method, seed, push=[direction, SHARE, newtons]) for direction in DIRECTIONS
            ]
            for newtons in PUSHES_N
        },
        "ball": [make_item(clip, method, seed, ball=[ball, SHARE]) for ball in BALLS],
    }
