"""The quotations of `docs/tutorial.md`: what Heft says at each step."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(r"(<!-- step: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
SAME = 0.01
"""Figures that differ by less are the same: of all that is quoted, only the number of few keys differs
between Blender 5.0 and 5.2 (2457 and 2463)."""
NUMBER = re.compile(r"\d+(?:\.\d+)?")
QUOTE = re.compile(r"^ *> (.*?)(?:<br>)?$", re.MULTILINE)


def quotations() -> dict[str, list[str]]:
    """Return the quoted lines of each step."""
    return {match[2]: QUOTE.findall(match[3]) for match in BLOCK.finditer(PAGE.read_text("utf-8"))}


def differences(said: dict[str, list[str]]) -> list[str]:
    """Return what was said in other words than those of the page, or with other figures."""
    quoted = quotations()
    assert list(said) == list(quoted), f"the page has the steps {list(quoted)}"
    return [
        f"{step}: {quoted[step]} is now {said[step]}" for step in quoted if not same(quoted[step], said[step])
    ]


def same(quoted: list[str], said: list[str]) -> bool:
    """Return whether lines have the same words and figures."""
    first, second = "\n".join(quoted), "\n".join(said)
    if NUMBER.sub("0", first) != NUMBER.sub("0", second):
        return False
    figures = ([float(number) for number in NUMBER.findall(text)] for text in (first, second))
    return all(abs(one - other) <= SAME * one for one, other in zip(*figures, strict=True))


def write_quotations(said: dict[str, list[str]], blender: str) -> None:
    """Write what was said into the page, and on which Blender."""

    def block(match: re.Match[str]) -> str:
        space = re.match(" *", match[3])
        indent = "" if space is None else space[0]
        lines = "<br>\n".join(f"{indent}> {line}" for line in said[match[2]])
        return f"{match[1]}{lines}\n{indent}{match[4]}"

    text = BLOCK.sub(block, PAGE.read_text("utf-8"))
    PAGE.write_text(re.sub(r"(?<=on Blender )\d+\.\d+", blender, text), "utf-8")
