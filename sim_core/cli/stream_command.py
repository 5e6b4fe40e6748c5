"""Send a motion over the network as a performer would (VMC), for trying live streams without a suit."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..scenario.job import Job
from ..scenario.settings import BakeSettings
from ..sources.motion_source import MOTION_KINDS, read_source
from ..sources.performed import USUAL_RATE_HZ, performed, performer_of
from ..stream.performer import THIS_MACHINE
from ..stream.sender import BadNetwork, disturbed, send
from ..stream.vmc import PORT
from .console import Console
from .shared_options import add_body_options, reading_choices


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
    network = BadNetwork(options.lost, options.reordered, options.gaps)
    console = Console()
    source = read_source([options.motion], reading_choices(options), 0.0)
    settings = BakeSettings(height=options.height, mass=options.mass)
    scenario = performer_of(Job(source.motion, source.mapping, settings))
    for note in (*source.notes, *scenario.notes):
        console.message(note)
    packets = performed(scenario, options.rate, options.loop)
    console.message(f"Sending VMC to {options.address}, port {options.port}. Ctrl-C stops it.")
    sent = send(disturbed(packets, network), options.address, options.port, options.pace)
    seconds = scenario.repaired.duration
    return {"packets": sent, "seconds": seconds, "address": options.address, "port": options.port}
