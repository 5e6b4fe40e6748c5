"""How long one motion is blended into the next."""

from __future__ import annotations

BLEND_SECONDS = 0.3
"""Length of a blend if both motions are long enough [s]: about a single support phase of a walk."""
MAX_BLEND_SECONDS = 2.0
"""Longest blend [s]."""
