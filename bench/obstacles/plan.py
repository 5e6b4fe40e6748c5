"""What the obstacles benchmark runs: walks with something in their way."""

from __future__ import annotations

from ..common.cache import Item

WALKS = ("02_01", "07_01", "08_01", "16_31", "35_01", "132_29")
PLACES = (0.35, 0.45, 0.55, 0.65, 0.75)
"""Where the middle of the object is, as shares of the path."""
ASIDE_M = (0.0, 0.1, -0.1)
"""How far to the left of the path it is [m]."""
SHAPES: dict[str, tuple[tuple[float, float, float], float]] = {
    "10 cm": ((0.05, 0.05, 0.05), 0.05),
    "20 cm": ((0.1, 0.1, 0.1), 0.1),
    "30 cm": ((0.15, 0.15, 0.15), 0.15),
    "60 cm": ((0.3, 0.3, 0.3), 0.3),
    "bar at chest height": ((0.03, 0.5, 0.03), 1.2),
    "bar at head height": ((0.03, 1.5, 0.03), 1.5),
    "10 cm, deep": ((0.5, 0.6, 0.05), 0.05),
    "20 cm, deep": ((0.5, 0.6, 0.1), 0.1),
    "wall": ((0.1, 4.0, 1.0), 1.0),
}
"""Half sizes along, across and up, and the height of the middle above the floor [m]."""
ROWS: dict[str, tuple[str, str]] = {
    "20 cm, over": ("20 cm", "over"),
    "10 cm, over": ("10 cm", "over"),
    "60 cm, around": ("60 cm", "around"),
    "bar at chest height, around": ("bar at chest height", "around"),
    "30 cm, around": ("30 cm", "around"),
    "10 cm, deep, onto": ("10 cm, deep", "onto"),
    "20 cm, deep, onto": ("20 cm, deep", "onto"),
    "bar at head height, under": ("bar at head height", "under"),
    "wall, stop": ("wall", "stop"),
    "20 cm, automatic": ("20 cm", "auto"),
    "10 cm, automatic": ("10 cm", "auto"),
}
"""By label: which of the shapes, and the way past it."""
TRIALS = 10


def items_of(row: str) -> list[Item]:
    """Return the runs of a row: walks, places and distances from the path take turns."""
    what, way = ROWS[row]
    return [
        {
            "clip": WALKS[k % len(WALKS)],
            "what": what,
            "way": way,
            "place": PLACES[k % len(PLACES)],
            "aside": ASIDE_M[k % len(ASIDE_M)],
        }
        for k in range(TRIALS)
    ]


def describe(item: Item) -> str:
    """Return the text that is printed for an item."""
    return f"{item['clip']}, {item['what']}, {item['way']}, {item['place']:.2f}, {item['aside']:+.1f}"
