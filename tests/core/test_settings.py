"""Options refuse what cannot be baked with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sim_core.base.errors import InputError
from sim_core.scenario.settings import BALANCE_METHODS, QUALITIES, BakeSettings


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


@pytest.mark.parametrize("name", BALANCE_METHODS)
def test_the_manual_has_the_table_of_balance_methods(name: str) -> None:
    method = BALANCE_METHODS[name]
    text = (Path(__file__).parents[2] / "docs" / "tracking.md").read_text("utf-8")
    assert f"| `{name}` | {method.label} | {method.use} |" in text
    assert method.elsewhere is None or method.elsewhere in BALANCE_METHODS
