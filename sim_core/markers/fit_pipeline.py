"""From a marker file to a motion: the steps of the command line and of Blender."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..base.errors import InputError
from ..base.progress import Progress, ProgressCallback, ignore_progress
from ..recognition.mapping import BoneMapping
from .computed_points import marker_labels
from .judge import judge
from .marker_fit import QUALITIES, MarkerFit, fit_take
from .marker_sets import MarkerSet, known_sets, preset_set, read_set
from .marker_take import MarkerFile, MarkerTake
from .read_markers import read_markers
from .recognise_set import recognise_set, settle_loose
from .subject import Armature, calibrate_subject
from .unseen_limbs import unseen_limbs
from .unseen_trunk import with_upright_trunk


@dataclass(frozen=True, eq=False)
class FitOptions:
    """Options of a fit.

    quality: "preview" or "final"
    unit: metres per file unit; None trusts the file
    take: name or number of a take in the file; None is the first
    static: a file in which the subject stands still, for calibration
    marker_set: name of a preset, or a file; None finds it
    armature: the user's own skeleton; None takes Heft's own, sized to the subject
    anyway: return a fit that cannot be right, instead of refusing it
    fps: frames per second; None trusts the file
    """

    quality: str = QUALITIES[-1]
    unit: float | None = None
    take: str | None = None
    static: Path | None = None
    marker_set: str | None = None
    armature: Armature | None = None
    anyway: bool = False
    fps: float | None = None


@dataclass(frozen=True, eq=False)
class FittedFile:
    """A fit, the take it explains, the file it came from, and notes for the user."""

    fit: MarkerFit
    take: MarkerTake
    file: MarkerFile
    notes: tuple[str, ...]

    @property
    def mapping(self) -> BoneMapping:
        """Which bones of the fitted skeleton are which parts of the body."""
        return self.fit.subject.calibration.rig.mapping


def fit_file(
    path: Path, options: FitOptions | None = None, report: ProgressCallback = ignore_progress
) -> FittedFile:
    """Read, calibrate and fit one take of a file."""
    chosen = options or FitOptions()
    report(Progress("Reading markers", 0.0))
    file = read_markers(path, chosen.unit, chosen.fps)
    take = file.take(chosen.take)
    table = choose_set(take, chosen.marker_set)
    static = None
    if chosen.static is not None:
        static = read_markers(chosen.static, chosen.unit, chosen.fps).take()
        table = choose_set(static, chosen.marker_set).joined(table)
    table = settle_loose(take, table)
    report(Progress("Calibrating", 0.1))
    subject = calibrate_subject(take, table, static, chosen.armature)
    fit, unseen = with_upright_trunk(fit_take(take, subject, chosen.quality, report))
    judgement = judge(fit, by_hand=chosen.marker_set is not None or chosen.armature is not None)
    if not chosen.anyway:
        judgement.refuse(path.name)
    said = (*judgement.sentences, *(unseen or unseen_limbs(fit)), *file.notes)
    notes = (*said, *table.notes, *_left_out(take, table), *_never_seen(take, table), *subject.notes)
    return FittedFile(fit, take, file, notes)


def choose_set(take: MarkerTake, name: str | None = None) -> MarkerSet:
    """Return the table of a take's markers: as named, else by labels, else proposed from their motion."""
    if name is None:
        return recognise_set(take)
    if name in known_sets():
        table = preset_set(name)
    elif Path(name).suffix == ".json":
        table = read_set(Path(name))
    else:
        raise InputError(
            f"There is no marker set '{name}'; choose one of {', '.join(known_sets())}, or a JSON file."
        )
    kept = table.of(take.labels)
    if not kept.rows:
        raise InputError(f"No marker of the take is in the marker set '{name}'; choose another set.")
    return kept


def _left_out(take: MarkerTake, table: MarkerSet) -> tuple[str, ...]:
    offered = marker_labels(take)
    others = [label for label in offered if label not in table.rows]
    if not others:
        return ()
    return (
        f"{len(others)} of {len(offered)} markers are in no marker set and were left out: {_few(others)}.",
    )


def _never_seen(take: MarkerTake, table: MarkerSet) -> tuple[str, ...]:
    absent = [
        label for label in table.rows if label in take.labels and not take.seen[:, take.index(label)].any()
    ]
    return (f"{len(absent)} marker(s) are never seen: {_few(absent)}.",) if absent else ()


def _few(labels: list[str]) -> str:
    return ", ".join(labels[:5]) + (", ..." if len(labels) > 5 else "")
