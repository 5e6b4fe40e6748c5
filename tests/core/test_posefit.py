"""The pose solver: derivatives by finite differences, known poses, limits, gaps and smoothness."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.markers.template import template
from sim_core.posefit import batch_solver as batch
from sim_core.posefit.batch_solver import Smoothing, _solve, smooth_poses
from sim_core.posefit.engine_solver import EngineSolver, Pull, mean_pose, track
from sim_core.posefit.fit_body import EngineBody
from sim_core.posefit.fit_rig import RigBody, body_from_rig
from sim_core.posefit.points import Attachments, measure_points, point_positions
from sim_core.posefit.pose_terms import LIMIT_SIGMA, add_limits, add_prior, cauchy_weights, loose_prior
from sim_core.recognition import recognise
from tests.core.sample_subject import RATE_HZ, walker
from tests.core.skeletons import fixture_skeleton, without

STEP = 1e-6


@pytest.fixture(scope="module")
def rig() -> RigBody:
    return template()


@pytest.fixture(scope="module")
def engine(rig: RigBody) -> EngineBody:
    return EngineBody(rig.body)


def three_on_each(rig: RigBody) -> Attachments:
    """Three points on every link, not in line."""
    corners = 0.1 * np.array([[1.0, 0.2, 0.1], [-0.3, 1.0, 0.2], [0.1, -0.2, 1.0]])
    count = len(rig.body.links)
    return Attachments(np.repeat(np.arange(count), 3), np.tile(corners, (count, 1)))


def some_pose(engine: EngineBody, seed: int, sigma: float = 0.15) -> FloatArray:
    change = np.random.default_rng(seed).normal(0.0, sigma, (1, engine.model.nv))
    return engine.moved(engine.neutral[None], change)


def test_neutral_pose_has_parallel_links(engine: EngineBody) -> None:
    quaternion = engine.poses(engine.neutral[None])[1]
    assert rotations.angle_between(quaternion, np.array([1.0, 0.0, 0.0, 0.0])).max() < 1e-9


def test_point_jacobians(rig: RigBody, engine: EngineBody) -> None:
    points, pose = three_on_each(rig), some_pose(engine, 1)
    jacobian = measure_points(engine, points, pose).jacobian[0]
    for axis in range(engine.model.nv):
        change = np.zeros((1, engine.model.nv))
        change[0, axis] = STEP
        there = point_positions(engine, points, engine.moved(pose, change))[0]
        back = point_positions(engine, points, engine.moved(pose, -change))[0]
        # Central differences err by STEP^2 and by rounding / STEP, about 1e-9.
        assert np.allclose(jacobian[..., axis], (there - back) / (2.0 * STEP), atol=1e-8)


def limit_cost(engine: EngineBody, pose: FloatArray) -> float:
    """What joints beyond their limits cost, worked out joint by joint."""
    total = 0.0
    for joint in range(engine.model.njnt):
        low, high = engine.model.jnt_range[joint]
        start, kind = engine.model.jnt_qposadr[joint], engine.model.jnt_type[joint]
        if kind == 3:
            angle = pose[start]
            total += min(angle - low, 0.0) ** 2 + max(angle - high, 0.0) ** 2
        elif kind == 1:
            angle = np.linalg.norm(rotations.to_vector(pose[start : start + 4]))
            total += max(angle - high, 0.0) ** 2
    return 0.5 * total / LIMIT_SIGMA**2


def test_slope_of_limits(engine: EngineBody) -> None:
    pose = some_pose(engine, 2, 1.2)
    nv = engine.model.nv
    slope = np.zeros((1, nv))
    add_limits(engine, pose, np.zeros((1, nv, nv)), slope)
    assert limit_cost(engine, pose[0]) > 0.0
    for axis in range(nv):
        change = np.zeros((1, nv))
        change[0, axis] = STEP
        ahead, behind = (limit_cost(engine, engine.moved(pose, sign * change)[0]) for sign in (1, -1))
        assert slope[0, axis] == pytest.approx(-(ahead - behind) / (2.0 * STEP), abs=1e-2, rel=1e-4)


def test_prior_leads_back_in_one_step(engine: EngineBody) -> None:
    """With nothing but the prior, a Newton step reaches it."""
    pose = some_pose(engine, 3)
    nv = engine.model.nv
    matrix, slope = np.zeros((1, nv, nv)), np.zeros((1, nv))
    add_prior(engine, loose_prior(engine, engine.neutral, 0.5), pose, matrix, slope)
    change = np.zeros((1, nv))
    change[0, 6:] = np.linalg.solve(matrix[0, 6:, 6:], slope[0, 6:])
    assert np.allclose(engine.moved(pose, change)[0, 7:], engine.neutral[7:], atol=1e-9)


def test_engine_finds_a_known_pose(rig: RigBody, engine: EngineBody) -> None:
    points = three_on_each(rig)
    true = some_pose(engine, 4)
    target = point_positions(engine, points, true)[0]
    solver = EngineSolver(rig.body, points)
    found = solver.solve(engine.neutral, Pull(target), 60)
    left = np.linalg.norm(point_positions(engine, points, found[None])[0] - target, axis=1)
    # Springs towards the neutral pose keep it a little off.
    assert np.sqrt(np.mean(left**2)) < 0.003


def test_engine_keeps_to_limits(rig: RigBody) -> None:
    """A foot pulled to where only a knee bent forwards would bring it."""
    knee, foot = rig.link("shin.L"), rig.link("foot.L")
    assert knee is not None and foot is not None
    points = Attachments(np.array([0, rig.link("thigh.L"), knee, foot]), np.zeros((4, 3)))
    solver = EngineSolver(rig.body, points)
    target = point_positions(solver.engine, points, solver.engine.neutral[None])[0]
    target[3] += [0.4, 0.0, 0.1]
    found = solver.solve(solver.engine.neutral, Pull(target), 60)
    angle = found[solver.engine.model.joint("shin.L/0").qposadr[0]]
    assert angle > np.radians(-8.0)  # the limit is -5 and soft


def test_gaps_are_left_alone(rig: RigBody, engine: EngineBody) -> None:
    """A target that is not there does not pull, wherever the others are."""
    points = three_on_each(rig)
    target = point_positions(engine, points, engine.neutral[None])[0]
    target[5] = np.nan
    found = EngineSolver(rig.body, points).solve(engine.neutral, Pull(target), 5)
    assert np.allclose(found, engine.neutral, atol=1e-6)


def test_outliers_lose_their_force() -> None:
    weight = cauchy_weights(np.array([0.0, 0.05, 0.5]), 0.05)
    assert weight == pytest.approx([1.0, 0.5, 1.0 / 101.0])


def test_band_is_the_dense_system(engine: EngineBody) -> None:
    """The banded solution solves the same equations as a full matrix of all frames."""
    frames, nv, step_s, sigma = 6, engine.model.nv, 0.01, 150.0
    rng = np.random.default_rng(5)
    root = rng.normal(size=(frames, nv, nv))
    matrix, slope = root @ root.swapaxes(1, 2) + np.eye(nv), rng.normal(size=(frames, nv))
    qpos = engine.moved(np.tile(engine.neutral, (frames, 1)), rng.normal(0.0, 0.01, (frames, nv)))
    found = _solve(engine, matrix.copy(), slope, qpos, step_s, sigma)
    second = np.zeros((frames - 2, frames))
    for t in range(frames - 2):
        second[t, t : t + 3] = 1.0, -2.0, 1.0
    whole = np.kron(second, np.eye(nv)) / (sigma * step_s**2)
    bend = np.diff(engine.differences(qpos[:-1], qpos[1:]), axis=0).reshape(-1) / (sigma * step_s**2)
    dense = whole.T @ whole
    for t in range(frames):
        dense[t * nv : (t + 1) * nv, t * nv : (t + 1) * nv] += matrix[t]
    expected = np.linalg.solve(dense, slope.reshape(-1) - whole.T @ bend)
    assert np.allclose(found.reshape(-1), expected, rtol=1e-5, atol=1e-6)


def test_batch_fills_gaps_and_finds_poses() -> None:
    known = walker(60)
    engine = EngineBody(known.rig.body)
    target = np.array(known.take.position_world)
    hidden = np.random.default_rng(6).random(target.shape[:2]) < 0.3
    seen = np.where(hidden[..., None], np.nan, target)
    solver = EngineSolver(known.rig.body, known.attachments)
    start = track(solver, seen, known.qpos[30], 30, 0.05)
    prior = loose_prior(engine, mean_pose(solver, start), 1.0)
    found = smooth_poses(engine, known.attachments, seen, start, prior, 1.0 / RATE_HZ)
    error = np.linalg.norm(point_positions(engine, known.attachments, found) - target, axis=2)
    assert np.sqrt(np.mean(error[hidden] ** 2)) < 0.002


def test_parts_of_a_long_take_agree_with_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    known = walker(90)
    engine = EngineBody(known.rig.body)
    noisy = known.take.position_world + np.random.default_rng(9).normal(0.0, 0.005, (90, 41, 3))
    prior = loose_prior(engine, known.qpos[0], 1.0)
    shares: list[float] = []

    def smoothed() -> FloatArray:
        step_s = 1.0 / RATE_HZ
        return smooth_poses(
            engine, known.attachments, noisy, known.qpos, prior, step_s, report_fraction=shares.append
        )

    whole = smoothed()
    monkeypatch.setattr(batch, "WINDOW", 50)
    monkeypatch.setattr(batch, "OVERLAP", 30)
    parts = batch.windows(90)
    assert [part[1] for part in parts[1:]] == [part[2] for part in parts[:-1]] and len(parts) == 3
    # What lies 15 frames away has faded to this.
    assert np.abs(engine.differences(whole, smoothed())).max() < 0.01
    assert shares[0] == shares[-1] == 1.0 and len(shares) == 4


def test_smoothing_takes_out_noise() -> None:
    known = walker(80)
    engine = EngineBody(known.rig.body)
    noisy = known.take.position_world + np.random.default_rng(7).normal(0.0, 0.01, (80, 41, 3))
    prior = loose_prior(engine, known.qpos[0], 2.0)

    def error(acceleration_sigma: float) -> float:
        settings = Smoothing(acceleration_sigma=acceleration_sigma)
        found = smooth_poses(engine, known.attachments, noisy, known.qpos, prior, 1.0 / RATE_HZ, settings)
        away = point_positions(engine, known.attachments, found) - known.take.position_world
        return float(np.sqrt(np.mean(np.sum(away**2, axis=2))))

    assert error(40.0) < 0.75 * error(1e5)


def test_poses_become_the_motion_of_a_rig(rig: RigBody, engine: EngineBody) -> None:
    """Bone lengths stay."""
    qpos = engine.moved(
        np.tile(engine.neutral, (3, 1)), np.random.default_rng(8).normal(0.0, 0.2, (3, engine.model.nv))
    )
    position, quaternion = engine.poses(qpos)
    motion = rig.motion(np.arange(3) / 30.0, position, quaternion)
    for bone, parent in enumerate(rig.skeleton.parents):
        if parent >= 0:
            rest = np.linalg.norm(np.subtract(*rig.skeleton.rest_position_world[[bone, parent]]))
            now = np.linalg.norm(motion.position_world[:, bone] - motion.position_world[:, parent], axis=1)
            assert now == pytest.approx(rest)


def test_lengths_of_a_rig_change(rig: RigBody) -> None:
    anchors = rig.body.anchors.copy()
    shin = rig.link("foot.L")
    assert shin is not None
    anchors[shin] *= 1.1
    longer = rig.with_anchors(anchors)
    index = rig.skeleton.index
    apart = np.subtract(*longer.skeleton.rest_position_world[[index["shin.L"], index["foot.L"]]])
    assert np.linalg.norm(apart) == pytest.approx(1.1 * np.linalg.norm(rig.body.anchors[shin]))
    assert np.allclose(body_from_rig(longer.skeleton, rig.mapping).body.anchors, anchors, atol=1e-3)


@pytest.mark.parametrize("name", ["mixamo", "rigify_human", "rigify_generated", "unreal", "vroid"])
def test_any_rig_is_a_body(name: str) -> None:
    """Links hang together as a body does, and poses become a motion in which limbs keep their lengths."""
    skeleton = fixture_skeleton(name)
    rig = body_from_rig(skeleton, recognise(skeleton))
    for side in "LR":
        chain = [rig.link(f"{part}.{side}") for part in ("thigh", "shin", "foot")]
        assert rig.body.links[chain[0]].parent == rig.link("hips") == 0  # type: ignore[index]
        for upper, lower in zip(chain, chain[1:], strict=False):
            assert rig.body.links[lower].parent == upper  # type: ignore[index]
    engine = EngineBody(rig.body)
    neutral = engine.poses(engine.neutral[None])[0][0]
    # Standing straight: feet below the hips, the head above them, left on the left.
    assert neutral[rig.carrier("foot.L"), 2] < -0.3 < 0.2 < neutral[rig.carrier("head"), 2]
    assert neutral[rig.carrier("thigh.L"), 1] > 0.0 > neutral[rig.carrier("thigh.R"), 1]
    position, quaternion = engine.poses(np.repeat(some_pose(engine, 10), 2, axis=0))
    motion = rig.motion(np.array([0.0, 0.1]), position, quaternion)
    assert np.allclose(motion.position_world[:, rig.bone], position)


def test_a_part_that_a_rig_lacks_is_what_carries_it() -> None:
    skeleton = without(fixture_skeleton("mixamo"), "Toe", "Shoulder", "Hand")
    with_toes = body_from_rig(fixture_skeleton("mixamo"), recognise(fixture_skeleton("mixamo")))
    assert with_toes.slot[with_toes.carrier("toe.L")] == "toe.L"
    legs = without(skeleton, "Spine")
    rig = body_from_rig(legs, recognise(legs))
    assert rig.slot[rig.carrier("toe.L")] == "foot.L"
    assert rig.slot[rig.carrier("hand.R")] == rig.slot[rig.carrier("chest")] == "hips"
