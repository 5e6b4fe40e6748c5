"""Find Python interpreters that really run and can make virtual environments."""

from __future__ import annotations

import glob
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# A shim may exist for a version that is not installed, and Debian ships Python without `ensurepip`:
# only a run tells.
PROBE = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"

SEARCH = (
    "~/.pyenv/versions/{version}*/bin/python",
    "~/.pyenv/pyenv-win/versions/{version}*/python.exe",
    "~/.local/share/uv/python/cpython-{version}*/bin/python3",
    "/opt/homebrew/opt/python@{version}/bin/python{version}",
    "/usr/local/opt/python@{version}/bin/python{version}",
    "/Library/Frameworks/Python.framework/Versions/{version}/bin/python{version}",
    "/usr/bin/python{version}",
)


def _candidates(version: str) -> Iterator[list[str]]:
    if sys.version_info[:2] == tuple(int(part) for part in version.split(".")):
        yield [getattr(sys, "_base_executable", None) or sys.executable]
    if os.name == "nt":
        yield ["py", f"-{version}"]
    yield [f"python{version}"]
    for pattern in SEARCH:
        expanded = os.path.expanduser(pattern.format(version=version))
        for found in sorted(glob.glob(expanded), reverse=True):
            yield [found]


def _works(command: list[str], version: str) -> bool:
    try:
        answer = subprocess.run([*command, "-c", PROBE], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and answer.stdout.strip() == version


@cache
def find_interpreter(version: str) -> tuple[str, ...] | None:
    """Return the command of a working Python `version` ("3.11"), or None."""
    for command in _candidates(version):
        if _works(command, version):
            return tuple(command)
    return None


def venv_python(folder: Path) -> Path:
    """Return the interpreter inside a virtual environment."""
    return folder / "Scripts" / "python.exe" if os.name == "nt" else folder / "bin" / "python"
