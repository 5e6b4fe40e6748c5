"""Packets that were damaged at random, handed to the receiver, which must neither crash nor grow."""

from __future__ import annotations

import json
import random
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np

from sim_core.doctor.self_test import standing_job
from sim_core.scenario.scenario import make_scenario
from sim_core.stream.performer import quaternion_to_unity
from sim_core.stream.performer_rig import PerformerRig
from sim_core.stream.receiver import Receiver
from sim_core.stream.rokoko import NAMES
from sim_core.stream.sender import vmc_packets

from ..common.tables import Columns

CASES = 10_000
SETTLED = 2_000
"""Packets after which the buffers are full, so that memory may not grow any more."""
SENDER = ("127.0.0.1", 40_000)
PACKETS: Columns = {
    "protocol": "{protocol}",
    "packets": "{packets}",
    "dropped": "{dropped}",
    "frames": "{frames}",
    "crashes": "{crashes}",
    "memory grows, KB": "{grown_kb:.0f}",
    "slowest packet, ms": "{slowest_ms:.1f}",
}


def fuzz(protocol: str, cases: int = CASES) -> dict[str, Any]:
    """Hand damaged packets to a receiver; return what happened."""
    choice, receiver = random.Random(19), Receiver(protocol, port=0)
    crashes, slowest, settled = 0, 0.0, 0
    tracemalloc.start()
    try:
        for number, packet in zip(range(cases), _damaged(protocol, choice), strict=False):
            if number == SETTLED:
                settled = tracemalloc.get_traced_memory()[0]
            began = time.process_time()
            try:
                receiver.take(packet, SENDER, number / 60.0)
            except Exception as problem:  # any that comes out would end a user's session
                print(f"{protocol} {number}: {type(problem).__name__}: {problem}", flush=True)
                crashes += 1
            slowest = max(slowest, time.process_time() - began)
        grown = tracemalloc.get_traced_memory()[0] - settled
    finally:
        tracemalloc.stop()
        receiver.close()
    counts = receiver.counts
    return {
        "protocol": protocol,
        "packets": counts.packets,
        "dropped": counts.dropped,
        "frames": counts.frames,
        "crashes": crashes,
        "grown_kb": max(grown, 0) / 1024.0,
        "slowest_ms": 1000.0 * slowest,
    }


def _damaged(protocol: str, choice: random.Random) -> Iterator[bytes]:
    """Yield packets of a stream for ever: some whole, most of them damaged."""
    while True:
        for packet in _vmc() if protocol == "vmc" else _rokoko():
            kind = choice.randrange(5)
            if kind == 0:
                yield packet
            elif kind == 1:
                yield packet[: choice.randrange(len(packet))]
            elif kind == 2:
                yield bytes(choice.randrange(256) for _ in range(choice.randrange(1, 300)))
            else:
                yield _changed(packet, choice, kind == 3)


def _changed(packet: bytes, choice: random.Random, whole_bytes: bool) -> bytes:
    changed = bytearray(packet)
    for _ in range(choice.randrange(1, 12)):
        at = choice.randrange(len(changed))
        changed[at] = choice.randrange(256) if whole_bytes else changed[at] ^ (1 << choice.randrange(8))
    return bytes(changed)


def _vmc() -> Iterator[bytes]:
    body = make_scenario(standing_job())
    rig = PerformerRig(body.spec, body.binding)
    for _, bundle in vmc_packets(rig, rig.frames(body.motion)):
        yield bytes(bundle.dgram)


def _rokoko() -> Iterator[bytes]:
    for number in range(120):
        place = dict(zip("xyz", (0.01 * number, 1.0, 0.0), strict=True))
        body = {
            name: {
                "position": place,
                "rotation": dict(zip("xyzw", np.asarray(quaternion_to_unity(own)).tolist(), strict=True)),
            }
            for name, (_, own) in NAMES.items()
        }
        scene = {"timestamp": number / 60.0, "actors": [{"name": "a", "body": body}]}
        yield json.dumps({"version": 3, "fps": 60, "scene": scene}).encode()
