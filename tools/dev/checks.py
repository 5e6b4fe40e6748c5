"""Steps of `dev.py test`; each returns, or raises `DevError`."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

from tests.gui.find_blender import Missing, find_blender
from tests.gui.screen import require_screen

from . import extension
from .environments import Blender, bare_env, blender_env
from .shell import ROOT, WORK, Command, DevError, capture, run

PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
# Complaints on the Blender side that come from the stubs, not from the code.
STUB_LIMITS = {
    "valid-type": "properties are annotated with calls",
    "union-attr": "an object's data may be of any kind, whatever its type says",
    "func-returns-value": "properties and commands are said to return nothing",
    "override": "operators are said to return a set of literals",
}
WINDOW_SKIPPED = 77
BLENDER_SIDE = ("heft.addon", "heft.operators", "heft.panels")
STRICT_SIDE = ("sim_core", "bench", "tools", "dev.py", "docs/conf.py", "tests")
# Tests and tools set properties that only a running Blender knows, and hand plain objects to functions that
# ask for armatures: with the stubs, nearly every line would need a cast. Heft's own types are checked.
ANY_BLENDER = """
[[tool.mypy.overrides]]
module = ["addon_utils", "bmesh.*", "bpy.*", "gpu.*", "mathutils.*"]
follow_imports = "skip"
follow_imports_for_stubs = true
"""


class Skipped(Exception):
    """A step cannot run here; the message says what is missing."""


def lint(lint_python: Path) -> None:
    """Check the style of all files, and the spelling and style of what people read."""
    checks: dict[str, Command] = {
        "ruff": ["ruff", "check", "."],
        "codespell": ["codespell_lib"],
        "the check of prose": ["tools.prose"],
    }
    failed = [name for name, words in checks.items() if run([lint_python, "-m", *words]) != 0]
    if failed:
        raise DevError(f"Problems were found by {', '.join(failed)}.")


def types(lint_python: Path) -> None:
    """Check the Blender side as far as the stubs allow, and everything else strictly."""
    staged = extension.stage_sources(WORK / "stage" / "heft").parent
    own_config = ROOT / "pyproject.toml"
    any_blender = WORK / "mypy_any_blender.toml"
    any_blender.write_text(own_config.read_text("utf-8") + ANY_BLENDER, "utf-8")
    loose = ["--check-untyped-defs", "--no-strict-optional"]
    loose += [part for code in STUB_LIMITS for part in ("--disable-error-code", code)]
    blender_side = [part for name in BLENDER_SIDE for part in ("-p", name)]
    # scipy and mujoco ship no types, and what they return would have to be cast everywhere.
    strict = ["--strict", "--no-warn-return-any"]
    strict += ["--explicit-package-bases", *STRICT_SIDE]
    failures = _mypy([lint_python, "-m", "mypy", "--config-file", own_config, *loose, *blender_side], staged)
    failures += _mypy([lint_python, "-m", "mypy", "--config-file", any_blender, *strict], ROOT)
    if failures:
        raise DevError("mypy found problems.")


def docs(docs_python: Path) -> Path:
    """Build the manual, with warnings (such as broken links) as errors; return its first page."""
    out = ROOT / "build" / "docs"
    options: Command = ["-q", "-W", "--keep-going", "-E", "-c", ROOT / "docs", "-d", WORK / "doctrees"]
    if run([docs_python, "-m", "sphinx", "-b", "html", *options, ROOT, out]) != 0:
        raise DevError("The manual has problems.")
    return out / "docs" / "index.html"


def core_tests(core_python: Path, *extra: str) -> None:
    """Run the tests that need no Blender, where bpy does not exist."""
    _require_passed(_run_tests([core_python, *PYTEST, "tests/core", *extra]), "core tests")


def blender_tests(blender: Blender, *extra: str) -> None:
    """Run the tests on Blender as a module; a crash is a failure like any other."""
    status = _run_tests([blender_env(blender), *PYTEST, "tests/blender", *extra])
    _require_passed(status, f"tests on Blender {blender.version}")


def installed_zip(blender: Blender, zips: dict[str, Path]) -> None:
    """Install the zip of this machine into a bare Blender and bake with it."""
    python = bare_env(blender)
    path = zips.get(this_platform())
    if path is None:
        raise DevError(f"There is no zip for this machine ({this_platform()}).")
    if run([python, ROOT / "tools" / "check_installed_zip.py", path]) != 0:
        raise DevError(f"The installed zip failed on Blender {blender.version}.")


def build_zips(blender: Blender) -> dict[str, Path]:
    """Build and validate the extension for every platform."""
    zips = extension.build(bare_env(blender))
    for path in zips.values():
        print(f"built {path.relative_to(ROOT)} ({path.stat().st_size / 1e6:.0f} MB)")
    return zips


def window_tests() -> None:
    """Test Heft in a real window where a virtual screen and a Blender are found; times are not judged."""
    try:
        require_screen()
        find_blender()
    except Missing as missing:
        raise Skipped(str(missing)) from None
    status = run([sys.executable, "-m", "tests.gui.run", "--no-timing"])
    if status == WINDOW_SKIPPED:
        raise Skipped("its own words are above")
    if status != 0:
        raise DevError("The tests in a window failed.")


def this_platform() -> str:
    """Return Blender's name of this machine's platform."""
    system = {"Linux": "linux", "Windows": "windows", "Darwin": "macos"}.get(platform.system(), "unknown")
    machine = platform.machine().lower()
    return f"{system}-{ {'x86_64': 'x64', 'amd64': 'x64', 'aarch64': 'arm64'}.get(machine, machine) }"


def _run_tests(command: Command) -> int:
    # Hypothesis would write its examples into the repository.
    return run(command, extra={"HYPOTHESIS_STORAGE_DIRECTORY": str(WORK / "hypothesis")})


def _require_passed(status: int, what: str) -> None:
    # Status 5 is "nothing collected": a suite that vanished is a failure too.
    if status != 0:
        raise DevError(f"The {what} " + (f"ended by signal {-status}." if status < 0 else "failed."))


def _mypy(command: Command, folder: Path) -> int:
    # Silent: each part is judged by its own run, not where another part imports it. Other options make a
    # cache worthless, so each run has its own.
    cache = WORK / "mypy_cache" / folder.name
    options: Command = ["--follow-imports", "silent", "--cache-dir", cache]
    # Tests import the extension by the name that it has in Blender, which only the staged copy has.
    answer = capture([*command, *options], cwd=folder, extra={"MYPYPATH": str(WORK / "stage")})
    staged = str(Path("heft") / "_")[:-1]
    print("\n".join(line.removeprefix(staged) for line in answer.stdout.strip().splitlines()))
    return answer.returncode
