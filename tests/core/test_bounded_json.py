"""JSON from anywhere is refused with one sentence, or holds nothing that later code could not hold."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_core.base import bounded_json
from sim_core.base.bounded_json import parse_json
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.base.json_files import dataclass_from_json, read_json_file, read_preset

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1) | st.floats(allow_nan=False, width=32),
    lambda inside: (
        st.lists(inside, max_size=3) | st.dictionaries(st.text("abé", max_size=3), inside, max_size=3)
    ),
    max_leaves=10,
)


@given(JSON.filter(lambda value: "inf" not in repr(value)))
def test_good_json_comes_back(value: object) -> None:
    assert parse_json(json.dumps(value), "It") == value


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[" * 100_000 + "]" * 100_000, "deep"),
        ("[" * 500 + "]" * 500, "deep"),
        ('{"a":' * 500 + "1" + "}" * 500, "deep"),
        ('{"a": [1, ' + "9" * 400 + "]}", "'/a/2'"),
        ("1" + "0" * 5000, "not valid JSON"),
        ('{"a": 1e999}', "'/a'"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "Infinity"),
        ('{"a": {"b": "x\\ud800"}}', "'/a/b'"),
        ('{"a\\u0000": 1}', "character"),
        ('["\\u0000"]', "'/1'"),
        ("{", "not valid JSON"),
        ("", "not valid JSON"),
    ],
)
def test_what_no_code_could_hold_is_refused_with_its_place(text: str, word: str) -> None:
    with pytest.raises(InputError, match=word) as caught:
        parse_json(text, "The list 'x.json'")
    message = str(caught.value)
    assert message.startswith("The list 'x.json'") and message.endswith(".") and len(message) < 300


def test_size_is_bounded_before_anything_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_json, "MOST_VALUES", 1000)
    assert len(parse_json(json.dumps([0] * 999), "It")) == 999
    with pytest.raises(InputError, match="too large"):
        parse_json(json.dumps([0] * 1001), "It")
    monkeypatch.setattr(bounded_json, "MOST_CHARACTERS", 10)
    with pytest.raises(InputError, match="too large"):
        parse_json(json.dumps("x" * 11), "It")


def test_files_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(InputError, match="byte 7"):
        read_json_file(path, "scene")
    path.write_text("[1]")
    with pytest.raises(InputError, match="must be a JSON object"):
        read_json_file(path, "scene")


@dataclass
class Record:
    name: str
    size: float = 1.0
    count: int = 0
    points: FloatArray | None = None
    tags: dict[str, str] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", {"a": 1}),
        ("name", 3),
        ("size", "large"),
        ("size", True),
        ("size", None),
        ("count", 1.5),
        ("points", [[0, "x"]]),
        ("points", {"x": 1}),
    ],
)
def test_values_of_another_type_are_refused(name: str, value: object) -> None:
    with pytest.raises(InputError, match=f"The '{name}' of record 2 must be"):
        dataclass_from_json(Record, {"name": "x", name: value}, "Record 2")


def test_values_of_the_right_type_are_taken() -> None:
    made = dataclass_from_json(Record, {"name": "x", "size": 2, "points": [[1, 2.0]]}, "It")
    assert (made.name, made.size, made.points) == ("x", 2, [[1, 2.0]])


@pytest.mark.parametrize("name", ["../rigs/mixamo", "../../pyproject", "/etc/passwd", "x\0y", ""])
def test_a_preset_is_one_of_those_that_are_listed(name: str) -> None:
    with pytest.raises(InputError, match="There is no preset"):
        read_preset("characters", name)
