"""Packets of live streams: what is read from them, and that no packet does harm."""

from __future__ import annotations

import json
import random
import struct
import tracemalloc

import numpy as np
import pytest
from pythonosc.osc_bundle_builder import IMMEDIATELY, OscBundleBuilder
from pythonosc.osc_message_builder import OscMessageBuilder
from pythonosc.udp_client import UDPClient

from sim_core.base import rotations
from sim_core.base.errors import InputError
from sim_core.stream.osc_packets import MOST_MESSAGES, read_messages
from sim_core.stream.performer import (
    BONE_INDEX,
    BONES,
    BadPacketError,
    PerformerFrame,
    quaternion_from_unity,
    quaternion_to_unity,
    vector_from_unity,
    vector_to_unity,
    world_turns,
)
from sim_core.stream.pose_buffer import MOST_FRAMES, RESTART_S, PoseBuffer, StreamCounts
from sim_core.stream.receiver import MOST_PACKETS, SILENT_S, Receiver, checked_address
from sim_core.stream.rokoko import NAMES, RokokoReader
from sim_core.stream.sender import send
from sim_core.stream.vmc import PREFIX, VmcReader

STILL = (0.0, 0.0, 0.0, 1.0)
HERE, ELSEWHERE = ("127.0.0.1", 5000), ("127.0.0.1", 5001)


def message(address: str, *values: object) -> bytes:
    builder = OscMessageBuilder(address)
    for value in values:
        builder.add_arg(value)
    return bytes(builder.build().dgram)


def bundle(*contents: bytes) -> bytes:
    head = b"#bundle\0" + struct.pack(">Q", 1)
    return head + b"".join(struct.pack(">i", len(own)) + own for own in contents)


def bone(name: str, place: tuple[float, ...] = (0.0, 1.0, 0.0), turn: tuple[float, ...] = STILL) -> bytes:
    return message("/VMC/Ext/Bone/Pos", name, *place, *turn)


def whole_frame(time_s: float, leave_out: tuple[str, ...] = ()) -> bytes:
    bones = [bone(name) for name in BONES if name not in leave_out]
    return bundle(message("/VMC/Ext/OK", 1), message("/VMC/Ext/T", time_s), *bones)


def about(axis: int, degrees: float) -> tuple[float, ...]:
    """A rotation (x, y, z, w)."""
    half = np.radians(degrees) / 2.0
    vector = [0.0, 0.0, 0.0]
    vector[axis] = float(np.sin(half))
    return (*vector, float(np.cos(half)))


def test_unitys_axes_are_mirrored_and_back() -> None:
    right_up_ahead = vector_from_unity(np.eye(3))
    np.testing.assert_allclose(right_up_ahead, [[0, -1, 0], [0, 0, 1], [1, 0, 0]])
    # Left-handed: a positive turn about Y (up) turns ahead to the right.
    turn = quaternion_from_unity(np.array(about(1, 90.0)))
    np.testing.assert_allclose(rotations.rotate(turn, np.array([1.0, 0, 0])), [0, -1, 0], atol=1e-12)
    rng = np.random.default_rng(1)
    q = rotations.normalise(rng.normal(size=(20, 4)))
    v = rng.normal(size=(20, 3))
    np.testing.assert_allclose(quaternion_from_unity(quaternion_to_unity(q)), q)
    np.testing.assert_allclose(vector_from_unity(vector_to_unity(v)), v)
    turned = vector_from_unity(rotations.rotate(_mirrored(q), vector_to_unity(v)))
    np.testing.assert_allclose(turned, rotations.rotate(q, v), atol=1e-12)


def _mirrored(q: np.ndarray) -> np.ndarray:
    """Unity's (x, y, z, w) in Heft's order: the algebra of quaternions is the same in mirrored axes."""
    unity = quaternion_to_unity(q)
    return np.concatenate([unity[:, 3:], unity[:, :3]], axis=1)


def test_a_frame_is_whole_when_all_bones_of_the_last_one_have_come() -> None:
    reader = VmcReader()
    assert reader.read(whole_frame(0.5), 10.0) == []  # nobody knows yet that this is all
    frames = reader.read(whole_frame(0.75), 10.1)
    assert [frame.time_s for frame in frames] == [0.5, 0.75]
    np.testing.assert_allclose(frames[0].hips, [0.0, 0.0, 1.0])
    halves = [bundle(message("/VMC/Ext/T", 1.0), *(bone(n) for n in part)) for part in (BONES[:9], BONES[9:])]
    assert reader.read(halves[0], 10.2) == []
    assert [frame.time_s for frame in reader.read(halves[1], 10.2)] == [1.0]


def test_a_lost_half_leaves_gaps_that_are_interpolated() -> None:
    reader, counts = VmcReader(), StreamCounts()
    buffer = PoseBuffer(counts)
    for time_s, degrees in ((0.0, 0.0), (0.1, None), (0.2, 40.0)):
        left = () if degrees is not None else ("Head",)
        contents = [bone(n) for n in BONES if n not in (*left, "Head")]
        if degrees is not None:
            contents.append(bone("Head", turn=about(1, degrees)))
        for frame in reader.read(bundle(message("/VMC/Ext/T", time_s), *contents), time_s):
            buffer.add(frame, time_s)
    for frame in reader.read(whole_frame(0.3), 0.3):
        buffer.add(frame, 0.3)
    poses = buffer.between(0.0, 0.2)
    assert poses is not None
    head = rotations.to_vector(poses.turn[:, BONE_INDEX["Head"]])
    assert np.degrees(-head[1, 2]) == pytest.approx(20.0, abs=0.5)  # nlerp of 40 degrees is off by 0.2


def test_the_root_moves_and_turns_the_hips() -> None:
    reader = VmcReader()
    root = message("/VMC/Ext/Root/Pos", "root", 2.0, 0.0, 0.0, *about(1, 90.0))
    frame = next(
        f
        for _ in range(2)
        for f in reader.read(bundle(root, bone("Hips", (0.0, 1.0, 0.5)), bone("Spine")), 0.0)
    )
    # 2 m to the right; half a metre ahead of a figure that faces right is another half to the right.
    np.testing.assert_allclose(frame.hips, [0.0, -2.5, 1.0], atol=1e-6)
    assert np.degrees(rotations.heading(frame.turn[0])) == pytest.approx(-90.0, abs=1e-4)


@pytest.mark.parametrize(
    "packet",
    [
        b"",
        b"/VMC/Ext/Bone/Pos",
        b"\xff" * 64,
        bundle(message("/other", 1)),
        message("/VMC/Ext/Bone/Pos", "Hips", 1.0),
        message("/VMC/Ext/Bone/Pos", *[1.0] * 8),
        bone("Hips", (float("nan"), 0.0, 0.0)),
        bone("Hips", (float("inf"), 0.0, 0.0)),
        bone("Hips", (1e9, 0.0, 0.0)),
        bone("Hips", turn=(0.0, 0.0, 0.0, 0.0)),
        message("/VMC/Ext/T", float("nan")),
        message("/VMC/Ext/T", "now"),
        b"#bundle\0" + struct.pack(">Q", 1) + struct.pack(">i", -4),
        b"#bundle\0" + struct.pack(">Q", 1) + struct.pack(">i", 2**31 - 1),
        bundle(*[message("/VMC/Ext/OK", 1)] * (MOST_MESSAGES + 1)),
        b"/VMC/Ext/OK\0,[[[[[[\0\0",
        b"/VMC/Ext/OK\0," + b"q" * 400 + b"\0\0\0",
    ],
)
def test_malformed_packets_are_refused_at_once(packet: bytes) -> None:
    """Among them the one that keeps python-osc's own reader in an endless loop (size -4)."""
    with pytest.raises(BadPacketError):
        VmcReader().read(packet, 0.0)


def test_bundles_nest_only_so_deep() -> None:
    nested = message("/VMC/Ext/T", 1.0)
    for _ in range(4):
        nested = bundle(nested)
    assert len(read_messages(nested, PREFIX)) == 1
    with pytest.raises(BadPacketError):
        read_messages(bundle(nested), PREFIX)


def rokoko_packet(time_s: float = 1.0, **changes: object) -> dict[str, object]:
    body = {
        name: {
            "position": dict(zip("xyz", (0.0, 1.0, 0.0), strict=True)),
            "rotation": dict(zip("xyzw", quaternion_to_unity(at_rest).tolist(), strict=True)),
        }
        for name, (_, at_rest) in NAMES.items()
    }
    return {
        "version": 3,
        "fps": 60,
        "scene": {"timestamp": time_s, "actors": [{"name": "a", "body": body}]},
    } | changes


def test_rokokos_t_pose_turns_nothing() -> None:
    (frame,) = RokokoReader().read(json.dumps(rokoko_packet()).encode(), 0.0)
    assert frame.time_s == 1.0
    angles = rotations.angle_between(frame.turn, np.broadcast_to([1.0, 0, 0, 0], frame.turn.shape))
    assert angles.max() < 1e-6
    np.testing.assert_allclose(frame.hips, [0, 0, 1])


def test_rokokos_right_bones_mirror_the_left_ones() -> None:
    """The same arm, turned forwards on both sides, mirrors in the vertical plane ahead."""
    packet = rokoko_packet()
    body = packet["scene"]["actors"][0]["body"]  # type: ignore[index]
    for side, degrees in (("left", 90.0), ("right", -90.0)):
        name = f"{side}UpperArm"
        turn = quaternion_from_unity(np.array(about(1, degrees)))
        world = rotations.multiply(turn, NAMES[name][1])
        body[name]["rotation"] = dict(zip("xyzw", quaternion_to_unity(world).tolist(), strict=True))
    (frame,) = RokokoReader().read(json.dumps(packet).encode(), 0.0)
    world = world_turns(frame.turn[None])[0]
    left = rotations.rotate(world[BONE_INDEX["LeftUpperArm"]], np.array([0.0, 1.0, 0.0]))
    right = rotations.rotate(world[BONE_INDEX["RightUpperArm"]], np.array([0.0, -1.0, 0.0]))
    np.testing.assert_allclose(left, [1, 0, 0], atol=1e-9)
    np.testing.assert_allclose(right, [1, 0, 0], atol=1e-9)


@pytest.mark.parametrize(
    "content",
    [{}, {"version": 2, "scene": {"timestamp": 1}}, rokoko_packet(scene=[]), rokoko_packet(version=True)],
)
def test_other_json_is_refused(content: dict[str, object]) -> None:
    with pytest.raises(BadPacketError):
        RokokoReader().read(json.dumps(content).encode(), 0.0)
    with pytest.raises(BadPacketError):
        RokokoReader().read(b'{"version": NaN}', 0.0)


def frame_at(time_s: float) -> PerformerFrame:
    return PerformerFrame(time_s, np.tile([1.0, 0, 0, 0], (len(BONES), 1)), np.array([time_s, 0.0, 1.0]))


def test_frames_are_sorted_and_what_comes_twice_is_dropped() -> None:
    counts = StreamCounts()
    buffer = PoseBuffer(counts)
    for time_s in (0.0, 0.02, 0.01, 0.02, 0.23):
        buffer.add(frame_at(time_s), time_s)
    poses = buffer.between(0.0, 0.1)
    assert poses is not None
    assert poses.time.tolist() == [0.0, 0.01, 0.02, 0.23]  # the one after the end, to interpolate towards
    assert (counts.late, counts.doubled, counts.gaps) == (1, 1, 1)
    assert counts.gap_s == pytest.approx(0.21)


def test_a_sender_that_starts_again_goes_on_in_time() -> None:
    buffer = PoseBuffer(StreamCounts())
    for time_s, arrival_s in ((100.0, 5.0), (100.1, 5.1), (0.0, 5.4), (0.1, 5.5)):
        buffer.add(frame_at(time_s), arrival_s)
    assert buffer.newest_s == pytest.approx(100.5)
    assert buffer.counts.restarts == 1


def test_a_sender_that_repeats_half_a_second_does_not_stand_still_for_ever() -> None:
    """Its clock never goes back far enough to be called set, but it does not go on either."""
    buffer = PoseBuffer(StreamCounts())
    for number in range(100):
        buffer.add(frame_at(0.1 * (number % 6)), 0.1 * number)
    assert buffer.counts.restarts > 0
    assert buffer.newest_s == pytest.approx(9.9, abs=RESTART_S + 0.6)


def test_a_frame_that_was_overtaken_before_a_pause_is_no_new_clock() -> None:
    """Nobody read for longer than a clock may stand, and what comes first is out of order."""
    buffer = PoseBuffer(StreamCounts())
    for time_s, arrival_s in ((0.0, 5.0), (0.2, 5.2), (0.1, 6.5), (0.3, 6.5), (0.9, 6.5), (1.5, 6.5)):
        buffer.add(frame_at(time_s), arrival_s)
    assert (buffer.newest_s, buffer.counts.restarts, buffer.counts.late) == (1.5, 0, 1)


def test_a_long_silence_is_no_new_clock() -> None:
    buffer = PoseBuffer(StreamCounts())
    for time_s in (0.0, 0.1, 30.0):
        buffer.add(frame_at(time_s), 7.0 + time_s)
    assert (buffer.newest_s, buffer.counts.restarts) == (30.0, 0)


def test_a_flood_does_not_grow_the_buffer() -> None:
    buffer = PoseBuffer(StreamCounts())
    for number in range(3 * MOST_FRAMES):
        buffer.add(frame_at(number * 1e-4), number * 1e-4)
    assert len(buffer._times) == len(buffer._frames) == MOST_FRAMES


def test_packets_of_one_sender_at_a_time() -> None:
    receiver = Receiver("vmc", port=0)
    try:
        receiver.take(whole_frame(0.0), HERE, 0.0)
        receiver.take(whole_frame(9.0), ELSEWHERE, 0.1)
        assert (receiver.counts.packets, receiver.counts.others) == (2, 1)
        receiver.take(whole_frame(9.0), ELSEWHERE, SILENT_S + 0.1)
        assert receiver.counts.others == 1
    finally:
        receiver.close()


def test_an_independent_client_is_heard_over_udp_on_this_machine_alone() -> None:
    receiver = Receiver("vmc", port=0)
    try:
        with UDPClient("127.0.0.1", receiver.port) as client:
            for number in range(4):
                made = OscBundleBuilder(IMMEDIATELY)
                builder = OscMessageBuilder("/VMC/Ext/T")
                builder.add_arg(number / 60.0)
                made.add_content(builder.build())
                for name in BONES:
                    builder = OscMessageBuilder("/VMC/Ext/Bone/Pos")
                    for value in (name, 0.0, 1.0, 0.0, *STILL):
                        builder.add_arg(value)
                    made.add_content(builder.build())
                client.send(made.build())
        receiver.poll(0.0)
        assert receiver.counts.frames == 4
        assert receiver._socket.getsockname()[0] == "127.0.0.1"
    finally:
        receiver.close()


def test_a_port_in_use_and_a_wrong_address_are_said_in_a_sentence() -> None:
    receiver = Receiver("vmc", port=0)
    try:
        with pytest.raises(InputError, match="choose another port"):
            Receiver("vmc", port=receiver.port)
    finally:
        receiver.close()
    with pytest.raises(InputError, match="is no address"):
        checked_address("example.org")  # names are not looked up: that would ask the network


@pytest.mark.parametrize("port", [0, -1, 70000])
def test_nothing_is_sent_to_a_port_that_does_not_exist(port: int) -> None:
    with pytest.raises(InputError, match=f"The port {port} does not exist"):
        send([(0.0, OscBundleBuilder(IMMEDIATELY).build())], "127.0.0.1", port, 1.0)


def test_an_address_that_takes_nothing_is_said_in_a_sentence() -> None:
    """This system lets no program send to all machines of a network without asking for it first."""
    with pytest.raises(InputError, match=r"Nothing can be sent to 255\.255\.255\.255"):
        send([(0.0, OscBundleBuilder(IMMEDIATELY).build())], "255.255.255.255", 9, 1.0)


@pytest.mark.parametrize(("protocol", "sound"), [("vmc", whole_frame(1.0)), ("rokoko", None)])
def test_fuzzed_packets_neither_crash_nor_grow(protocol: str, sound: bytes | None) -> None:
    """Bench stream has 10,000 of each."""
    original = sound if sound is not None else json.dumps(rokoko_packet()).encode()
    choice, receiver = random.Random(7), Receiver(protocol, port=0)
    try:
        receiver.take(original, HERE, 0.0)
        tracemalloc.start()
        for number in range(600):
            if number == 200:
                settled = tracemalloc.get_traced_memory()[0]
            receiver.take(fuzzed(original, choice), HERE, 0.01 * number)
        grown = tracemalloc.get_traced_memory()[0] - settled
        tracemalloc.stop()
        assert receiver.counts.packets == 601
        assert receiver.counts.dropped > 100
        assert grown < 3 * MOST_PACKETS * 1024  # frames that are kept for KEPT_S have about 1 KB each
    finally:
        receiver.close()


def fuzzed(packet: bytes, choice: random.Random) -> bytes:
    kind = choice.randrange(4)
    if kind == 0:
        return packet[: choice.randrange(len(packet))]
    if kind == 1:
        return bytes(choice.randrange(256) for _ in range(choice.randrange(1, 300)))
    changed = bytearray(packet)
    for _ in range(choice.randrange(1, 12)):
        at = choice.randrange(len(changed))
        changed[at] = choice.randrange(256) if kind == 2 else changed[at] ^ (1 << choice.randrange(8))
    return bytes(changed)
