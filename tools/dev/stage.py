"""A copy of the shipped sources as a package called `heft`, whatever the clone's folder is called."""

from __future__ import annotations

import shutil
from pathlib import Path

from .shell import ROOT

PACKAGES = ("addon", "operators", "panels", "presets", "sim_core")
FILES = ("__init__.py", "blender_manifest.toml", "LICENSE")


def stage_sources(destination: Path) -> Path:
    """Copy what ships into `destination` (replaced) and return it."""
    shutil.rmtree(destination, ignore_errors=True)
    destination.mkdir(parents=True)
    skip = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, destination / name, ignore=skip)
    for name in FILES:
        shutil.copy2(ROOT / name, destination / name)
    return destination
