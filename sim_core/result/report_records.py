"""Records of the plausibility report in a result's meta."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .records import Figure


@dataclass(frozen=True)
class ScoreRecord:
    """A score and its parts from 0 to 100; parts that were not judged are None."""

    total: float
    verdict: str
    feet: float | None = None
    forces: float | None = None
    effort: float | None = None
    smoothness: float | None = None
    balance: float | None = None


@dataclass(frozen=True)
class MotionProblem:
    """Something that is wrong with a motion: a value above its limit, in `unit`, for some time.

    kind: fall, legs, hands, drift, joint, torque, slide, sink, force, moment, tremble or stray
    at_s: where it is worst; text: what is wrong, without the time
    """

    kind: str
    start_s: float
    end_s: float
    at_s: float
    value: float
    limit: float
    unit: str
    text: str

    @property
    def severity(self) -> float:
        """Return the value as a multiple of its limit."""
        return self.value / self.limit


@dataclass(frozen=True)
class WorstFrameRecord:
    """A moment at which one or more problems are worst."""

    at_s: float
    text: str


@dataclass(frozen=True)
class Judgement:
    """What the report says about one motion (docs/report.md).

    figures: by the names of docs/metrics.md
    not_judged: a sentence on the missing parts of the score; empty where all were judged
    """

    figures: Mapping[str, Figure]
    score: ScoreRecord
    not_judged: str
    problems: tuple[MotionProblem, ...]
    moments: tuple[WorstFrameRecord, ...]


@dataclass(frozen=True)
class ReportRecord:
    """The report on the source and on the result; None where nothing was simulated or made plausible."""

    before: Judgement
    after: Judgement | None
