"""Gives a release its number in every file that has one: `python3 -m tools.release 1.0.0`."""

from __future__ import annotations

import re
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACES = {
    "blender_manifest.toml": r'^(version = ")[^"]+(")$',
    "pyproject.toml": r'^(version = ")[^"]+(")$',
    "sim_core/__init__.py": r'^(VERSION = ")[^"]+(")$',
    "CITATION.cff": r"^(version: )\S+()$",
}
"""Files with the version, and how its line looks."""
UNRELEASED = "## [Unreleased]\n"


def write_version(root: Path, version: str, day: str) -> None:
    """Write a version, such as 1.0.0, and give the unreleased part of the changelog its number and day."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise SystemExit(f"'{version}' is not a version; give three numbers, such as 1.0.0.")
    for name, line in PLACES.items():
        text = (root / name).read_text("utf-8")
        changed, count = re.subn(line, rf"\g<1>{version}\g<2>", text, flags=re.MULTILINE)
        if count != 1:
            raise SystemExit(f"{name} has {count} lines with a version; it must have one.")
        (root / name).write_text(changed, "utf-8")
    changelog = root / "CHANGELOG.md"
    text = changelog.read_text("utf-8")
    changelog.write_text(text.replace(UNRELEASED, f"{UNRELEASED}\n## [{version}] - {day}\n", 1), "utf-8")


if __name__ == "__main__":
    write_version(ROOT, sys.argv[-1], date.today().isoformat())
