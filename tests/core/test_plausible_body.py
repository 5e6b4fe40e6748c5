"""One wrong number in a file does not make a body that nobody asked for."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from sim_core.base.errors import InputError
from sim_core.motion.skeleton import Skeleton
from sim_core.reading.bvh_clip import ReadingChoices, read_bvh
from sim_core.reading.judge_body import judge_size
from sim_core.recognition import recognise
from tests.core.sample_files import standing_bvh


def scaled(text: str, factor: float) -> str:
    """The same body in other units: offsets and positions are multiplied."""
    head, motion = text.split("MOTION\n")

    def offset(match: re.Match[str]) -> str:
        return "OFFSET " + " ".join(str(factor * float(word)) for word in match.group(1).split())

    rows = motion.splitlines()
    frames = [row.split() for row in rows[2:]]
    moved = [" ".join([*(str(factor * float(w)) for w in row[:3]), *row[3:]]) for row in frames]
    return "MOTION\n".join([re.sub(r"OFFSET (.*)", offset, head), "\n".join([*rows[:2], *moved]) + "\n"])


@pytest.mark.parametrize("factor", [1.0, 0.01, 10.0 / 2.54])
@pytest.mark.parametrize("bone", ["LeftForeArm", "RightHand", "Neck"])
def test_a_runaway_offset_is_refused_with_its_bone(tmp_path: Path, factor: float, bone: str) -> None:
    path, good = tmp_path / "a.bvh", scaled(standing_bvh(), factor)
    path.write_text(good)
    size = np.ptp(read_bvh(path).motion.skeleton.rest_position_world, axis=0).max()
    assert 1.0 < size < 2.0
    runaway = re.sub(rf"(JOINT {bone}\n{{\nOFFSET) \S+", rf"\1 {8400.0 * factor}", good)
    assert runaway != good
    path.write_text(runaway)
    with pytest.raises(InputError, match=rf"'a\.bvh': .* reach over .*'{bone}' is 8[34](\.\d)? m from"):
        read_bvh(path)


def test_a_size_that_is_asked_for_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    path.write_text(standing_bvh())
    giant = read_bvh(path, ReadingChoices(unit_m=0.1)).motion.skeleton
    assert np.ptp(giant.rest_position_world, axis=0).max() > 10.0


def test_a_joint_that_flies_off_is_refused_with_its_frame(tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    path.write_text(standing_bvh())
    motion = read_bvh(path).motion
    mapping = recognise(motion.skeleton)
    position = np.array(motion.position_world)
    position[7, motion.skeleton.index["LeftHand"], 0] += 50.0
    with pytest.raises(InputError, match="In frame 8 .* 50"):
        judge_size(motion.skeleton, mapping, position)


@pytest.mark.parametrize("factor", [0.05, 30.0])
def test_tiny_and_huge_bodies_are_refused(tmp_path: Path, factor: float) -> None:
    path = tmp_path / "a.bvh"
    path.write_text(standing_bvh())
    rest = read_bvh(path).motion.skeleton
    other = Skeleton(rest.names, rest.parents, factor * rest.rest_position_world, rest.rest_quaternion_world)
    with pytest.raises(InputError, match=r"bodies of 0\.4 to 4 m are read"):
        judge_size(other, recognise(rest))
