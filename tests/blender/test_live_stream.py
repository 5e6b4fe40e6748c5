"""Play Live that follows a performer's stream instead of the action."""

from __future__ import annotations

import threading
import time
from typing import Any

import bpy
import numpy as np
import pytest
from heft.addon.live import live_stream
from heft.addon.live.live_play import LivePlay
from heft.addon.live.live_stream import stream_of
from heft.sim_core.base.errors import InputError
from heft.sim_core.doctor.self_test import standing_job
from heft.sim_core.scenario.scenario import make_scenario
from heft.sim_core.stream.performer_rig import PerformerRig
from heft.sim_core.stream.receiver import Receiver
from heft.sim_core.stream.sender import send, vmc_packets

from tests.blender.rigs import animate, fingerprint, humanoid

pytestmark = pytest.mark.usefixtures("heft_registered")
LIMIT_S = 120.0


class Online:
    """Blender's application with online access as wanted."""

    def __init__(self, access: bool) -> None:
        self.online_access = access


@pytest.fixture
def figure() -> Any:
    obj = humanoid()
    animate(obj)
    bpy.context.scene.frame_set(1)
    obj.heft.quality, obj.heft.assist_cap = "draft", 15.0
    return obj


def allow(monkeypatch: pytest.MonkeyPatch, access: bool) -> None:
    monkeypatch.setattr(live_stream, "bpy", type("Bpy", (), {"app": Online(access)}))


def test_nothing_is_listened_to_unless_it_is_chosen_and_allowed(
    figure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert stream_of(figure) is None
    figure.heft_stream.follow = "vmc"
    allow(monkeypatch, False)
    with pytest.raises(InputError, match="Allow Online Access"):
        stream_of(figure)
    allow(monkeypatch, True)
    choice = stream_of(figure)
    assert choice is not None
    assert (choice.address, choice.port, choice.delay_s) == ("127.0.0.1", None, pytest.approx(0.8))
    figure.heft_stream.mode = "DIRECT"
    direct = stream_of(figure)
    assert direct is not None
    assert direct.delay_s == 0.0


def test_the_armature_follows_a_stream_and_gets_its_pose_back(
    figure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = Receiver("vmc", port=0)
    port = free.port
    free.close()
    allow(monkeypatch, True)
    figure.heft_stream.follow, figure.heft_stream.port = "vmc", port
    before, keys = [list(bone.matrix.col[3]) for bone in figure.pose.bones], fingerprint(figure)
    play = LivePlay(bpy.context, figure)
    body = make_scenario(standing_job())
    rig = PerformerRig(body.spec, body.binding)
    sending = threading.Thread(target=lambda: _send_again(rig, body, port), daemon=True)
    sending.start()
    try:
        until = time.monotonic() + LIMIT_S
        while play.frame is None or play.frame.numbers.tick < 30:
            assert play.step(bpy.context) is None
            assert time.monotonic() < until
            time.sleep(0.01)
        assert np.isfinite(play.frame.bones).all()
        with pytest.raises(InputError, match="cannot be recorded"):
            play.record()
    finally:
        _stop.set()
        play.cancel()
    bpy.context.view_layer.update()
    assert fingerprint(figure) == keys
    after = [list(bone.matrix.col[3]) for bone in figure.pose.bones]
    np.testing.assert_allclose(after, before, atol=1e-5)


_stop = threading.Event()


def _send_again(rig: PerformerRig, body: Any, port: int) -> None:
    """Send a standing performer until the test is over; the sender's clock starts again each time."""
    _stop.clear()
    while not _stop.is_set():
        send(vmc_packets(rig, rig.frames(body.motion)), "127.0.0.1", port, 1.0)
