"""Send a motion over the network as a performer would (VMC), for trying live streams without a suit."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from ..base.conventions import Z_UP
from ..base.errors import InputError
from ..motion.motion import Motion
from ..scenario.job import Job
from ..scenario.scenario import make_scenario
from ..scenario.settings import BakeSettings
from ..stream.performer import PerformerFrame
from ..stream.performer_rig import PerformerRig
from ..stream.receiver import THIS_MACHINE
from ..stream.sender import BadNetwork, disturbed, send, vmc_packets
from ..stream.vmc import PORT
from .console import Console
from .motion_source import MOTION_KINDS, read_source
from .shared_options import add_body_options, reading_choices

USUAL_RATE_HZ, MOST_RATE_HZ = 60.0, 240.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""

    def number(name: str, metavar: str, default: float, summary: str) -> None:
        parser.add_argument(name, metavar=metavar, type=float, default=default, help=summary)

    parser.add_argument("motion", metavar="FILE", type=Path, help=f"the motion: {MOTION_KINDS}")
    parser.add_argument(
        "--address", metavar="A", default=THIS_MACHINE, help="where to send (default: this machine)"
    )
    parser.add_argument("--port", metavar="P", type=int, default=PORT, help=f"default: {PORT}, VMC's own")
    number("--rate", "HZ", USUAL_RATE_HZ, f"frames per second (default: {USUAL_RATE_HZ:g})")
    number("--pace", "X", 1.0, "times as fast as the motion (default: 1)")
    parser.add_argument("--loop", action="store_true", help="go on from where the motion ends")
    group = parser.add_argument_group("a bad network", "for trying what a receiver does with it")
    for name, summary in (
        ("--lost", "share of the packets that are lost, 0 to 1"),
        ("--reordered", "share of the packets that come late, after others, 0 to 1"),
        ("--gaps", "length of a pause in every second [s]"),
    ):
        group.add_argument(name, metavar="X", type=float, default=0.0, help=summary)
    add_body_options(parser)


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Send the motion; return what was sent."""
    if not 1.0 <= options.rate <= MOST_RATE_HZ:
        raise InputError(f"--rate is {options.rate:g}; choose 1 to {MOST_RATE_HZ:g} frames per second.")
    if not 0.01 <= options.pace <= 100.0:
        raise InputError(f"--pace is {options.pace:g}; choose 0.01 to 100.")
    network = BadNetwork(options.lost, options.reordered, options.gaps)
    console = Console()
    source = read_source([options.motion], reading_choices(options), 0.0)
    settings = BakeSettings(height=options.height, mass=options.mass)
    scenario = make_scenario(Job(source.motion, source.mapping, settings))
    for note in (*source.notes, *scenario.notes):
        console.message(note)
    rig, motion = PerformerRig(scenario.spec, scenario.binding), scenario.repaired
    console.message(f"Sending VMC to {options.address}, port {options.port}. Ctrl-C stops it.")
    above = motion.moved(-scenario.ground_height * Z_UP)
    frames = _frames(rig, above, options.rate, options.loop)
    sent = send(disturbed(vmc_packets(rig, frames), network), options.address, options.port, options.pace)
    return {"packets": sent, "seconds": motion.duration, "address": options.address, "port": options.port}


def _frames(rig: PerformerRig, motion: Motion, rate_hz: float, loops: bool) -> Iterator[PerformerFrame]:
    """Yield the frames of a motion from time zero on; rounds start where the last one ended."""
    samples = max(int(motion.duration * rate_hz + 1e-6) + 1, 2)
    resampled = motion.at(motion.time[0] + np.arange(samples) / rate_hz)
    frames = rig.frames(resampled)
    ended = (frames[-1].hips - frames[0].hips) * [1.0, 1.0, 0.0]
    for turn in count() if loops else range(1):
        for number, frame in enumerate(frames, start=turn * samples):
            yield replace(frame, time_s=number / rate_hz, hips=frame.hips + turn * ended)
