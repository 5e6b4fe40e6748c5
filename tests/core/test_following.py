"""A character that follows a stream: windows that are prepared while they are simulated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from bench.stream.sending import SendingClock, follow
from sim_core.base import rotations
from sim_core.base.conventions import FloatArray
from sim_core.base.errors import InputError
from sim_core.base.json_files import to_json
from sim_core.doctor.self_test import standing_job
from sim_core.following.follow_mode import DIRECT, delayed
from sim_core.following.perform import Performer
from sim_core.following.performer_feed import continued
from sim_core.following.sliding_reference import SlidingReference
from sim_core.following.stream_choice import StreamChoice
from sim_core.jobs.live_job import LiveJob, stage_for
from sim_core.live.commands import Push, command_to_dict
from sim_core.live.repeated import live_setup
from sim_core.live.session import LiveSession
from sim_core.live.take import Stage
from sim_core.motion.motion import CONTROL_DT
from sim_core.scenario.scenario import make_scenario
from sim_core.sources.performed import frames_of
from sim_core.stream.heard import HeardStream, KeptStream, load_heard, save_heard
from sim_core.stream.performer import BONES
from sim_core.stream.performer_rig import PerformerRig
from sim_core.stream.pose_buffer import PerformerPoses
from sim_core.stream.receiver import Receiver
from sim_core.stream.sender import BadNetwork, disturbed, vmc_packets


def sent(rig: PerformerRig, motion: object) -> PerformerPoses:
    frames = rig.frames(motion)  # type: ignore[arg-type]
    time = np.array([frame.time_s for frame in frames])
    return PerformerPoses(time, np.array([f.turn for f in frames]), np.array([f.hips for f in frames]))


def test_a_motion_is_the_same_after_it_was_sent_to_its_own_rig() -> None:
    body = make_scenario(standing_job())
    rig = PerformerRig(body.spec, body.binding)
    back = rig.motion(sent(rig, body.motion), 1.0, np.zeros(3))
    driver = body.binding.driver
    angle = rotations.angle_between(back.quaternion_world[:, driver], body.motion.quaternion_world[:, driver])
    assert np.degrees(angle).max() < 1e-4
    np.testing.assert_allclose(
        back.position_world[:, rig.hips], body.motion.position_world[:, rig.hips], atol=1e-9
    )


def test_arms_to_the_sides_and_soles_level_are_the_t_pose() -> None:
    """Turns of nothing make the T-pose, whatever the rig's rest pose is."""
    body = make_scenario(standing_job())
    rig = PerformerRig(body.spec, body.binding)
    still = np.tile([1.0, 0.0, 0.0, 0.0], (2, len(BONES), 1))
    hips = np.repeat(body.motion.position_world[:1, rig.hips], 2, axis=0)
    posed = rig.motion(PerformerPoses(np.array([0.0, 0.1]), still, hips), 1.0, np.zeros(3))
    at = {name: posed.position_world[0, body.binding.joint[i]] for i, name in enumerate(body.binding.names)}
    for side, left in (("L", 1.0), ("R", -1.0)):
        arm = at[f"hand.{side}"] - at[f"upper_arm.{side}"]
        np.testing.assert_allclose(arm / np.linalg.norm(arm), [0.0, left, 0.0], atol=1e-6)
        leg = at[f"foot.{side}"] - at[f"thigh.{side}"]
        np.testing.assert_allclose(leg / np.linalg.norm(leg), [0.0, 0.0, -1.0], atol=1e-6)


def test_a_bad_network_loses_delays_and_pauses_as_it_says() -> None:
    body = make_scenario(standing_job())
    rig = PerformerRig(body.spec, body.binding)
    packets = list(vmc_packets(rig, rig.frames(body.motion)))
    assert list(disturbed(packets, BadNetwork())) == packets
    lossy = list(disturbed(packets, BadNetwork(lost=0.5, seed=3)))
    assert 0.3 < len(lossy) / len(packets) < 0.7
    reordered = list(disturbed(packets, BadNetwork(reordered=0.2)))
    assert len(reordered) == len(packets)
    assert [p for _, p in reordered] != [p for _, p in packets]
    paused = [at for at, _ in disturbed(packets, BadNetwork(gap_s=0.25))]
    assert max(np.diff(paused)) > 0.24
    for wrong in ((1.0, 0.0, 0.0), (0.0, -0.1, 0.0), (0.0, 0.0, 2.0)):
        with pytest.raises(InputError):
            BadNetwork(*wrong)


def test_a_loop_goes_on_in_time_and_from_where_it_has_come_to() -> None:
    body = make_scenario(standing_job())
    rig = PerformerRig(body.spec, body.binding)
    walk = replace(
        body.motion,
        position_world=body.motion.position_world
        + np.linspace(0, 1, len(body.motion.time))[:, None, None] * [1.0, 0, 0],
    )
    rounds = frames_of(rig, walk, 30.0, True)
    samples = int(walk.duration * 30.0 + 1e-6) + 1
    frames = [next(rounds) for _ in range(samples + 1)]
    assert frames[-1].time_s == pytest.approx(frames[-2].time_s + 1 / 30)
    np.testing.assert_allclose(frames[-1].hips[:2], frames[-2].hips[:2], atol=1e-6)


def test_what_was_followed_is_never_prepared_again() -> None:
    setup = live_setup(standing_job())
    source = setup.source_qpos[:80]
    sliding = SlidingReference(setup, setup.methods[0])
    first = sliding.prepare(0, 0, source[:50])
    followed = sliding.qpos[:21].copy()
    second = sliding.prepare(20, 0, source[:80])
    np.testing.assert_array_equal(sliding.qpos[:21], followed)
    assert len(first.prepared.reference) == 50
    assert second.first + len(second.prepared.reference) == 80
    # Accelerations across the seam are no larger than elsewhere: no jump in position or velocity.
    bends = np.abs(np.diff(sliding.qpos[:, 7:], 2, axis=0)).max(axis=1)
    assert bends[18:24].max() <= 3.0 * max(bends[:15].max(), 1e-5)


def test_a_body_that_is_not_heard_comes_to_rest() -> None:
    setup = live_setup(standing_job())
    moving = np.repeat(setup.source_qpos[:1], 10, axis=0)
    moving[:, 0] += np.arange(10) * CONTROL_DT  # 1 m/s
    longer = continued(setup.world.model, moving, 110)
    speed = np.diff(longer[:, 0]) / CONTROL_DT
    assert speed[9] == pytest.approx(0.95, abs=0.01)  # the mean over the first 10 ms
    assert speed[-1] < 1e-3
    assert longer[-1, 0] == pytest.approx(moving[-1, 0] + 0.1, abs=0.01)  # a time constant of 0.1 s


@pytest.mark.parametrize("mode", [delayed(0.5), DIRECT], ids=["delayed", "direct"])
def test_a_standing_performer_is_followed_at_no_force(mode: object) -> None:
    job = standing_job()
    motion = job.motion.between(0.0, 1.0)
    followed = follow(job, motion, job.mapping, mode, BadNetwork(0.1, 0.05))  # type: ignore[arg-type]
    meta = followed.performance.result.meta
    assert meta.fell_at is None
    assert followed.joint_error_deg < 4.0
    assert meta.measured.assist_force_max_n == 0.0
    assert followed.performance.figures["stream_dropped"] == 0


def test_delays_that_are_too_short_or_long_are_refused() -> None:
    for seconds in (0.1, 5.0):
        with pytest.raises(InputError, match="direct mode"):
            delayed(seconds)


PLAYED, PUSHED_AT = 45, 15
"""Control intervals of a session that follows a stream, over two windows, and when it is pushed."""


def test_a_session_that_followed_a_stream_repeats_itself(tmp_path: Path) -> None:
    """From what came, poll by poll, and from the commands: equal to the last bit, over a bad network."""
    job = standing_job()
    body = make_scenario(job)
    rig, receiver = PerformerRig(body.spec, body.binding), Receiver("vmc", port=0)
    sent = body.motion.between(0.0, 1.2)
    clock = SendingClock(rig, sent, BadNetwork(0.1, 0.3), receiver.port)
    kept = KeptStream(receiver)
    try:
        performer = Performer(live_setup(job), kept, delayed(0.5), clock)
        assert performer.wait_for_stream()
        poses, source = played(performer.stage, lambda: clock.wait(CONTROL_DT))
    finally:
        clock.close()
        receiver.close()
    assert kept.counts.doubled > 0, "parts of frames came out of order"
    assert kept.polls > PLAYED
    save_heard(kept.heard, tmp_path / "heard.npz")
    heard = load_heard(tmp_path / "heard.npz")
    live = LiveJob((job,), StreamChoice("vmc", delay_s=0.5))
    again, source_again = played(stage_for(live, heard), lambda: None)
    np.testing.assert_array_equal(again, poses)
    np.testing.assert_array_equal(source_again, source)
    assert np.abs(poses[PUSHED_AT + 10] - poses[PUSHED_AT]).max() > 1e-3, "the push is in it"
    with pytest.raises(InputError, match="ends before the take"):
        played(stage_for(live, first_polls(heard, kept.polls - 5)), lambda: None)


def played(stage: Stage, wait: Callable[[], None]) -> tuple[FloatArray, FloatArray]:
    """Return the poses (T, nq) of a session that is pushed once, and where its source had the bones."""
    session = LiveSession(stage, print)
    poses, source = [], []
    for tick in range(PLAYED):
        if tick == PUSHED_AT:
            session.receive(to_json(command_to_dict(Push("chest", (40.0, 0.0, 0.0), 0.1))))
        wait()
        session.tick()
        poses.append(session.run.now.qpos.copy())
        source.append(session.frame().source)
    return np.array(poses), np.array(source)


def first_polls(heard: HeardStream, polls: int) -> HeardStream:
    """Return the beginning of a stream."""
    frames = int(heard.frames[:polls].sum())
    counts = {"poll_s": polls, "heard_s": polls, "frames": polls}
    values = {each.name: getattr(heard, each.name) for each in fields(heard)}
    return HeardStream(**{name: own[: counts.get(name, frames)] for name, own in values.items()})


def test_a_broken_stream_is_refused(tmp_path: Path) -> None:
    poll, turn = np.arange(2.0), np.tile([1.0, 0.0, 0.0, 0.0], (3, len(BONES), 1))
    good = HeardStream(poll, poll, np.array([1, 2]), np.arange(3.0), turn, np.zeros((3, 3)), np.ones(3))
    for wrong in (
        {"frames": np.array([1, 1])},
        {"frames": np.array([4, -1])},
        {"turn": turn[:, :3]},
        {"poll_s": np.array([0.0, np.nan])},
    ):
        with pytest.raises(InputError, match="record it again"):
            replace(good, **wrong)
    save_heard(good, tmp_path / "x.npz")
    (tmp_path / "x.npz").write_bytes((tmp_path / "x.npz").read_bytes()[:-40])
    with pytest.raises(InputError, match="x.npz"):
        load_heard(tmp_path / "x.npz")
