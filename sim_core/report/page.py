"""HTML pages from templates.

The report as one HTML file that needs nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import VERSION
from ..drawing.camera import Camera, Picture
from ..drawing.svg import RESULT, SOURCE, svg_of
from ..result.result import Result
from .frames import FrameOf, whole_frame
from .plots import Plots
from .problems import Moment
from .report import Report
from .score import PART_WORDS
from .table import table_of


def fill_template(path: Path, **values: Any) -> str:
    """The page; values are escaped where the template does not say that they are safe."""
    # Here, because it takes long to load and few commands need it.
    from jinja2 import Environment, StrictUndefined

    pages = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return str(pages.from_string(path.read_text("utf-8")).render(**values))


TEMPLATE = Path(__file__).with_name("page.html.jinja")
STRIP = 8
"""Pictures in the strip."""
_NO_BUTTONS = {"displayModeBar": False, "responsive": True}


@dataclass(frozen=True)
class ShownMoment:
    """A worst frame with its picture."""

    frame: int
    moment: Moment
    picture: Picture


def page_of(report: Report, result: Result, frame_of: FrameOf, title: str) -> str:
    """HTML; nothing in it is fetched from elsewhere."""
    # Here, because it takes long to load and few commands need it.
    from plotly.offline import get_plotlyjs

    camera = Camera(result)
    plots = [
        (name, told, figure.to_html(full_html=False, include_plotlyjs=False, config=_NO_BUTTONS))
        for name, told, figure in Plots(report, result, frame_of).all()
    ]
    moments = [
        ShownMoment(whole_frame(frame_of, moment.at_s), moment, camera.picture(moment.at_s))
        for moment in report.shown.moments
    ]
    return fill_template(
        TEMPLATE,
        title=title,
        report=report,
        parts=PART_WORDS,
        rows=table_of(report.before.figures, report.after.figures if report.after else None),
        moments=moments,
        strip=[(whole_frame(frame_of, picture.at_s), picture) for picture in camera.strip(STRIP)],
        svg_of=svg_of,
        plots=plots,
        plotly=get_plotlyjs(),
        notes=[str(note) for note in result.meta.get("notes", ())],
        colours={"before": SOURCE.plain, "after": RESULT.plain},
        version=VERSION,
    )
