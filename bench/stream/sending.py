"""A sender whose time is the run's own: packets go out by UDP whenever the run waits.

So a run follows a stream as in real time, however busy the machine is, and gives the same figures each time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pythonosc.udp_client import UDPClient

from sim_core.bake.monitor import Monitor
from sim_core.base.conventions import FloatArray
from sim_core.base.progress import ignore_progress
from sim_core.character.posing import pose_from_motion, segment_centres, segment_poses
from sim_core.following.follow_mode import FollowMode
from sim_core.following.perform import Performance, Performer, perform
from sim_core.live.commands import CommandLog
from sim_core.live.repeated import live_setup
from sim_core.motion.motion import CONTROL_DT, Motion
from sim_core.recognition.mapping import BoneMapping
from sim_core.result.metrics import joint_error_deg
from sim_core.scenario.job import Job
from sim_core.scenario.scenario import make_scenario
from sim_core.scenario.settings import BakeSettings
from sim_core.stream.performer_rig import PerformerRig
from sim_core.stream.pose_buffer import PerformerPoses
from sim_core.stream.receiver import Receiver
from sim_core.stream.sender import BadNetwork, disturbed, vmc_packets

LONGEST_S = 120.0
"""A run lasts at most this long [s]; it ends with its stream."""


class SendingClock:
    """A clock that sends packets, each when its time has come."""

    def __init__(self, rig: PerformerRig, motion: Motion, network: BadNetwork, port: int) -> None:
        self._packets = disturbed(vmc_packets(rig, rig.frames(motion)), network)
        self._next = next(self._packets, None)
        self._client, self._now_s = UDPClient("127.0.0.1", port), 0.0

    def now_s(self) -> float:
        """Return the time [s]."""
        return self._now_s

    def wait(self, seconds: float) -> None:
        """Send what is due within some time [s]."""
        self._now_s += seconds
        while self._next is not None and self._next[0] <= self._now_s:
            self._client.send(self._next[1])
            self._next = next(self._packets, None)

    def close(self) -> None:
        """Close the sender's socket."""
        self._client.close()


@dataclass(frozen=True, eq=False)
class Followed:
    """What came of following a motion that was sent, with its distance from what was sent [deg, m]."""

    performance: Performance
    joint_error_deg: float
    root_error_m: float


def follow(job: Job, sent: Motion, mapping: BoneMapping, mode: FollowMode, network: BadNetwork) -> Followed:
    """Let the character of a job follow a motion of another body, sent as VMC through a network."""
    body = make_scenario(Job(sent, mapping, BakeSettings()))
    given = body.repaired
    motion = Motion(given.skeleton, given.time - given.time[0], given.position_world, given.quaternion_world)
    rig = PerformerRig(body.spec, body.binding)
    receiver = Receiver("vmc", port=0)
    clock = SendingClock(rig, motion, network, receiver.port)
    try:
        performer = Performer(live_setup(job), receiver, mode, clock)
        performance = perform(performer, CommandLog(round(LONGEST_S / CONTROL_DT)), Monitor(ignore_progress))
    finally:
        clock.close()
        receiver.close()
    return Followed(performance, *_errors(performer, performance, rig, motion))


def _errors(
    performer: Performer, performance: Performance, rig: PerformerRig, motion: Motion
) -> tuple[float, float]:
    """Return mean joint error [deg] and root error [m] against what was sent, on the character's rig.

    Sample k of the run is compared with what was sent at the same time, so the delay is taken out.
    """
    feed, scenario = performer.follower.feed, performer.stage.setup.scenario
    result = performance.result
    assert feed.start_s is not None
    frames = rig.frames(motion)
    poses = PerformerPoses(
        motion.time, np.array([frame.turn for frame in frames]), np.array([frame.hips for frame in frames])
    )
    source = feed.rig.motion(poses, feed.scale, feed.shift).at(feed.start_s + result.time)
    wanted = source.quaternion_world[:, scenario.binding.driver]
    error = joint_error_deg(result.joint_quaternion_world, wanted, result.joint_parent)
    away = np.linalg.norm(result.body_com[:, 0] - _pelvis_com(performer, source), axis=1)
    return float(error.mean()), float(away.mean())


def _pelvis_com(performer: Performer, source: Motion) -> FloatArray:
    """Return the centre of the pelvis in what was sent (T, 3) [m]."""
    spec, binding = performer.stage.setup.scenario.spec, performer.stage.setup.scenario.binding
    poses = segment_poses(spec, pose_from_motion(spec, binding, source))
    return segment_centres(spec, *poses)[:, 0]
