"""What the user may choose to follow a stream by."""

from __future__ import annotations

LEAST_DELAY_S, USUAL_DELAY_S, MOST_DELAY_S = 0.5, 0.8, 1.5
"""Delays of the delayed mode [s]: below the least, walks fall; a step has to be seen before it is taken."""

FILE = "file"
"""A motion file instead of a protocol: it is followed as if a performer sent it."""
