"""HTML pages from templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def fill_template(path: Path, **values: Any) -> str:
    """The page; values are escaped where the template does not say that they are safe."""
    # Here, because it takes long to load and few commands need it.
    from jinja2 import Environment, StrictUndefined

    pages = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return str(pages.from_string(path.read_text("utf-8")).render(**values))
