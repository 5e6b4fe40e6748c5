"""Options refuse what cannot be baked with."""

from __future__ import annotations

from typing import Any

import pytest

from sim_core.base.errors import InputError
from sim_core.scenario.settings import QUALITIES, BakeSettings


@pytest.mark.parametrize("quality", QUALITIES)
def test_all_qualities_are_accepted(quality: str) -> None:
    assert BakeSettings(quality=quality).quality == quality


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("quality", "perfect"),
        ("balance", "luck"),
        ("balance_weight", 1.5),
        ("assist_cap", -1.0),
        ("assist_cap", float("inf")),
        ("seed", -1),
        ("noise", -0.1),
        ("noise", float("nan")),
        ("height", 0.0),
        ("height", float("nan")),
        ("mass", -70.0),
        ("softness", 1.2),
        ("recovery_s", 0.0),
        ("mass", float("inf")),
    ],
)
def test_impossible_values_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"(?i){name}") as caught:
        BakeSettings(**{name: value})
    assert str(value) in str(caught.value)
