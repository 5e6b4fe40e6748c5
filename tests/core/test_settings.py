"""Options refuse what cannot be baked with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
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
        ("assist_cap", 1e300),
        ("assist_cap", 1e-300),
        ("assist_cap", "0"),
        ("seed", 1.5),
        ("mass", True),
    ],
)
def test_impossible_values_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"(?i){name}") as caught:
        BakeSettings(**{name: value})
    assert str(value) in str(caught.value)


def test_numbers_of_numpy_are_those_of_python() -> None:
    """The result file keeps them, and would refuse others after the bake."""
    settings = BakeSettings(seed=np.int64(3), assist_cap=np.float32(15), get_up=np.bool_(True))  # type: ignore[arg-type]
    plain = BakeSettings(seed=3, assist_cap=15.0, get_up=True)
    assert settings == plain and repr(settings) == repr(plain)


@pytest.mark.parametrize("name", BALANCE_METHODS)
def test_the_manual_has_the_table_of_balance_methods(name: str) -> None:
    method = BALANCE_METHODS[name]
    text = (Path(__file__).parents[2] / "docs" / "tracking.md").read_text("utf-8")
    assert f"| `{name}` | {method.label} | {method.use} |" in text
    assert method.elsewhere is None or method.elsewhere in BALANCE_METHODS
