"""Wheels that the extension bundles for every platform and Python, from the lock files."""

from __future__ import annotations

import hashlib
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from .shell import ROOT, WORK, Command, DevError, capture, last_lines
from .wheel_checks import refuse_unknown_wheels

NOT_BUNDLED = {
    "numpy": "comes with Blender",
    "cloudpickle": "only joblib uses it",
    "joblib": "only osqp's torch layer uses it",
    "setuptools": "only osqp's code generator uses it",
}
PYTHONS = {
    "linux-x64": ("3.11", "3.13", "3.14"),
    "windows-x64": ("3.11", "3.13"),
    "macos-arm64": ("3.11", "3.13"),
}
"""Python versions by platform: Blender's own builds run 3.11 and 3.13, those of Linux
distributions newer ones."""
LOCKED_PYTHONS = tuple(sorted({python for pythons in PYTHONS.values() for python in pythons}))

# Blender's platform -> pip's platform tags. macOS 12 is the oldest that scipy supports: asking for a newer
# one would take wheels that older machines cannot load.
PLATFORMS = {
    "linux-x64": ("manylinux2014_x86_64", *(f"manylinux_2_{minor}_x86_64" for minor in (17, 24, 27, 28))),
    "windows-x64": ("win_amd64",),
    "macos-arm64": ("macosx_12_0_arm64",),
}
PLATFORM_IN_NAME = {"linux-x64": "manylinux", "windows-x64": "win_amd64", "macos-arm64": "macosx"}


@dataclass(frozen=True)
class Pin:
    """One line of a lock file."""

    name: str
    version: str

    @property
    def file_stem(self) -> str:
        """Return the start of the wheel's file name, such as `mujoco_core-4.0.1-`."""
        return f"{re.sub(r'[-_.]+', '_', self.name).lower()}-{self.version}-"


def lock_file(python: str) -> Path:
    """Return the lock file of the engine for a Python version."""
    return ROOT / "requirements" / f"engine-py{python.replace('.', '')}.txt"


def bundled_pins(lock_text: str) -> list[Pin]:
    """Return the pins of a lock file without those that are not bundled."""
    lines = (line.split(";")[0].strip() for line in lock_text.splitlines() if not line.startswith("#"))
    pins = [Pin(*line.split("==")) for line in lines if line]
    return [pin for pin in pins if pin.name not in NOT_BUNDLED]


def fits(file_name: str, pin: Pin, platform: str, python: str) -> bool:
    """Whether a wheel's file name is `pin` for this platform and Python."""
    name = file_name.lower()
    right_python = any(tag in name for tag in (f"-cp{python.replace('.', '')}-", "-abi3-", "-py3-"))
    right_platform = name.endswith("-any.whl") or PLATFORM_IN_NAME[platform] in name
    return name.startswith(pin.file_stem) and right_python and right_platform


def missing_wheels(file_names: list[str], platform: str) -> list[str]:
    """Return readable names of bundled packages without a wheel for `platform`."""
    gaps = []
    for python in PYTHONS[platform]:
        for pin in bundled_pins(lock_file(python).read_text()):
            if not any(fits(name, pin, platform, python) for name in file_names):
                gaps.append(f"{pin.name} {pin.version} for Python {python} on {platform}")
    return gaps


def collect_wheels(pip_python: Path) -> list[Path]:
    """Download what is missing into `.dev/wheels` and return all wheels, each platform checked."""
    digest = hashlib.sha256(
        b"".join(lock_file(p).read_bytes() for p in LOCKED_PYTHONS) + repr(PLATFORMS).encode()
    )
    folder = WORK / "wheels"
    stamp = folder / "complete.sha256"
    if not (stamp.is_file() and stamp.read_text() == digest.hexdigest()):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for platform in PLATFORMS:
            for python in PYTHONS[platform]:
                _download(pip_python, folder, platform, python)
        stamp.write_text(digest.hexdigest())
    wheels = sorted(folder.glob("*.whl"))
    gaps = [gap for platform in PLATFORMS for gap in missing_wheels([w.name for w in wheels], platform)]
    if gaps:
        raise DevError(f"These wheels are missing: {', '.join(gaps)}.")
    refuse_unknown_wheels(wheels)
    return wheels


def _download(pip_python: Path, folder: Path, platform: str, python: str) -> None:
    print(f"dev: getting wheels for {platform}, Python {python} ...", flush=True)
    tags = [part for tag in PLATFORMS[platform] for part in ("--platform", tag)]
    pins = [f"{pin.name}=={pin.version}" for pin in bundled_pins(lock_file(python).read_text())]
    command: Command = [pip_python, "-m", "pip", "download", "--disable-pip-version-check", "--dest", folder]
    target = ["--no-deps", "--only-binary=:all:", "--python-version", python, "--implementation", "cp"]
    answer = capture([*command, *target, *tags, *pins])
    if answer.returncode != 0:
        raise DevError(f"Wheels for {platform} could not be downloaded:\n{last_lines(answer.stdout)}")
