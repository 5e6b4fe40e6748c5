"""The Python package: built as a wheel, installed into an empty environment, and its examples run there."""

from __future__ import annotations

import shutil
from pathlib import Path

from .interpreters import find_interpreter, venv_python
from .shell import ROOT, WORK, Command, DevError, capture, last_lines, run

CONTENTS = ("sim_core", "presets", "pyproject.toml", "README.md", "LICENSE")
PAGE = ROOT / "docs" / "python-api.md"


def check_package(core_python: Path, python: str) -> None:
    """Install the wheel as a user would, with packages from the registry, and run what the manual shows."""
    folder = WORK / "python_package"
    shutil.rmtree(folder, ignore_errors=True)
    wheel = _build(core_python, folder)
    print(f"built {wheel.name} ({wheel.stat().st_size / 1e6:.1f} MB)", flush=True)
    base = find_interpreter(python)
    if base is None:
        raise DevError(f"Python {python} with venv was not found; install it and try again.")
    installed = venv_python(folder / "empty")
    _checked([*base, "-m", "venv", folder / "empty"], "An empty environment could not be made")
    install: Command = [installed, "-m", "pip", "install", "--disable-pip-version-check", wheel]
    _checked(install, "The wheel could not be installed")
    files = folder / "files"
    files.mkdir()
    _checked([core_python, "-m", "tools.demo.example_files", files], "The example files were not made")
    # Isolated: what is imported is what was installed, not this clone.
    if run([installed, "-I", ROOT / "tools" / "examples.py", PAGE, files], cwd=files) != 0:
        raise DevError(f"The examples of {PAGE.name} do not run with the installed wheel.")
    _checked([installed, "-I", "-m", "sim_core", "presets"], "The installed command does not run")


def _build(core_python: Path, folder: Path) -> Path:
    """Build the wheel from a copy, because the build leaves files beside its sources; return its path."""
    source, out = folder / "source", folder / "wheel"
    source.mkdir(parents=True)
    for name in CONTENTS:
        own = ROOT / name
        if own.is_dir():
            shutil.copytree(own, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(own, source)
    command: Command = [core_python, "-m", "pip", "wheel", "--disable-pip-version-check", "--no-deps"]
    _checked([*command, "--wheel-dir", out, source], "The wheel could not be built")
    return next(out.glob("heft-*.whl"))


def _checked(command: Command, failure: str) -> None:
    answer = capture(command)
    if answer.returncode != 0:
        raise DevError(f"{failure}:\n{last_lines(answer.stdout)}")
