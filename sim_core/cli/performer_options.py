"""Options of a character that follows a performer's stream instead of a clip."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from ..bake.monitor import Monitor
from ..base.errors import InputError
from ..following.choices import FILE, USUAL_DELAY_S
from ..following.perform import Performance, Performer, WallClock, perform
from ..following.stream_choice import StreamChoice
from ..live.commands import CommandLog
from ..live.repeated import live_setup
from ..motion.motion import CONTROL_DT
from ..scenario.job import Job
from ..stream.performer import THIS_MACHINE
from ..stream.receiver import PROTOCOLS, Receiver
from .console import Console

USUAL_SECONDS, MOST_SECONDS = 60.0, 600.0
SOURCES = ("vmc", "rokoko", "performer")
"""Options that name a stream."""


def add_performer_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a stream."""
    group = parser.add_argument_group(
        "a performer", "the character of CLIP follows a live stream instead of the clip (docs/stream.md)"
    )
    for name, label in (("vmc", "VMC"), ("rokoko", "Rokoko's JSON v3")):
        port = PROTOCOLS[name][1]
        group.add_argument(
            f"--{name}",
            metavar="PORT",
            type=int,
            nargs="?",
            const=port,
            help=f"listen to {label} (port {port})",
        )
    group.add_argument(
        "--performer",
        metavar="FILE",
        type=Path,
        help="follow a motion file as if it were sent now; markers (C3D, TRC) are fitted first",
    )
    group.add_argument(
        "--address",
        metavar="A",
        default=THIS_MACHINE,
        help="address to listen on (default: this machine alone)",
    )
    group.add_argument(
        "--delay",
        metavar="S",
        type=float,
        default=USUAL_DELAY_S,
        help=f"how far the character is behind the performer [s] (default: {USUAL_DELAY_S:g})",
    )
    group.add_argument(
        "--direct", action="store_true", help="no delay, and no look-ahead: the performer has to balance it"
    )


def follows_performer(options: argparse.Namespace) -> bool:
    """Return whether the options ask for a stream."""
    given = [name for name in SOURCES if getattr(options, name) is not None]
    if len(given) > 1:
        raise InputError(f"--{given[0]} and --{given[1]}: one stream at a time; leave one out.")
    return bool(given)


def follow_performer(options: argparse.Namespace, job: Job, log: CommandLog, console: Console) -> Performance:
    """Follow the stream that the options name with the character of a job, and do what a log says."""
    seconds = log.ticks * CONTROL_DT
    if seconds > MOST_SECONDS:
        raise InputError(f"A stream is followed for at most {MOST_SECONDS:g} s, not {seconds:g}; give less.")
    choice = _choice(options)
    mode, receiver = choice.mode, choice.listen()
    try:
        setup = live_setup(job)
        if isinstance(receiver, Receiver):
            console.message(f"Listening to {choice.protocol} on {choice.address}, port {receiver.port}.")
        else:
            for note in receiver.notes:
                console.message(note)
        done = perform(Performer(setup, receiver, mode, WallClock()), log, Monitor(console.progress))
        return replace(done, result=replace(done.result, meta=done.result.meta.with_notes(choice.note)))
    finally:
        receiver.close()


def _choice(options: argparse.Namespace) -> StreamChoice:
    delay_s = 0.0 if options.direct else options.delay
    if options.performer is not None:
        return StreamChoice(FILE, delay_s=delay_s, file=str(options.performer))
    protocol = "vmc" if options.vmc is not None else "rokoko"
    return StreamChoice(protocol, options.address, getattr(options, protocol), delay_s)
