"""The demo's page with pictures, films and figures, and the figures as JSON for programs."""

from __future__ import annotations

import json
import os
import sys
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .acts import ACTS

TEMPLATE = Path(__file__).with_name("page.html.jinja")
NO_CARTWHEEL = "a cartwheel, because its capture (49_06 of mocap.cs.cmu.edu) is not beside this clone."


def write_page(
    folder: Path, metrics: Mapping[str, Mapping[str, Mapping[str, Any]]], wall_s: Mapping[str, float]
) -> Path:
    """Write metrics.json and the page; return the page.

    metrics: figures of the bakes by act and character; wall_s: seconds by phase
    """
    text = json.dumps({"metrics": metrics, "wall_s": wall_s}, indent=1)
    (folder / "metrics.json").write_text(text + "\n", encoding="utf-8")
    acts = [
        {"name": name, "title": ACTS[name].title, "about": ACTS[name].about, "metrics": found}
        for name, found in metrics.items()
    ]
    made = Environment(
        loader=FileSystemLoader(TEMPLATE.parent), autoescape=True, undefined=StrictUndefined
    ).get_template(TEMPLATE.name)
    page = folder / "index.html"
    phases = ", ".join(f"{phase} {seconds:.0f} s" for phase, seconds in wall_s.items())
    page.write_text(
        made.render(
            acts=acts,
            seconds=sum(wall_s.values()),
            phases=f"Time: {phases}.",
            left_out="" if "cartwheel" in metrics or len(metrics) < 2 else NO_CARTWHEEL,
        ),
        encoding="utf-8",
    )
    return page


def open_page(page: Path) -> str:
    """Open the page where there is a browser with a screen; return what to tell the user."""
    has_screen = sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if has_screen and webbrowser.open(page.as_uri()):
        return f"The page is open in your browser: {page}"
    return f"There is no browser with a screen here; open {page} in one."
