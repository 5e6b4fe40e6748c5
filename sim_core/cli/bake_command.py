"""Simulate the motions of BVH and marker files and write the result files."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..bake.notes import fault_sentences, hit_sentence, strike_sentence, windows_sentence
from ..bake.pipeline import bake_together
from ..base.errors import InputError
from ..base.worker_process import keep_mujoco_from_logging_to_file
from ..character.soft_parts import SoftPart
from ..motion.motion import Motion
from ..reading.bvh_clip import ReadingChoices
from ..result.records import MotionInput
from ..result.result import Result, save_result
from ..scenario.job import Job, settings_from_dict
from ..scenario.read_presets import named_preset
from ..scenario.search_limit import LIMIT_WORDS
from ..scenario.settings import BALANCE_METHODS, DIAL_WORDS, DIALS, PARTS, QUALITIES, SOLVERS, BakeSettings
from ..sequence.blend import BLEND_SECONDS
from ..sources.motion_source import MOTION_KINDS, PLAY_SUFFIX, MotionSource, as_subject, read_source
from .bake_characters import BakeCharacter, add_partner_options, characters_of, placed
from .console import Console
from .output_files import check_written, read_files
from .shared_options import (
    add_aim_options,
    add_body_options,
    add_scene_option,
    at_frame,
    read_aims,
    reading_choices,
    scene_of,
)
from .soft_options import add_soft_option, soft_parts_of

_DEFAULT = BakeSettings()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    _add_motion_options(parser)
    _add_simulation_options(parser)
    _add_part_options(parser)
    add_soft_option(parser)
    _add_dials(parser)
    add_scene_option(parser)
    parser.add_argument(
        "--find-supports",
        action="store_true",
        help="find the steps and seats that the motion was captured on, and simulate it on them",
    )
    add_partner_options(parser)
    add_aim_options(parser)


def _add_motion_options(parser: argparse.ArgumentParser) -> None:
    option = partial(_add_option, parser)
    summary = f"the motion: {MOTION_KINDS}; or a play, PLAY.json; with --path, ACTIONS.json"
    parser.add_argument("motion", metavar="MOTION", type=Path, help=summary)
    parser.add_argument(
        "--then",
        metavar="NEXT.bvh",
        type=Path,
        action="append",
        default=[],
        help="a motion of the same character that follows; may be given several times",
    )
    parser.add_argument(
        "--path",
        metavar="CURVE.json",
        type=Path,
        help="walk along a curve, by the actions of a list (docs/steering.md)",
    )
    option("--blend", "S", float, "how long one motion is blended into the next [s]", BLEND_SECONDS)
    parser.add_argument("--out", metavar="RESULT.npz", type=Path, required=True, help="the file to write")
    parser.add_argument("--seconds", metavar=("A", "B"), type=float, nargs=2, help="part of the clip [s]")
    add_body_options(parser, "by force plates or as a marker file says, else from the height")
    option("--character", "NAME", str, "a preset character (default: built from the file's skeleton)")


def _add_simulation_options(parser: argparse.ArgumentParser) -> None:
    option = partial(_add_option, parser)
    option("--quality", "Q", str, f"one of {', '.join(QUALITIES)}", _DEFAULT.quality)
    assist = "largest outside force [N] and torque [Nm] at the hips; 0 is physical"
    option("--assist", "N", float, assist, _DEFAULT.assist_cap)
    option("--seed", "K", int, "seed of all random numbers", _DEFAULT.seed)
    option(
        "--noise", "S", float, "standard deviation of a random starting velocity [rad/s, m/s]", _DEFAULT.noise
    )
    methods = ". ".join(f"{name} - {method.use}" for name, method in BALANCE_METHODS.items())
    option("--balance", "B", str, f"how the body keeps its balance. {methods}", _DEFAULT.balance)
    option("--solver", "S", str, f"one of {', '.join(SOLVERS)}", _DEFAULT.solver)
    option("--gain-folder", "FOLDER", str, "keep gains of three_link and full_state here for later bakes")
    parser.add_argument(
        "--no-find-assist",
        dest="find_assist",
        action="store_false",
        help="after a fall, do not look for the least assist that prevents it",
    )
    parser.add_argument(
        "--no-search",
        dest="search",
        action="store_false",
        help="do not search controls for a motion that falls",
    )
    parser.add_argument(
        "--get-up",
        action="store_true",
        help="a character that falls gets up and goes on with its motion; the result is then longer",
    )
    option("--search-seconds", "S", float, f"wall time that a search may take [s] (default: {LIMIT_WORDS})")
    parser.add_argument(
        "--no-self-collision",
        dest="self_collision",
        action="store_false",
        help="let the parts of a body pass through each other",
    )
    parser.add_argument(
        "--toe-joint",
        action="store_true",
        help="let feet bend at their balls, where the rig has toe bones (docs/tracking.md)",
    )


def _add_part_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose which part of the body and of the time is simulated."""
    option = partial(_add_option, parser)
    option("--only", "PART", str, f"simulate one of {', '.join(PARTS)}; the rest is the clip", _DEFAULT.only)
    option("--blend-in", "S", float, "blend from the clip into the simulation [s]", _DEFAULT.blend_in_s)
    option(
        "--blend-out", "S", float, "blend from the simulation back into the clip [s]", _DEFAULT.blend_out_s
    )
    looped = "the motion is a cycle and stays one (default: where it ends as it begins)"
    parser.add_argument("--loop", action="store_const", const="on", default=_DEFAULT.loop, help=looped)
    once = "simulate the motion once, even if it ends as it begins"
    parser.add_argument("--no-loop", dest="loop", action="store_const", const="off", help=once)
    parser.add_argument(
        "--only-around-hits",
        action="store_true",
        help="simulate around hits only; the rest is the clip",
    )


def _add_dials(parser: argparse.ArgumentParser) -> None:
    """Add presets, and the settings that they contain."""
    option, dialled = partial(_add_option, parser), partial(_add_dialled, parser)
    parser.add_argument(
        "--preset",
        metavar="NAME",
        action="append",
        default=[],
        help="a preset (see heft presets) or its .json file; later ones and options override it",
    )
    dialled("--correction", "C", "correction", "how far the motion may be changed, 0 to 1")
    for dial in DIALS:
        dialled(f"--{dial.replace('_', '-')}", "D", dial, DIAL_WORDS[dial])
    option("--tracking-gain", "K", float, "k_os [1/s^2] instead of the value from --stiffness")
    option("--springs", "K", float, "k, share of joint stiffness, instead of the value from --stiffness")
    dialled(
        "--recovery", "S", "recovery_s", "time from a hit until joints have their full stiffness again [s]"
    )


def _add_option(
    parser: argparse.ArgumentParser,
    name: str,
    metavar: str,
    kind: type,
    summary: str,
    default: object = None,
) -> None:
    shown = "" if default is None else f" (default: {default})"
    parser.add_argument(name, metavar=metavar, type=kind, default=default, help=summary + shown)


def _add_dialled(
    parser: argparse.ArgumentParser, name: str, metavar: str, setting: str, summary: str
) -> None:
    """Add an option without a default value, so that a preset's value is not overridden by it."""
    shown = f"{summary} (default: {getattr(_DEFAULT, setting):g})"
    parser.add_argument(name, dest=setting, metavar=metavar, type=float, help=shown)


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Bake as the options say; return the metrics, those of further characters under their names."""
    scene = scene_of(options)
    strikes = read_aims(options)
    characters = characters_of(options)
    outs = [("--with-out" if number else "--out", own.out) for number, own in enumerate(characters)]
    check_written(read_files(options, ["out", "partner_out"]), outs)
    console = Console()
    sources = [_read(character, options) for character in characters]
    jobs = [
        Job(
            _motion(source, character, options),
            source.mapping,
            settings_of(options, character, source),
            scene,
            character.name,
            source.aims,
            soft=_soft(options, number, source),
        )
        for number, (source, character) in enumerate(zip(sources, characters, strict=True))
    ]
    own = at_frame(strikes, options, sources[0])
    jobs[0] = dataclasses.replace(jobs[0], aims=(*jobs[0].aims, *own))
    several = len(characters) > 1
    supports: tuple[str, ...] = ()
    if options.find_supports:
        jobs[0], supports = _on_supports(jobs)
        _print_notes(console, supports, None)
    for source, job in zip(sources, jobs, strict=True):
        _print_notes(console, source.notes, job.name if several else None)

    keep_mujoco_from_logging_to_file()
    results = bake_together(jobs, console.progress)
    by_name = {}
    for character, source, result in zip(characters, sources, results, strict=True):
        meta, name = result.meta, result.meta.name
        _print_notes(console, _notes(result, source), name if several else None)
        kept = dataclasses.replace(result, meta=result.meta.with_notes(*supports))
        save_result(_with_input(kept, options, character, source), character.out)
        console.message(f"Saved '{character.out}'.")
        metrics = {} if meta.metrics is None else dataclasses.asdict(meta.metrics)
        by_name[name] = {**metrics, "fell_at": meta.fell_at, "result": str(character.out)}
        if options.path is not None:
            by_name[name] |= _off_curve(result, options.path)
    first, *others = by_name
    return by_name[first] | ({"others": {name: by_name[name] for name in others}} if several else {})


def _soft(options: argparse.Namespace, number: int, source: MotionSource) -> tuple[SoftPart, ...]:
    """Return the soft parts of a character, which only the first one can have."""
    wanted = options.soft if number == 0 else ()
    return soft_parts_of(wanted, source.motion.skeleton, source.mapping)


def _off_curve(result: Result, path: Path) -> dict[str, float]:
    """Return how far the simulated hips were from the curve."""
    from ..actions.curve import read_curve  # here, because few bakes walk along a curve

    return read_curve(path).figures(result.joint_position[:, 0, :2])


def _on_supports(jobs: Sequence[Job]) -> tuple[Job, tuple[str, ...]]:
    """Return the first job among the supports that its motion was captured on, and sentences on them."""
    if len(jobs) > 1:
        raise InputError("Supports are found for one character; leave out --find-supports or the partners.")
    from ..supports.find import find_supports, on_supports  # here, because few bakes ask for them

    found = find_supports(jobs[0])
    job, used = on_supports(jobs[0], found)
    return job, (*found.notes, *used)


def _read(character: BakeCharacter, options: argparse.Namespace) -> MotionSource:
    first, *others = character.files
    if options.path is not None:
        return _walk(character, options)
    if first.suffix.lower() != PLAY_SUFFIX:
        return read_source(character.files, _choices(character, options), options.blend)
    if others:
        raise InputError(f"'{first}' is a play, which nothing can follow; leave out --then.")
    from .play_file import read_play  # here, because few bakes are plays

    return read_play(first, _choices(character, options), options.blend)


def _walk(character: BakeCharacter, options: argparse.Namespace) -> MotionSource:
    """Return the walk along the curve of the options."""
    if len(character.files) > 1 or options.partner:
        raise InputError("--path plans the whole motion of one character; leave out --then and --with.")
    from ..actions.curve import read_curve  # here, because few bakes walk along a curve
    from .graph_source import walk_source

    return walk_source(character.files[0], read_curve(options.path), _choices(character, options))


def _choices(character: BakeCharacter, options: argparse.Namespace) -> ReadingChoices:
    return dataclasses.replace(reading_choices(options), height_m=character.height, mass_kg=character.mass)


def settings_of(options: argparse.Namespace, character: BakeCharacter, source: MotionSource) -> BakeSettings:
    """Return the defaults, changed by presets in their order, then by the options themselves."""
    dialled = ("correction", "recovery_s", "tracking_gain", "springs", "character", *DIALS)
    given = {name: getattr(options, name) for name in dialled} | {
        "height": character.height,
        "mass": character.mass,
    }
    presets: dict[str, Any] = {}
    for name in options.preset:
        presets |= named_preset(name).settings
    settings = BakeSettings(
        quality=options.quality,
        assist_cap=options.assist,
        seed=options.seed,
        noise=options.noise,
        balance=options.balance,
        solver=options.solver,
        only_around_hits=options.only_around_hits,
        only=options.only,
        blend_in_s=options.blend_in,
        blend_out_s=options.blend_out,
        loop=options.loop,
        find_assist=options.find_assist,
        self_collision=options.self_collision,
        toe_joint=options.toe_joint,
        search=options.search,
        get_up=options.get_up,
        search_seconds=options.search_seconds,
        gain_folder=options.gain_folder,
        **presets | {name: value for name, value in given.items() if value is not None},
    )
    return as_subject(settings, source.first)


def _motion(source: MotionSource, character: BakeCharacter, options: argparse.Namespace) -> Motion:
    motion = source.motion if options.seconds is None else _part(source.motion, *options.seconds)
    return motion if character.position is None else placed(motion, *character.position)


def _print_notes(console: Console, notes: Iterable[str], name: str | None) -> None:
    """Print notes; name: of the character if there are several."""
    for note in notes:
        console.message(note if name is None else f"{name}: {note}")


def _notes(result: Result, source: MotionSource) -> Iterator[str]:
    """Yield faults that anybody sees, what happened, and when the character fell and where in its file."""
    meta = result.meta
    yield from fault_sentences(result)
    yield from meta.notes
    if settings_from_dict(meta.settings, "the result").only_around_hits:
        yield windows_sentence(meta.simulated, lambda time_s: f"{time_s:.2f} s")
    for hit in meta.hits:
        yield f"{hit.time_s:.2f} s: {hit_sentence(hit)}"
    for strike in meta.strikes:
        yield f"{strike.time_s:.2f} s: {strike_sentence(strike)}"
    fell_at = meta.fell_at
    if fell_at is not None:
        where = source.frame_text(float(result.source_time[0] + fell_at))
        yield f"The character fell after {fell_at:.2f} s ({where})."


def _part(motion: Motion, start_s: float, end_s: float) -> Motion:
    if not 0.0 <= start_s < end_s:
        raise InputError(f"--seconds is {start_s:g} {end_s:g}; give a start of 0 or more and a later end.")
    return motion.between(start_s, end_s)


def _with_input(
    result: Result, options: argparse.Namespace, character: BakeCharacter, source: MotionSource
) -> Result:
    """Return the result with a record of its input files and of what had to be guessed."""
    record = MotionInput(
        file=character.files[0].name,
        unit_m=source.first.unit_m,
        frames_skipped=source.first.frames_skipped,
        fps=options.fps,
        seconds=None if options.seconds is None else tuple(options.seconds),
        place=None if character.position is None else tuple(character.position),
        scene=None if options.scene is None else options.scene.name,
        aim=options.aim,
        presets=tuple(options.preset),
        notes=source.notes,
    )
    parts = tuple(clip.record() for clip in source.parts)
    return dataclasses.replace(result, meta=dataclasses.replace(result.meta, input=record, parts=parts))
