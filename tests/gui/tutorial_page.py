"""The quotations of `docs/tutorial.md`: what Heft says at each step."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(r"(<!-- step: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
QUOTE = re.compile(r"^ *> (.*?)(?:<br>)?$", re.MULTILINE)


def quotations() -> dict[str, list[str]]:
    """Return the quoted lines of each step."""
    return {match[2]: QUOTE.findall(match[3]) for match in BLOCK.finditer(PAGE.read_text("utf-8"))}


def write_quotations(said: dict[str, list[str]], blender: str) -> None:
    """Write what was said into the page, and on which Blender."""

    def block(match: re.Match[str]) -> str:
        space = re.match(" *", match[3])
        indent = "" if space is None else space[0]
        lines = "<br>\n".join(f"{indent}> {line}" for line in said[match[2]])
        return f"{match[1]}{lines}\n{indent}{match[4]}"

    text = BLOCK.sub(block, PAGE.read_text("utf-8"))
    PAGE.write_text(re.sub(r"(Blender )\d+\.\d+(?=\.\n)", rf"\g<1>{blender}", text), "utf-8")
