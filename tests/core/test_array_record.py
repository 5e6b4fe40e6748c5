"""Records that consist of arrays own them, and list them by their names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from sim_core.base.array_record import ArrayRecord
from sim_core.base.conventions import FloatArray, IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Heights(ArrayRecord):
    NO_ARRAYS: ClassVar[frozenset[str]] = frozenset({"kind"})

    kind: str
    height: FloatArray
    row: IntArray


def test_arrays_are_copies_of_their_own_kind_that_nobody_can_change() -> None:
    height = np.arange(3, dtype=np.float32)
    record = Heights(kind="steps", height=height, row=np.array([2, 1]))
    height[0] = 9.0
    assert list(record.arrays()) == ["height", "row"]
    assert record.height[0] == 0.0 and record.height.dtype == np.float32
    assert record.row.dtype == np.array([2]).dtype and record.kind == "steps"
    with pytest.raises(ValueError, match="read-only"):
        record.height[0] = 1.0
