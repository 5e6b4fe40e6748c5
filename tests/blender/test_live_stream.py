"""Play Live that follows a performer's stream instead of the action."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from heft.addon.live import live_stream
from heft.addon.live.live_display import LiveDisplay
from heft.addon.live.live_play import LivePlay
from heft.addon.live.live_stream import stream_of
from heft.addon.live.live_take import TakeSession
from heft.addon.live.plays import keep_take, take_of
from heft.addon.overlay import draw
from heft.sim_core.base.errors import InputError
from heft.sim_core.doctor.self_test import standing_job
from heft.sim_core.motion.motion import CONTROL_DT
from heft.sim_core.scenario.scenario import make_scenario
from heft.sim_core.stream.performer_rig import PerformerRig
from heft.sim_core.stream.receiver import Receiver
from heft.sim_core.stream.sender import send, vmc_packets

from tests.blender.marker_takes import walker_file
from tests.blender.rigs import animate, fingerprint, humanoid

pytestmark = pytest.mark.usefixtures("heft_registered")
LIMIT_S = 120.0
SAME_M = 0.002
"""How far keys at whole frames may be off between two of them, of a body that stands [m]."""


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


@pytest.fixture
def play(figure: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[LivePlay]:
    """Follow somebody who stands."""
    free = Receiver("vmc", port=0)
    port = free.port
    free.close()
    allow(monkeypatch, True)
    figure.heft_stream.follow, figure.heft_stream.port = "vmc", port
    made = LivePlay(bpy.context, figure)
    body, stop = make_scenario(standing_job()), threading.Event()
    rig = PerformerRig(body.spec, body.binding)

    def send_again() -> None:
        while not stop.is_set():  # the sender's clock starts again each time
            send(vmc_packets(rig, rig.frames(body.motion)), "127.0.0.1", port, 1.0)

    threading.Thread(target=send_again, daemon=True).start()
    yield made
    stop.set()
    made.cancel()


def stepped(play: LivePlay, ticks: int) -> None:
    """Play until a control interval is shown."""
    until = time.monotonic() + LIMIT_S
    while play.frame is None or play.frame.numbers.tick < ticks:
        assert play.step(bpy.context) is None
        assert time.monotonic() < until
        time.sleep(0.01)


def heads(figure: Any) -> Any:
    bpy.context.view_layer.update()
    return np.array([list(bone.matrix.col[3]) for bone in figure.pose.bones])


def test_the_armature_follows_a_stream_and_gets_its_pose_back(figure: Any, play: LivePlay) -> None:
    before, keys = heads(figure), fingerprint(figure)
    stepped(play, 30)
    assert play.frame is not None and np.isfinite(play.frame.bones).all()
    play.cancel()
    assert fingerprint(figure) == keys
    np.testing.assert_allclose(heads(figure), before, atol=1e-5)


def test_the_performer_is_drawn_beside_the_character(figure: Any, play: LivePlay) -> None:
    """As it came: a stick figure as large as the character, whose hips are where the performer's are."""
    display = LiveDisplay(play, 1.0)
    try:
        assert not len(display.performer()), "nobody has come yet"
        stepped(play, 30)
        sticks = display.performer()
        assert play.frame is not None and play.reader is not None
        hips = play.frame.source[play.reader.names.free.index(True), :3]
        assert np.linalg.norm(sticks - hips, axis=1).min() < 1e-5
        tall = np.ptp(play.frame.bones[:, 2])
        assert np.ptp(sticks[:, 2]) == pytest.approx(tall, rel=0.3)
        figure.heft_stream.show_performer = False
        assert not len(display.performer())
    finally:
        display.close()


def test_the_spring_is_drawn_from_where_the_bone_is_now(play: LivePlay) -> None:
    """Also while the mouse that pulls rests, and the body moves on."""
    display = LiveDisplay(play, 1.0)
    try:
        stepped(play, 20)
        assert not len(display.spring()), "nothing is pulled yet"
        display.pulled = 2, np.array([0.3, 0.1, 1.5])
        before = display.spring()
        stepped(play, 100)
        assert play.frame is not None
        np.testing.assert_allclose(display.spring()[0], play.frame.bones[2, :3])
        np.testing.assert_allclose(display.spring()[1], [0.3, 0.1, 1.5])
        assert np.linalg.norm(display.spring()[0] - before[0]) > 1e-4
    finally:
        display.close()


def test_a_stream_is_recorded_and_kept_as_a_new_action(figure: Any, play: LivePlay) -> None:
    keys = fingerprint(figure)
    stepped(play, 20)
    play.record()
    stepped(play, 65)
    shown, reader = play.frame, play.reader
    assert shown is not None and reader is not None
    hips, place = reader.names.bones[0], np.array(shown.bones[0, :3])
    play.end()
    until = time.monotonic() + LIMIT_S
    while (played := play.step(bpy.context)) is None:
        assert time.monotonic() < until
        time.sleep(0.01)
    keep_take(play, played)
    take = take_of(figure)
    assert take is not None and 0.4 < take.seconds < 10.0
    (report,) = TakeSession(figure, take).wait(bpy.context)
    baked = figure.heft.baked_action
    assert baked.name == "Figure_performed_heft"
    assert fingerprint(figure, (baked.name,)) == keys
    assert any("that was sent (vmc), followed 0.8 s behind" in note for note in report.notes)
    assert take_of(figure) is None
    end = baked.frame_range[0] + take.seconds * bpy.context.scene.render.fps
    assert abs(baked.frame_range[1] - end) < 1.0, "nothing of the clip follows the take"
    at_s = (shown.numbers.tick - take.played.log.first) * CONTROL_DT
    frame = baked.frame_range[0] + at_s * bpy.context.scene.render.fps
    frame = min(frame, baked.frame_range[1])
    bpy.context.scene.frame_set(int(frame), subframe=frame % 1.0)
    repeated = figure.matrix_world @ figure.pose.bones[hips].head
    assert np.linalg.norm(np.array(repeated) - place) < SAME_M, "it is what was shown"
    series = draw.drawn_series(figure)
    assert series is not None and np.ptp(series.ghost_head[-1][:, 2]) > 0.5, "its source is drawn, too"


def test_a_marker_file_is_followed_without_a_network(figure: Any, tmp_path: Path) -> None:
    """The worker fits its markers; then its performer is followed as if it were sent now."""
    figure.heft_stream.follow = "file"
    with pytest.raises(InputError, match="No motion file is chosen"):
        stream_of(figure)
    file, _ = walker_file(tmp_path, 200)
    figure.heft_stream.file, keys = str(file), fingerprint(figure)
    play = LivePlay(bpy.context, figure)
    try:
        stepped(play, 15)
        assert play.frame is not None
        first = play.frame.source.copy()
        stepped(play, 45)
        assert np.abs(play.frame.source - first).max() > 0.05, "the performer walks"
    finally:
        play.cancel()
    assert fingerprint(figure) == keys
