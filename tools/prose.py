"""Checks the style of the manual's prose: `python3 -m tools.prose` (codespell checks the spelling).

A sentence that is too long needs a second reading, and a word that is written twice is a slip.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_WORDS = 60
"""In one sentence, or in one part of a sentence that ends with a colon or a semicolon."""
NOT_PROSE = re.compile(r"```.*?```|<!--.*?-->|^\|.*?$|^\$\$.*?^\$\$", flags=re.DOTALL | re.MULTILINE)
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*>#]|\d+\.) )")
NAMES = re.compile(r"`[^`]*`|\]\([^)]*\)|\$[^$]*\$")
TWICE = re.compile(r"\b([a-z]+) \1\b")
MAY_BE_TWICE = {"that", "had"}


def pages() -> list[Path]:
    """Return the pages that people read."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a page, without tables, code and the targets of links."""
    for paragraph in PARAGRAPH.split(NOT_PROSE.sub("\n\n", text)):
        yield from re.split(r"(?<=[.!?:;])\s+", " ".join(NAMES.sub("]", paragraph).split()))


def problems(text: str) -> Iterator[str]:
    """Yield what is wrong with a page, one line each."""
    for sentence in sentences(text):
        words = len(sentence.split())
        if words > MOST_WORDS:
            yield f"a sentence of {words} words, make two of it: {sentence[:80]}..."
        for word in TWICE.findall(sentence):
            if word not in MAY_BE_TWICE:
                yield f"'{word} {word}' in: {sentence[:80]}..."


def main() -> int:
    """Print all problems; return 1 if there are some."""
    found = [
        f"{page.relative_to(ROOT)}: {problem}"
        for page in pages()
        for problem in problems(page.read_text("utf-8"))
    ]
    print("\n".join(found) or "prose: no problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
