"""What the obstacles benchmark runs: walks with something in their way."""

from __future__ import annotations

from ..common.cache import Item

WALKS = ("02_01", "07_01", "08_01", "16_31", "35_01", "132_29")
PLACES = (0.35, 0.45, 0.55, 0.65, 0.75)
"""Where the middle of the object is, as shares of the path."""
ASIDE_M = (0.0, 0.1, -0.1)
"""How far to the left of the path it is [m]."""
BAR = "bar"
ROWS: dict[str, tuple[str, str]] = {
    "10 cm, over": ("0.1", "over"),
    "20 cm, over": ("0.2", "over"),
    "10 cm, automatic": ("0.1", "auto"),
    "20 cm, automatic": ("0.2", "auto"),
    "30 cm, around": ("0.3", "around"),
    "60 cm, around": ("0.6", "around"),
    "bar at chest height, around": (BAR, "around"),
}
"""By label: the edge of a cube [m] or a bar, and the way past it."""
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
