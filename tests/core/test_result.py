"""Results survive the trip through a file, and wrong arrays are named."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_core.base.errors import InputError
from sim_core.result.meta import ResultMeta
from sim_core.result.result import ARRAY_NAMES, load_result, save_result
from tests.core.sample_files import result_arrays, small_result

DOCUMENT = Path(__file__).parents[2] / "docs" / "result-file.md"


def documented_arrays() -> set[str]:
    """The names in the first column of the document's first table."""
    table = DOCUMENT.read_text(encoding="utf-8").split("## meta")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def documented_entries() -> set[str]:
    """The names in the first column of the table of the meta."""
    table = DOCUMENT.read_text(encoding="utf-8").split("## meta")[1].split("## The job file")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_a_result_comes_back_the_same(tmp_path: Path) -> None:
    props: dict[str, Any] = {
        "prop_name": ["ball"],
        "prop_position": np.ones((5, 1, 3)),
        "prop_quaternion": np.ones((5, 1, 4)),
    }
    result = small_result(**props)
    save_result(result, tmp_path / "r.npz")
    back = load_result(tmp_path / "r.npz")
    for name, array in result.arrays().items():
        assert np.array_equal(back.arrays()[name], array), name
        assert back.arrays()[name].dtype == array.dtype, name
    assert back.meta == result.meta


def test_the_file_is_what_the_contract_says(tmp_path: Path) -> None:
    """Read as a stranger would, without this project's code."""
    save_result(small_result(), tmp_path / "r.npz")
    with np.load(tmp_path / "r.npz", allow_pickle=False) as file:
        assert set(file.files) == documented_arrays()
        assert file["joint_name"].tolist() == ["hips", "Fuß"]
        assert file["prop_position"].shape == (5, 0, 3) and file["prop_quaternion"].shape == (5, 0, 4)
        meta = json.loads(str(file["meta"]))
    assert meta["schema"] == 1 and meta["metrics"]["joint_error_deg"] == 1.5 and meta["fell_at"] is None
    assert documented_entries() - {"format", "schema"} == {each.name for each in fields(ResultMeta)}


def test_a_broken_meta_is_refused_by_its_file(tmp_path: Path) -> None:
    save_result(small_result(), tmp_path / "r.npz")
    arrays = dict(np.load(tmp_path / "r.npz", allow_pickle=False))
    meta = json.loads(str(arrays["meta"])) | {"seed": "one"}
    np.savez(tmp_path / "odd.npz", **(arrays | {"meta": np.array(json.dumps(meta))}))
    with pytest.raises(InputError, match=r"The 'seed' of the 'meta' of '.*odd.npz' must be a whole number"):
        load_result(tmp_path / "odd.npz")


def test_no_contacts_at_all() -> None:
    none: dict[str, Any] = {"contact_other": [], "contact_other_body": []}
    result = small_result(contact_point=[], contact_force=[], contact_body=np.zeros((5, 0)), **none)
    assert result.contact_point.shape == (5, 0, 3) and result.contact_body.shape == (5, 0)


def test_forces_that_are_not_known_have_no_samples(tmp_path: Path) -> None:
    """A source too short for forces, a motion that was not made plausible, a result without a model."""
    unknown: dict[str, Any] = dict.fromkeys(("source_foot_force", "source_torque", "source_residual"), ())
    save_result(small_result(**unknown, model_qpos=()), tmp_path / "r.npz")
    result = load_result(tmp_path / "r.npz")
    assert result.source_foot_force.shape == (0, 1, 3) and result.plausible_torque.shape == (0, 6)
    assert result.source_residual.shape == (0, 6) and result.model_qpos.shape == (5, 0)
    with pytest.raises(InputError, match="array 'energy'"):
        small_result(energy=())


def test_arrays_are_locked_copies() -> None:
    arrays = result_arrays()
    result = small_result(**arrays)
    arrays["time"][0] = 99.0
    assert result.time[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        result.time[0] = 1.0


@pytest.mark.parametrize("name", list(result_arrays()))
def test_a_wrong_shape_is_refused(name: str) -> None:
    wrong: Any = np.asarray(result_arrays()[name])[..., None]
    with pytest.raises(InputError, match="The result's array '"):
        small_result(**{name: wrong})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("joint_position", np.zeros((5, 4, 3))),
        ("reference_joint_quaternion_world", np.zeros((5, 3, 3))),
        ("assist", np.zeros((4, 6))),
        ("prop_position", np.zeros((5, 1, 3))),
        ("bone_position", np.zeros((5, 8, 3))),
        ("bone_detached", np.zeros(3, dtype=bool)),
        ("body_com", np.full((5, 2, 3), np.nan)),
        ("torque_limit", np.full(6, np.nan)),
        ("joint_parent", [-1, 0, 3]),
        ("contact_body", np.full((5, 4), 2)),
        ("contact_body", np.full((5, 4), -2)),
    ],
)
def test_the_wrong_array_is_named(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"array '{name}'"):
        small_result(**{name: value})


def test_missing_and_mistyped_arrays_of_a_file(tmp_path: Path) -> None:
    save_result(small_result(), tmp_path / "r.npz")
    arrays = dict(np.load(tmp_path / "r.npz", allow_pickle=False))
    for name in ARRAY_NAMES:
        rest = {other: array for other, array in arrays.items() if other != name}
        np.savez(tmp_path / "less.npz", **rest)
        with pytest.raises(InputError, match=f"lacks the array '{name}'"):
            load_result(tmp_path / "less.npz")
        np.savez(tmp_path / "odd.npz", **(rest | {name: np.zeros(arrays[name].shape, dtype=complex)}))
        with pytest.raises(InputError, match=f"'{name}'"):
            load_result(tmp_path / "odd.npz")
