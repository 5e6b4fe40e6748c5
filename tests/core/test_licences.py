"""Every wheel that ships stands in docs/licences.md, and nothing else does."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

import pytest

from tools.dev.wheels import LOCKED_PYTHONS, bundled_pins, lock_file

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (?P<packages>[a-z0-9, -]+) \| (?P<licence>[^|]+) \| [^|]+ \|$", re.MULTILINE)


FAMILIES = {
    "MIT": "MIT",
    "Permission is hereby granted": "MIT",
    "Apache": "Apache",
    "BSD": "BSD",
    "Redistribution and use": "BSD",
    "unlicense.org": "Unlicense",
}
"""What a statement says -> what the table must say."""


def statement(name: str) -> str:
    """A package's own words: a name, a classifier, or else the text that comes with it."""
    declared = importlib.metadata.metadata(name)
    said = [next((declared[key] for key in ("License-Expression", "License") if key in declared), "")]
    said += [line for line in declared.get_all("Classifier") or [] if line.startswith("License")]
    files = importlib.metadata.files(name) or []
    texts = [file.read_text() for file in files if file.name == "LICENSE" and ".dist-info" in str(file)]
    return " ".join(said) if any(said) else " ".join(texts)


def rows() -> dict[str, str]:
    text = (ROOT / "docs" / "licences.md").read_text("utf-8")
    found: dict[str, str] = {}
    for match in ROW.finditer(text):
        if not set(match["packages"]) <= {"-"}:
            found |= {name: match["licence"] for name in match["packages"].split(", ") if name != "package"}
    return found


@pytest.mark.parametrize("python", LOCKED_PYTHONS)
def test_the_list_is_that_of_the_bundled_wheels(python: str) -> None:
    assert rows().keys() == {pin.name for pin in bundled_pins(lock_file(python).read_text())}


@pytest.mark.parametrize("name", sorted(rows()))
def test_the_licence_is_the_one_that_the_package_declares(name: str) -> None:
    said = statement(name)
    families = {family for word, family in FAMILIES.items() if word in said}
    assert families, f"{name} declares {said[:80]!r}"
    assert any(family in rows()[name] for family in families)
