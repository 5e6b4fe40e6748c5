"""The virtual environments under `.dev/envs`, each made from lock files in `requirements/`.

core-py311      the engine, the tests, the plots of benchmarks and batches over many machines, without bpy
lint-py311      lint and type checks
docs-py311      the manual
bpy-5.0         Blender alone: what a user's Blender brings, no engine
blender-5.0     the engine and tests on top of bpy-5.0, which it borrows by a .pth file (bpy is 1 GB)
"""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path

from .interpreters import find_interpreter, venv_python
from .libraries import explain_missing_libraries
from .shell import ROOT, WORK, Command, DevError, capture, last_lines

STAMP = "heft-lock.sha256"
FIND_SITE = "import sysconfig; print(sysconfig.get_paths()['platlib'])"


@dataclass(frozen=True)
class Blender:
    """A Blender version to test on, and the Python it runs."""

    version: str
    python: str


# The first one that fits the Python that runs dev.py is the primary one.
BLENDERS = (Blender("5.0", "3.11"), Blender("5.2", "3.13"), Blender("4.5", "3.11"), Blender("4.2", "3.11"))


def core_env(python: str) -> Path:
    """Make the environment without bpy; return its interpreter."""
    tag = python.replace(".", "")
    interpreter = _make(f"core-py{tag}", python, [f"engine-py{tag}", "test", "plots", "cluster"])
    if capture([interpreter, "-c", "import bpy"]).returncode == 0:
        raise DevError("The core environment can import bpy; delete the folder .dev/envs and try again.")
    return interpreter


def lint_env(python: str) -> Path:
    """Make the environment of lint and type checks; return its interpreter."""
    return _make(f"lint-py{python.replace('.', '')}", python, ["lint"])


def docs_env(python: str) -> Path:
    """Make the environment that builds the manual; return its interpreter."""
    return _make(f"docs-py{python.replace('.', '')}", python, ["docs"])


def bare_env(blender: Blender) -> Path:
    """Make the environment of Blender as a module with its own packages only; return its interpreter."""
    interpreter = _make(f"bpy-{blender.version}", blender.python, [f"bpy-{blender.version}"])
    answer = capture([interpreter, "-c", "import bpy"])
    if answer.returncode != 0:
        raise DevError(explain_missing_libraries(answer.stdout, site_packages(interpreter) / "bpy"))
    return interpreter


def blender_env(blender: Blender) -> Path:
    """Make the environment of Blender with the engine and the test tools; return its interpreter."""
    borrowed = site_packages(bare_env(blender))
    tag = blender.python.replace(".", "")
    locks = [f"engine-py{tag}", "test"]
    return _make(f"blender-{blender.version}", blender.python, locks, borrowed=borrowed)


def site_packages(interpreter: Path) -> Path:
    """Return the folder in which an environment keeps its packages."""
    return Path(capture([interpreter, "-c", FIND_SITE]).stdout.strip())


def _make(name: str, python: str, locks: list[str], borrowed: Path | None = None) -> Path:
    """Create an environment, or reuse the one that was made from the same lock files."""
    base = find_interpreter(python)
    if base is None:
        advice = f"install it (Debian: python{python}-venv) and try again."
        raise DevError(f"Python {python} with venv was not found; {advice}")
    files = [ROOT / "requirements" / f"{lock}.txt" for lock in locks]
    contents = [*(file.read_bytes() for file in files), str(borrowed).encode()]
    digest = hashlib.sha256(b"\0".join(contents)).hexdigest()
    folder = WORK / "envs" / name
    stamp, interpreter = folder / STAMP, venv_python(folder)
    if stamp.is_file() and stamp.read_text() == digest and interpreter.exists():
        return interpreter
    print(f"dev: making the environment {name} (Python {python}) ...", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    _checked([*base, "-m", "venv", folder], f"The environment {name} could not be created")
    if borrowed is not None:
        (site_packages(interpreter) / "borrowed.pth").write_text(f"{borrowed}\n")
    # The locks are full closures, so pip must not add anything; wheels only, so nothing gets compiled.
    install: Command = [interpreter, "-m", "pip", "install", "--disable-pip-version-check", "--no-deps"]
    wanted: Command = [part for file in files for part in ("-r", file)]
    _checked([*install, "--only-binary=:all:", *wanted], f"The packages of {name} could not be installed")
    _checked([interpreter, "-m", "pip", "check"], f"The lock files of {name} do not fit together")
    stamp.write_text(digest)
    return interpreter


def _checked(command: Command, failure: str) -> None:
    answer = capture(command)
    if answer.returncode != 0:
        raise DevError(f"{failure}:\n{last_lines(answer.stdout)}")
