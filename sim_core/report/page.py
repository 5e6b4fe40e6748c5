"""The report as a self-contained HTML page, and the filling of HTML templates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import VERSION
from ..drawing.camera import Camera, Picture
from ..drawing.svg import RESULT, SOURCE, svg_of
from ..result.result import Result
from .frame_numbers import FrameOf, whole_frame
from .measure_table import table_of
from .plots import Plots
from .problems import WorstFrame
from .report import Report
from .score import PART_WORDS


def fill_template(path: Path, **values: Any) -> str:
    """Return the page of a template; values are escaped unless the template marks them as safe."""
    # Here, because it takes long to load and few commands need it.
    from jinja2 import Environment, StrictUndefined

    pages = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return str(pages.from_string(path.read_text("utf-8")).render(**values))


TEMPLATE = Path(__file__).with_name("page.html.jinja")
STRIP = 8
"""Number of pictures in the strip."""
_NO_BUTTONS = {"displayModeBar": False, "responsive": True}


@dataclass(frozen=True)
class FramePicture:
    """One of the worst frames with its picture."""

    frame: int
    worst: WorstFrame
    picture: Picture


def page_of(report: Report, result: Result, frame_of: FrameOf, title: str) -> str:
    """Return the report as HTML that loads nothing from elsewhere."""
    # Here, because it takes long to load and few commands need it.
    from plotly.offline import get_plotlyjs

    camera = Camera(result)
    plots = [
        (name, explanation, figure.to_html(full_html=False, include_plotlyjs=False, config=_NO_BUTTONS))
        for name, explanation, figure in Plots(report, result, frame_of).all()
    ]
    worst_frames = [
        FramePicture(whole_frame(frame_of, worst.at_s), worst, camera.picture(worst.at_s))
        for worst in report.shown.worst_frames
    ]
    return fill_template(
        TEMPLATE,
        title=title,
        report=report,
        parts=PART_WORDS,
        rows=table_of(report.before.figures, report.after.figures if report.after else None),
        worst_frames=worst_frames,
        strip=[(whole_frame(frame_of, picture.at_s), picture) for picture in camera.strip(STRIP)],
        svg_of=svg_of,
        plots=plots,
        plotly=get_plotlyjs(),
        notes=result.meta.notes,
        colours={"before": SOURCE.plain, "after": RESULT.plain},
        version=VERSION,
    )
