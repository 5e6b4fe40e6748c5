"""Skeletons for tests: small fixtures of names and heads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from sim_core.base.conventions import FloatArray
from sim_core.motion.skeleton import NO_PARENT, Skeleton

FIXTURES = Path(__file__).parent / "data"


def fixture_skeleton(name: str) -> Skeleton:
    """A skeleton from tests/core/data: rows of name, parent index, head x, y, z [m]."""
    rows = json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))
    return make_skeleton([row[0] for row in rows], [row[1] for row in rows], [row[2:] for row in rows])


def make_skeleton(names: list[str], parents: list[int], heads: Any) -> Skeleton:
    quaternions = np.tile([1.0, 0.0, 0.0, 0.0], (len(names), 1))
    return Skeleton(tuple(names), np.array(parents), np.array(heads, dtype=float), quaternions)


def renamed(skeleton: Skeleton, names: list[str]) -> Skeleton:
    return make_skeleton(names, list(skeleton.parents), skeleton.rest_position_world)


def moved(skeleton: Skeleton, matrix: FloatArray) -> Skeleton:
    """The same bones with heads turned, scaled or mirrored by a matrix (3, 3)."""
    return make_skeleton(
        list(skeleton.names), list(skeleton.parents), skeleton.rest_position_world @ matrix.T
    )


def without(skeleton: Skeleton, *words: str) -> Skeleton:
    """The skeleton less the bones whose names hold one of the words, and all below them."""
    gone: set[int] = set()
    for i, name in enumerate(skeleton.names):
        if any(word in name for word in words) or skeleton.parents[i] in gone:
            gone.add(i)
    keep = [i for i in range(len(skeleton.names)) if i not in gone]
    parents = [keep.index(p) if (p := int(skeleton.parents[i])) != NO_PARENT else NO_PARENT for i in keep]
    return make_skeleton([skeleton.names[i] for i in keep], parents, skeleton.rest_position_world[keep])
