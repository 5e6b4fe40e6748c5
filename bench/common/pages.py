"""Pages of results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def write_page(path: Path, parts: Sequence[str]) -> str:
    """Write a page of headings, paragraphs, lists, tables and pictures; return it."""
    text = "\n\n".join(parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")
    return text
