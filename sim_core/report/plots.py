"""Plots of the report over the frames of the clip, made with plotly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base.conventions import FloatArray
from ..drawing.svg import RESULT, SOURCE
from ..recognition.mapping import joint_label, part_label
from ..result import metrics
from ..result.result import Result
from .frame_numbers import FrameOf
from .report import Judged, Report

BEFORE, AFTER = SOURCE.plain, RESULT.plain
SIDES = {"L": "#2f8f83", "R": "#b5546a"}
LIMIT = "#9a9a94"
TEXT, GRID = "#33332f", "#ecebe6"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
HEIGHT, HEAT_HEIGHT = 250, 420
CLEAREST = 12
"""Number of joints in the effort plot: those with the highest effort."""

Figure = Any
"""A plotly figure; plotly has no types."""


class Plots:
    """All plots of a report, over the frames of the clip."""

    def __init__(self, report: Report, result: Result, frame_of: FrameOf) -> None:
        # Here, because it takes long to load and few commands need it.
        import plotly.graph_objects

        self.go = plotly.graph_objects
        self.report, self.result = report, result
        self.frame = frame_of(report.before.series.time)
        self.hits = [(float(frame_of(np.array([hit.time_s]))[0]), hit.by) for hit in result.meta.hits]

    def all(self) -> Iterator[tuple[str, str, Figure]]:
        """Yield title, explanation and figure of each plot."""
        yield (
            "Ground forces",
            "How hard each foot pushes; the dotted line is the body's weight.",
            self._ground(),
        )
        title = "Assist and unexplained forces"
        yield title, "Zero is physical: all forces come from the ground and from muscles.", self._outside()
        explanation = (
            "The busiest joint axis against its limit; above 100 % no body of this size is strong enough."
        )
        yield "Effort", explanation, self._effort()
        yield (
            "Effort by joint",
            "Dark is easy, bright is hard; the hardest working joints on top.",
            self._heat(),
        )
        yield "Sliding of standing feet", "A foot that carries weight should not move.", self._slip()
        if self.report.after is not None:
            yield "Distance of joints", "From the source, and from the prepared motion.", self._errors()
        yield "Height of the centre of mass", "Flat while standing, a bow in the air.", self._height()

    def _motions(self) -> Iterator[tuple[str, str, Judged]]:
        yield "before", BEFORE, self.report.before
        if self.report.after is not None:
            yield "after", AFTER, self.report.after

    def _figure(self, unit: str, height: int = HEIGHT) -> Figure:
        axis = {"gridcolor": GRID, "zeroline": False, "linecolor": GRID}
        figure = self.go.Figure()
        figure.update_layout(
            height=height,
            template="none",
            font={"family": FONT, "size": 12, "color": TEXT},
            margin={"l": 60, "r": 16, "t": 8, "b": 40},
            paper_bgcolor="rgba(0,0,0,0)",
            plot_bgcolor="rgba(0,0,0,0)",
            hovermode="x unified",
            legend={"orientation": "h", "y": 1.12, "x": 0.0},
            xaxis={**axis, "title": {"text": "frame"}, "range": [self.frame[0], self.frame[-1]]},
            yaxis={**axis, "title": {"text": unit}, "rangemode": "tozero"},
        )
        for frame, by in self.hits:
            figure.add_vline(x=frame, line={"color": "#d9a441", "width": 1}, annotation_text=by)
        return figure

    def _line(self, figure: Figure, values: FloatArray, name: str, colour: str, dash: str = "solid") -> None:
        line = {"color": colour, "width": 1.8, "dash": dash}
        shown = np.round(values, 3)
        figure.add_trace(self.go.Scatter(x=self.frame, y=shown, name=name, mode="lines", line=line))

    def _ground(self) -> Figure:
        figure = self._figure("N")
        for when, _, judged in self._motions():
            series = judged.series
            if not series.known.any():
                continue
            for foot, name in enumerate(series.foot_name):
                colour = SIDES.get(str(name).partition(".")[2], AFTER)
                dash = "solid" if judged is self.report.shown else "dot"
                words = f"{part_label(str(name))}, {when}"
                self._line(figure, _known(series.known, series.foot_force[:, foot, 2]), words, colour, dash)
        figure.add_hline(y=self.report.before.series.weight, line={"color": LIMIT, "dash": "dot", "width": 1})
        return figure

    def _outside(self) -> Figure:
        figure = self._figure("N")
        for when, colour, judged in self._motions():
            series, what = judged.series, "assist" if judged.series.simulated else "unexplained"
            if series.known.any():
                self._line(figure, _known(series.known, series.outside_force), f"{what}, {when}", colour)
        return figure

    def _effort(self) -> Figure:
        figure = self._figure("% of the limit")
        for when, colour, judged in self._motions():
            series = judged.series
            if series.known.any():
                busiest = 100.0 * series.used.max(axis=1, initial=0.0)
                self._line(figure, _known(series.known, busiest), when, colour)
        figure.add_hline(y=100.0, line={"color": LIMIT, "dash": "dot", "width": 1})
        return figure

    def _heat(self) -> Figure:
        series = self.report.shown.series
        segments = np.array([str(name).partition("/")[0] for name in series.axis_name])
        by_joint = {s: series.used[:, segments == s].max(axis=1) for s in dict.fromkeys(segments.tolist())}
        ranked = sorted(by_joint, key=lambda s: float(by_joint[s].max()))[-CLEAREST:]
        figure = self._figure("", HEAT_HEIGHT)
        figure.add_trace(
            self.go.Heatmap(
                x=self.frame,
                y=[joint_label(segment) for segment in ranked],
                z=[np.round(100.0 * by_joint[segment]) for segment in ranked],
                zmin=0.0,
                zmax=100.0,
                colorscale="Cividis",
                colorbar={"title": {"text": "%"}, "thickness": 10, "outlinewidth": 0},
                hovertemplate="%{y}: %{z} %<extra></extra>",
            )
        )
        figure.update_layout(hovermode="closest", margin={"l": 120, "r": 16, "t": 8, "b": 40})
        return figure

    def _slip(self) -> Figure:
        figure = self._figure("cm/s")
        for when, colour, judged in self._motions():
            self._line(figure, 100.0 * judged.series.foot_slip.max(axis=1, initial=0.0), when, colour)
        return figure

    def _errors(self) -> Figure:
        figure, result = self._figure("deg"), self.result
        new, parent = result.joint_quaternion_world, result.joint_parent
        source = metrics.joint_error_deg(new, result.source_joint_quaternion_world, parent)
        self._line(figure, source, "from the source", BEFORE)
        if self.report.shown.series.simulated:
            self._line(figure, self.report.shown.series.joint_error, "from the prepared motion", AFTER)
        return figure

    def _height(self) -> Figure:
        figure = self._figure("m")
        ground = self.result.meta.ground_height
        for when, colour, judged in self._motions():
            self._line(figure, judged.series.com[:, 2] - ground, when, colour)
        figure.update_yaxes(rangemode="normal")
        return figure


def _known(known: np.ndarray, values: FloatArray) -> FloatArray:
    """Return the values with gaps where forces are not known."""
    return np.where(known, values, np.nan)
