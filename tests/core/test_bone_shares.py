"""Bones that are simulated in part: mixed with the clip, carried along, and told."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sim_core.bake.bone_shares import with_bone_shares
from sim_core.bake.pipeline import bake
from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.report.report import make_report
from sim_core.result.result import Result
from sim_core.scenario.job import Job, load_job, save_job
from sim_core.scenario.settings import BakeSettings
from tests.core.sample_people import MAPPING, moving, person

ARM = "upper_arm.L"


@cache
def simulated() -> tuple[Job, Result]:
    """One simulation for all tests; its help is off, so that it leaves the clip."""
    motion = person(moving(0.6))
    settings = BakeSettings("draft", assist_cap=0.0, find_assist=False, stiffness=0.2)
    job = Job(motion, MAPPING, settings)
    return job, bake(job)


def with_share(bone: str, share: FloatArray | float) -> tuple[Job, Result]:
    """The same with one bone's share (T)."""
    job, result = simulated()
    shares = np.ones(job.motion.position_world.shape[:2])
    shares[:, job.motion.skeleton.index[bone]] = share
    new = replace(job, bone_share=shares)
    return new, with_bone_shares(new, result)


def own_turn(result_or_job: Job | Result, bone: str, above: str) -> FloatArray:
    """A bone's rotation seen from another one (F, 4)."""
    if isinstance(result_or_job, Job):
        motion = result_or_job.motion
        index, quaternion = motion.skeleton.index, motion.quaternion_world
    else:
        names = result_or_job.bone_name.tolist()
        index = {name: k for k, name in enumerate(names)}
        quaternion = result_or_job.bone_quaternion_world
    return rotations.relative(quaternion[:, index[above]], quaternion[:, index[bone]])


def test_whole_shares_change_nothing() -> None:
    _, result = simulated()
    _, same = with_share(ARM, 1.0)
    assert same is result


def test_a_bone_changes_over_from_the_clip() -> None:
    job, plain = simulated()
    above = job.motion.skeleton.names[int(job.motion.skeleton.parents[job.motion.skeleton.index[ARM]])]
    half = len(job.motion.time) // 2
    share = (np.arange(len(job.motion.time)) >= half).astype(float)
    mixed_job, mixed = with_share(ARM, share)
    clip, new = own_turn(job, ARM, above), own_turn(mixed, ARM, above)
    whole = own_turn(plain, ARM, above)
    assert rotations.angle_between(clip, whole)[1:half].max() > 1e-3  # there is something to mix
    assert rotations.angle_between(new, clip)[:half].max() < 1e-7
    assert rotations.angle_between(new, whole)[half:].max() < 1e-7
    # Below the arm nothing turns by itself, and bones above it stay.
    forearm = own_turn(mixed, "forearm.L", ARM)
    assert rotations.angle_between(forearm, own_turn(plain, "forearm.L", ARM)).max() < 1e-7
    head = plain.bone_name.tolist().index("head")
    np.testing.assert_allclose(mixed.bone_position[:, head], plain.bone_position[:, head], atol=1e-9)
    assert mixed_job.bone_share is not None


def test_half_a_share_is_half_way() -> None:
    job, plain = simulated()
    _, mixed = with_share("hips", 0.5)
    hips, bone = plain.bone_name.tolist().index("hips"), job.motion.skeleton.index["hips"]
    source = job.motion.position_world[:, bone]
    np.testing.assert_allclose(
        mixed.bone_position[:, hips], 0.5 * (source + plain.bone_position[:, hips]), atol=1e-9
    )
    turned = mixed.bone_quaternion_world[:, hips]
    from_clip = rotations.angle_between(turned, job.motion.quaternion_world[:, bone])
    from_whole = rotations.angle_between(turned, plain.bone_quaternion_world[:, hips])
    np.testing.assert_allclose(from_clip, from_whole, atol=1e-7)


def test_what_is_animated_is_told() -> None:
    _, plain = simulated()
    _, mixed = with_share(ARM, 0.25)
    animated = mixed.meta.animated
    assert animated is not None and animated.bones == {ARM: pytest.approx(0.75)}
    assert animated.share == pytest.approx(0.75 / len(plain.bone_name))
    arm = plain.joint_name.tolist().index(ARM)
    by_mass = 0.75 * plain.body_mass[arm] / plain.body_mass.sum()
    assert mixed.meta.measured.kinematic_share == pytest.approx(by_mass)
    assert any(f"'{ARM}' follow the animation" in note for note in mixed.meta.notes)
    assert plain.meta.animated is None


def test_shares_go_through_a_file_and_broken_ones_are_refused(tmp_path: Path) -> None:
    job, _ = with_share(ARM, 0.5)
    save_job(job, tmp_path / "job.npz")
    back = load_job(tmp_path / "job.npz")
    assert job.bone_share is not None
    np.testing.assert_array_equal(back.bone_share, job.bone_share)
    with pytest.raises(InputError, match="shape"):
        replace(job, bone_share=job.bone_share[1:])
    with pytest.raises(InputError, match="between 0 and 1"):
        replace(job, bone_share=2.0 * job.bone_share)


def test_forces_of_bones_that_show_the_clip_are_not_judged() -> None:
    for bone, judged in ((ARM, {"feet", "effort", "smoothness"}), ("thigh.L", {"effort", "smoothness"})):
        _, mixed = with_share(bone, 0.25)
        after = make_report(mixed).after
        assert after is not None and set(after.score.parts) == judged
        assert after.not_judged.endswith(
            "because some bones show the clip, and the forces on them are not known."
        )
