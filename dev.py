"""One command for developers: `dev.py demo | test | lint | types | docs | build | bench | gui | heft`.

Needs Python 3.11 or 3.13 and nothing else: it makes its own environments in `.dev/` from the lock files in
`requirements/`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tools.dev import checks
from tools.dev.environments import BLENDERS, Blender, bare_env, blender_env, core_env, docs_env, lint_env
from tools.dev.interpreters import find_interpreter
from tools.dev.python_package import check_package
from tools.dev.shell import ROOT, Command, DevError, run

STEPS = ("lint", "types", "docs", "core", "wheel", "blender", "zip", "gui")
BLENDER_BENCHES = {
    "characters": None,
    "faults": None,
    "long": None,
    "overlay": "5.2",
    "start": None,
    "window": None,
}
"""Benchmarks that need bpy, and which Blender: before 5.2 the module cannot draw without a window."""


def primary() -> Blender:
    """Return the Blender for the Python that runs this, or else the first one that has an interpreter."""
    own = "{}.{}".format(*sys.version_info[:2])
    ordered = sorted(BLENDERS, key=lambda blender: blender.python != own)
    for blender in ordered:
        if find_interpreter(blender.python):
            return blender
    raise DevError("Heft needs Python 3.11 or 3.13 with venv; neither was found, install one and try again.")


class Summary:
    """Steps that were run, how they ended and how long they took."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.failed = False

    def step(self, name: str, action: Callable[[], object]) -> object | None:
        """Run one step; a failure or a step that cannot run here is noted, and the next steps still run."""
        print(f"\n=== {name}", flush=True)
        start = time.monotonic()
        try:
            result = action()
        except checks.Skipped as reason:
            self.skip(name, str(reason))
            return None
        except DevError as error:
            print(error, flush=True)
            self.failed = True
            self._note("FAILED", name, f"{time.monotonic() - start:.0f} s, {str(error).splitlines()[0]}")
            return None
        self._note("ok", name, f"{time.monotonic() - start:.0f} s")
        return result

    def skip(self, name: str, reason: str) -> None:
        """Note a step that did not run, and why."""
        self._note("skipped", name, reason)

    def _note(self, outcome: str, name: str, detail: str) -> None:
        self.lines.append(f"{outcome:8} {name} ({detail})")

    def show(self) -> int:
        """Print everything once; return the exit status."""
        print("\n=== summary\n" + "\n".join(self.lines), flush=True)
        return 1 if self.failed else 0


def blenders_to_test(summary: Summary) -> list[Blender]:
    """Return the primary Blender, and each other one that is available here."""
    first = primary()
    usable = [first]
    bare_env(first)
    for other in BLENDERS:
        if other == first:
            continue
        if find_interpreter(other.python) is None:
            summary.skip(f"Blender {other.version}", f"no Python {other.python} here")
            continue
        try:
            blender_env(other)
        except DevError as error:
            summary.skip(f"Blender {other.version}", str(error).splitlines()[0])
            continue
        usable.append(other)
    return usable


def test(steps: list[str]) -> int:
    """Run all checks and tests, or only the named steps."""
    summary = Summary()
    wanted = steps or list(STEPS)
    first = primary()
    if "lint" in wanted:
        summary.step("lint", lambda: checks.lint(lint_env(first.python)))
    if "types" in wanted:
        summary.step("types", lambda: checks.types(lint_env(first.python)))
    if "docs" in wanted:
        summary.step("manual", lambda: checks.docs(docs_env(first.python)))
    if "core" in wanted:
        name = f"core tests, Python {first.python}, no bpy"
        summary.step(name, lambda: checks.core_tests(core_env(first.python)))
    if "wheel" in wanted:
        summary.step("Python package", lambda: check_package(core_env(first.python), first.python))
    if "blender" in wanted or "zip" in wanted:
        test_on_blender(summary, wanted)
    if "gui" in wanted:
        summary.step("tests in a window", checks.window_tests)
    return summary.show()


def test_on_blender(summary: Summary, wanted: list[str]) -> None:
    """Run the Blender suite, then check the zip, on every Blender that is available."""
    blenders = blenders_to_test(summary)
    if "blender" in wanted:
        for blender in blenders:
            summary.step(f"Blender {blender.version} tests", partial(checks.blender_tests, blender))
    if "zip" in wanted:
        zips = summary.step("extension zips", lambda: checks.build_zips(blenders[0]))
        for blender in blenders:
            name = f"installed zip, Blender {blender.version}"
            if isinstance(zips, dict):
                summary.step(name, partial(checks.installed_zip, blender, zips))
            else:
                summary.skip(name, "no zip")


def lint_command() -> int:
    """Check the style."""
    checks.lint(lint_env(primary().python))
    return 0


def types_command() -> int:
    """Check the types."""
    checks.types(lint_env(primary().python))
    return 0


def docs_command() -> int:
    """Build the manual in `build/docs`."""
    print(checks.docs(docs_env(primary().python)).relative_to(ROOT))
    return 0


def build_command() -> int:
    """Build the extension zips in `dist/`."""
    checks.build_zips(primary())
    return 0


def bench_env(name: str) -> Path:
    """Return the interpreter that a benchmark runs in."""
    if name not in BLENDER_BENCHES:
        return core_env(primary().python)
    asked = [blender for blender in BLENDERS if blender.version == BLENDER_BENCHES[name]]
    return blender_env(asked[0] if asked else primary())


def bench(arguments: list[str]) -> int:
    """Run the benchmark `bench/<name>`; without a name, list the benchmarks."""
    names = sorted(path.parent.name for path in (ROOT / "bench").glob("*/__main__.py"))
    if not arguments or arguments[0] not in names:
        raise DevError(f"Name a benchmark; there is {', '.join(names) or 'none yet'}.")
    return run([bench_env(arguments[0]), "-m", f"bench.{arguments[0]}", *arguments[1:]])


def heft(arguments: list[str]) -> int:
    """Run the command line, with paths relative to the user's folder."""
    command: Command = [core_env(primary().python), "-m", "sim_core", *arguments]
    return run(command, cwd=Path.cwd(), extra={"PYTHONPATH": str(ROOT)})


def parse(argv: list[str]) -> argparse.Namespace:
    """Return the command and its arguments."""
    parser = argparse.ArgumentParser(prog="dev.py", description=__doc__.splitlines()[0] if __doc__ else None)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("demo", help="bake the demo in Blender", add_help=False)
    tests = commands.add_parser("test", help="lint, types, tests, zips")
    tests.add_argument("steps", nargs="*", metavar="STEP", help=f"only these: {' '.join(STEPS)}")
    commands.add_parser("lint", help="style of code and prose")
    commands.add_parser("types", help="mypy")
    commands.add_parser("docs", help="the manual, in build/docs")
    commands.add_parser("build", help="the extension zips, in dist/")
    commands.add_parser("bench", help="a benchmark by name", add_help=False)
    commands.add_parser("gui", help="tests in a real window", add_help=False)
    commands.add_parser("heft", help="the heft command line", add_help=False)
    options, rest = parser.parse_known_args(argv)
    if rest and options.command not in ("demo", "bench", "gui", "heft"):
        parser.error(f"unknown arguments: {' '.join(rest)}")
    options.rest = argv[argv.index(options.command) + 1 :]
    if options.command == "test" and (unknown := set(options.steps) - set(STEPS)):
        parser.error(f"unknown step {', '.join(sorted(unknown))}; there are {', '.join(STEPS)}")
    return options


def main(argv: list[str]) -> int:
    """Run one command; return its exit status."""
    options = parse(argv)
    commands: dict[str, Callable[[], int]] = {
        "demo": lambda: run([blender_env(primary()), "-m", "tools.demo.run", *options.rest]),
        "test": lambda: test(options.steps),
        "lint": lint_command,
        "types": types_command,
        "docs": docs_command,
        "build": build_command,
        "bench": lambda: bench(options.rest),
        "gui": lambda: run([sys.executable, "-m", "tests.gui.run", *options.rest]),
        "heft": lambda: heft(options.rest),
    }
    try:
        return commands[options.command]()
    except DevError as error:
        print(f"dev: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
