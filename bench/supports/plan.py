"""What the supports benchmark runs: captures made on steps and seats, variants of them, and flat ones."""

from __future__ import annotations

from ..common.cache import Item

STEPS, SEATS, MOVED, FLOOR, FLAT = "steps", "seats", "objects of the scene", "on the floor", "flat"
CUTS = "cuts of flat clips"
GROUPS = {
    STEPS: (
        ("83_34", ""),
        ("83_34", "mirrored"),
        ("83_34", "30 fps"),
        ("83_34", "1.9 m"),
        ("83_14", ""),
        ("83_14", "mirrored"),
        ("36_08:0-11", ""),
        ("36_08:9-19", "mirrored"),
        ("13_35", ""),
        ("stairs", ""),
    ),
    SEATS: (
        ("75_17", ""),
        ("75_17", "mirrored"),
        ("75_17", "1.4 m"),
        ("114_06:0-6", ""),
        ("114_06:0-6", "mirrored"),
        ("114_06:1-6", "30 fps"),
        ("13_01:12-18", ""),
        ("14_29:1-6", ""),
        ("14_29:9-14", "mirrored"),
        ("STS1:0-5", ""),
    ),
    MOVED: (
        ("75_17", "moved 5 0 0 cm"),
        ("75_17", "moved 0 -5 0 cm"),
        ("75_17", "moved 0 5 3 cm"),
        ("75_17", "moved 0 0 -3 cm"),
        ("83_34", "moved 5 0 0 cm"),
        ("83_34", "moved 0 5 2 cm"),
    ),
    FLOOR: (
        ("82_05:0-6", ""),
        ("82_05:6-12", ""),
        ("82_05:6-12", "1.4 m"),
        ("82_05:12-18", "mirrored"),
        ("140_01", ""),
        ("140_01", "mirrored"),
        ("140_08", ""),
        ("140_08", "30 fps"),
        ("90_36", ""),
        ("90_36", "mirrored"),
    ),
}
"""Clips with the seconds that are used, and how they are changed; 'stairs' and 'STS1' are marker files.

What is moved is what was found, as objects that the scene has already. On the floor somebody sits, lies,
rolls and gets up as captured.
"""
FLAT_CLIPS = (
    *("02_01", "07_01", "08_01", "16_31", "35_01", "16_17", "104_28", "132_29", "137_42", "91_19", "138_01"),
    *("77_02", "49_18", "02_05", "13_18", "13_11", "118_01", "02_04", "09_01", "02_03", "05_02", "60_01"),
    *("88_06", "88_07", "49_06", "88_01", "87_03", "87_01", "74_03", "61_03", "05_10", "75_13", "127_27"),
    *("141_14", "90_36", "140_08", "140_01", "90_17", "22_12", "23_12", "82_05"),
)
"""Walks, runs, jumps, dances, acrobatics and floor work without any support."""


def items() -> list[Item]:
    """Return all runs."""
    found: list[Item] = [
        {"group": group, "clip": clip, "variant": variant}
        for group, clips in GROUPS.items()
        for clip, variant in clips
    ]
    return found + [
        {"group": group, "clip": clip, "variant": variant}
        for group, variant in ((FLAT, ""), (CUTS, "cut"))
        for clip in FLAT_CLIPS
    ]


def describe(item: Item) -> str:
    """Return a short name of a run."""
    return f"{item['clip']}{', ' * bool(item['variant'])}{item['variant']}"
