"""Checks of the wheels before they are bundled: each is the file that was recorded, under a known licence."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Iterable
from email.parser import Parser
from pathlib import Path

from .shell import DevError

RECORDED = Path(__file__).with_name("wheels.sha256")
"""One line for each wheel that may ship: its SHA-256 and its name, as `sha256sum` writes them."""
LICENCES = re.compile(
    r"\b(MIT|BSD|Apache|Python Software Foundation)\b|Permission is hereby granted|Redistribution and use"
    r"|free and unencumbered software released into the public domain"
)
"""What a wheel's licence must say to be bundled with a program under the GPL (docs/licences.md)."""


def refuse_unknown_wheels(wheels: Iterable[Path], recorded: Path = RECORDED) -> None:
    """Raise a DevError for wheels that are not the recorded files, or whose licence is not a known one."""
    lines = [line.split() for line in recorded.read_text("utf-8").splitlines()]
    known = {name: digest for digest, name in lines}
    problems = []
    for wheel in wheels:
        found = hashlib.sha256(wheel.read_bytes()).hexdigest()
        if wheel.name not in known:
            problems.append(f"{wheel.name} is not recorded")
        elif known[wheel.name] != found:
            problems.append(f"{wheel.name} has the hash {found[:12]}..., not {known[wheel.name][:12]}...")
        elif not LICENCES.search(licence_of(wheel)):
            problems.append(f"{wheel.name} states no licence that is known")
    if problems:
        raise DevError(
            f"These wheels cannot be bundled: {'; '.join(problems)}. Find out why, and record new ones in "
            f"{recorded.name} (docs/development.md)."
        )


def licence_of(wheel: Path) -> str:
    """Return what a wheel says about its licence: in its metadata, or else in the texts beside them."""
    with zipfile.ZipFile(wheel) as packed:
        names = [name for name in packed.namelist() if ".dist-info/" in name]
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        stated = Parser().parsestr(packed.read(metadata).decode("utf-8"))
        said = [stated.get(key, "") for key in ("License-Expression", "License")]
        said += [line for line in stated.get_all("Classifier") or [] if line.startswith("License")]
        texts = [name for name in names if "licen" in name.lower()]
        return " ".join([*said, *(packed.read(name).decode("utf-8", "replace") for name in texts)])
