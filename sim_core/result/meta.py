"""The `meta` of a result: versions, settings, figures, notes and how the simulation went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..base.errors import InputError
from ..base.json_codec import from_object, to_object
from . import records as r
from .metrics import Metrics, MotionMetrics
from .report_records import ReportRecord
from .soft_records import SoftRecord
from .support_records import GripRecord


@dataclass(frozen=True, kw_only=True)
class ResultMeta:
    """All that a result holds besides its arrays; docs/result-file.md says what each entry means.

    metrics, attempt, failure and others are None or empty where nothing was simulated; entries with a
    default are only in files that have something to say there.
    settings: the options of the bake, as scenario.job.settings_from_dict reads them
    wall_seconds [s]: by phase of the bake
    """

    versions: r.Versions
    settings: Mapping[str, Any]
    seed: int
    pushes: tuple[r.PushRecord, ...]
    metrics: Metrics | None
    source_metrics: MotionMetrics
    plausible_metrics: MotionMetrics | None
    wall_seconds: Mapping[str, float]
    notes: tuple[str, ...]
    name: str
    others: tuple[str, ...]
    character: r.CharacterFacts
    body_shapes: tuple[r.BodyShape, ...]
    ground_height: float
    reference: r.ReferenceChange | None
    fell_at: float | None
    failure: r.Failure | None
    attempt: str | None
    attempts_tried: tuple[str, ...]
    hits: tuple[r.Hit, ...]
    strikes: tuple[r.StrikeOutcome, ...]
    rounds: int
    gains: r.GainCounts
    simulated: tuple[tuple[float, float], ...]
    search: r.SearchRecord | None = None
    get_ups: tuple[r.GetUpRecord, ...] = ()
    grips: tuple[GripRecord, ...] = ()
    soft: tuple[SoftRecord, ...] = ()
    repairs: tuple[r.JointRepair, ...] = ()
    animated: r.AnimatedShare | None = None
    loop: r.LoopGap | None = None
    report: ReportRecord | None = None
    mjcf: str | None = None
    mjb: str | None = None
    parts: tuple[r.SequencePart, ...] = ()
    input: r.MotionInput | None = None
    retarget: r.RetargetRecord | None = None
    live: r.LiveTake | None = None

    @property
    def measured(self) -> Metrics:
        """Return the measures of a simulated motion; without one an InputError says so."""
        if self.metrics is None:
            raise InputError("Nothing was simulated, so there are no measures; simulate the motion first.")
        return self.metrics

    def with_notes(self, *notes: str) -> ResultMeta:
        """Return the meta with more sentences for the user after those it has."""
        return replace(self, notes=(*self.notes, *notes))


def meta_to_json(meta: ResultMeta) -> dict[str, Any]:
    """Return the meta as the JSON object of a result file."""
    return to_object(meta)


def meta_from_json(value: object, what: str) -> ResultMeta:
    """Return the meta in the JSON object of a result file; `what` names the object in messages."""
    return from_object(ResultMeta, value, what)
