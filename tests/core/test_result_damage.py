"""A result whose parts do not belong together is refused where it is read, by its file and what is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_core.base.errors import InputError
from sim_core.result.records import Hit
from sim_core.result.result import load_result, save_result
from tests.core.sample_files import result_arrays, small_meta, small_metrics, small_result


def changed(name: str, place: Any, value: object) -> dict[str, Any]:
    array = np.array(result_arrays()[name])
    array[place] = value
    return {name: array}


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        (changed("time", 2, 0.0), "'time'"),
        (changed("source_time", 1, 9.0), "'source_time'"),
        (changed("joint_parent", 0, 1), "'joint_parent'"),
        (changed("joint_name", 1, "hips"), "'joint_name'"),
        (changed("body_name", 1, "pelvis"), "'body_name'"),
        (changed("bone_name", 1, "bone 0"), "'bone_name'"),
        (changed("body_mass", 0, 0.0), "'body_mass'"),
        (changed("torque_name", 0, "tail/x"), "tail/x"),
        (changed("foot_name", 0, "tail"), "'foot_name' has 'tail'"),
        (changed("foot_name", 0, "pelvis"), "which is no foot"),
        (changed("torque_limit", 0, 0.0), "'torque_limit'"),
        (changed("joint_position", (0, 0, 0), 1e12), "'joint_position'"),
        (changed("joint_quaternion_world", (1, 1), 0.0), "'joint_quaternion_world'"),
        (changed("simulated", 0, 1.5), "'simulated'"),
        ({"meta": small_meta(ground_height=float("nan"))}, "'ground_height'"),
        ({"meta": small_meta(hits=(Hit(float("nan"), "trunk", "head", "ball", 8.0),))}, "'hits'"),
        ({"meta": small_meta(body_shapes=())}, "0 shapes"),
        ({"source_torque": ()}, "source_torque, source_residual differ"),
        ({"meta": small_meta(character=replace(small_meta().character, height=0.0))}, "'character'"),
    ],
)
def test_damage_is_refused_by_name(tmp_path: Path, changes: dict[str, Any], word: str) -> None:
    save_result(small_result(**changes), tmp_path / "r.npz")
    with pytest.raises(
        InputError, match=rf"'r\.npz': The result is damaged: .*{word}.* make the file again\.$"
    ):
        load_result(tmp_path / "r.npz")


def test_measures_may_be_unknown(tmp_path: Path) -> None:
    meta = small_meta(metrics=small_metrics(rtf=float("nan")))
    save_result(small_result(meta=meta), tmp_path / "r.npz")
    back = load_result(tmp_path / "r.npz").meta.measured
    assert np.isnan(back.rtf) and replace(back, rtf=0.0) == small_metrics()
