"""Arrays that are frozen: copies that nobody changes, made once."""

from __future__ import annotations

import numpy as np

from sim_core.base.conventions import frozen


def test_the_original_may_change_afterwards() -> None:
    values = np.zeros(3)
    kept = frozen(values)
    values[0] = 1.0
    assert kept[0] == 0.0 and not kept.flags.writeable


def test_a_frozen_array_is_not_copied_again() -> None:
    kept = frozen(np.arange(3.0))
    assert frozen(kept) is kept
    assert frozen(kept, np.int64) is not kept


def test_what_another_array_may_still_change_is_copied() -> None:
    values = np.zeros((2, 3))
    view = values[0]
    view.setflags(write=False)
    kept = frozen(view)
    values[0] = 1.0
    assert (kept == 0.0).all()
