"""Tests of Heft in a real Blender window on a virtual screen: `python3 dev.py gui [--setup] [--pictures]`.

This side finds Blender, installs the zip, takes the pictures and prints what `in_blender.py`, which runs
inside Blender, writes into the folder both share. Exit status: 0 passed, 1 failed, 77 skipped.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tools.dev.shell import ROOT, DevError, clean_environment

from .extension_zip import zip_for
from .find_blender import GUI, BlenderProgram, Missing, find_blender, set_up_debian_root
from .screen import HEIGHT, WIDTH, Screen, require_screen
from .tutorial_page import write_quotations

SHARED = GUI / "run"
PICTURES = GUI / "pictures"
CLIP_LIST = ROOT / "bench" / "library" / "shared.csv"
CAPTURE = ROOT.parent / "shared" / "data" / "bvh" / "cmu" / "02_05.bvh"
"""The boxer of the tutorial."""
IMAGES = ROOT / "docs" / "images"
WINDOW_IMAGES = {"live_pull.png": "1020x898+2+80"}
"""Pictures of the window that the manual shows, and which part: width, height, left and top [pixels]."""
INSIDE = ROOT / "tests" / "gui" / "in_blender.py"
SKIPPED = 77
TIMEOUT_S = 900.0
PATIENCE = 5.0
"""By which all waits are longer where times do not count."""
COMPLAINTS = ("Traceback", "Policy violation", "unable to get Python class")


class Results:
    """What the tests said so far."""

    def __init__(self, log: Path) -> None:
        self._log, self._read = log, 0
        self.passed = self.failed = 0
        self.ended = False

    def add(self, outcome: str, text: str) -> None:
        """Count and print one line."""
        self.passed += outcome == "PASS"
        self.failed += outcome == "FAIL"
        print(f"{outcome:4} {text}", flush=True)

    def check(self, text: str, problems: list[str]) -> None:
        """Pass when there is no problem."""
        self.add("FAIL" if problems else "PASS", ": ".join([text, *problems]))

    def read_new(self) -> None:
        """Take over what the inside wrote since the last call."""
        lines = self._log.read_text("utf-8").splitlines() if self._log.exists() else []
        for line in lines[self._read :]:
            entry = json.loads(line)
            if entry["outcome"] == "END":
                self.ended = True
            else:
                self.add(entry["outcome"], entry["text"])
        self._read = len(lines)


def environment(display: str) -> dict[str, str]:
    """A Blender that has no user, no network and no graphics card."""
    folders = {"BLENDER_USER_RESOURCES": "user", "HOME": "home", "TMPDIR": "temporary"}
    for name in folders.values():
        (SHARED / name).mkdir(parents=True, exist_ok=True)
    own = {variable: str(SHARED / name) for variable, name in folders.items()}
    return {**clean_environment(), **own, "DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1"}


def install(
    blender_program: BlenderProgram, zip_path: Path, variables: dict[str, str], results: Results
) -> bool:
    """Install and enable the zip as Blender's command line does it."""
    words = ("extension", "install-file", "-r", "user_default", "-e", zip_path)
    answer = subprocess.run(
        blender_program.command("--offline-mode", "--command", *words),
        env=variables,
        capture_output=True,
        text=True,
    )
    said = (answer.stdout + answer.stderr).strip()
    good = answer.returncode == 0 and not any(word in said for word in COMPLAINTS)
    results.check(f"{zip_path.name} installs", [] if good else [said])
    return good


def start(
    blender_program: BlenderProgram, variables: dict[str, str], script: Path, output: Path
) -> subprocess.Popen[bytes]:
    """Blender with a window that fills the screen, and a script inside."""
    window = ("--window-geometry", "0", "0", str(WIDTH), str(HEIGHT), "--no-window-focus")
    command = blender_program.command(
        "--offline-mode", "--enable-event-simulate", *window, "--python", script, "--", SHARED
    )
    with output.open("wb") as file:
        return subprocess.Popen(command, env=variables, stdout=file, stderr=file)


def watch(blender: subprocess.Popen[bytes], screen: Screen, results: Results, limit_s: float) -> None:
    """Serve pictures and print results until the tests end, Blender ends, or time is up."""
    end = time.monotonic() + limit_s
    while not results.ended and blender.poll() is None and time.monotonic() < end:
        for wanted in SHARED.glob("*.wanted"):
            screen.picture(PICTURES / f"{wanted.stem}.png", json.loads(wanted.read_text("utf-8")))
            wanted.rename(wanted.with_suffix(".taken"))
        results.read_new()
        time.sleep(0.05)
    results.read_new()


def stop(blender: subprocess.Popen[bytes]) -> None:
    """Wait for Blender to quit by itself, then make it."""
    try:
        blender.wait(10)
    except subprocess.TimeoutExpired:
        blender.kill()
        blender.wait()


def test(blender_program: BlenderProgram, zip_path: Path, screen: Screen, asked: dict[str, Any]) -> Results:
    """Everything, from installing to disabling; asked: what `window.OPTIONS` is inside."""
    for folder in (SHARED, PICTURES):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    # Blender may run in a root of its own, which sees nothing but the project.
    walks = [str(shutil.copy(path, SHARED)) for path in asked["walks"]]
    capture = str(shutil.copy(CAPTURE, SHARED)) if CAPTURE.is_file() else None
    (SHARED / "options.json").write_text(json.dumps(asked | {"walks": walks, "capture": capture}), "utf-8")
    results, output = Results(SHARED / "log.jsonl"), SHARED / "blender.log"
    variables = environment(screen.display)
    if not install(blender_program, zip_path, variables, results):
        return results
    blender = start(blender_program, variables, INSIDE, output)
    try:
        watch(blender, screen, results, asked["patience"] * TIMEOUT_S)
    finally:
        stop(blender)
    if not results.ended:
        results.add("FAIL", "Blender ended or hung before the last test")
    said = output.read_text("utf-8", "replace")
    results.check("Blender's log has no complaint", [word for word in COMPLAINTS if word in said])
    left = [path.name for path in (SHARED / "temporary").glob("**/heft_*")]
    results.check("no temporary file is left", left)
    return results


def shared_walks() -> list[Path]:
    """Paths of the walks in the benchmarks' list that are on this machine."""
    with CLIP_LIST.open(encoding="utf-8") as file:
        paths = [CLIP_LIST.parent / row["file"] for row in csv.DictReader(file) if row["group"] == "walk"]
    return [path.resolve() for path in paths if path.is_file()]


def renew_images(results: Results) -> None:
    """Take over the pictures of the manual; those that were not taken are a failure."""
    taken = {image.name for image in PICTURES.glob("panel_*.png")}
    wanted = {image.name for image in IMAGES.glob("panel_*.png")}
    missing = sorted(wanted - taken) + [name for name in WINDOW_IMAGES if not (PICTURES / name).is_file()]
    results.check("the manual's pictures of panels and of the window were taken", missing)
    if results.failed:
        return
    for name in sorted(taken):
        shutil.copy(PICTURES / name, IMAGES / name)
    for name, part in WINDOW_IMAGES.items():
        shutil.copy(PICTURES / name, IMAGES / name)
        smaller = ["-crop", part, "+repage", "-resize", "75%", "+dither", "-colors", "128"]
        subprocess.run(["mogrify", *smaller, str(IMAGES / name)], check=True)


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="dev.py gui", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--setup", action="store_true", help="first put a Blender into .dev/gui/root")
    parser.add_argument("--pictures", action="store_true", help="take the manual's pictures of panels anew")
    parser.add_argument("--no-timing", action="store_true", help="slow steps are reported and do not fail")
    parser.add_argument("--all-walks", action="store_true", help="import all shared walks, not only one")
    parser.add_argument("--tutorial", action="store_true", help="write what Heft says into docs/tutorial.md")
    parser.add_argument(
        "--only",
        default="",
        metavar="WORDS",
        help="only tests in whose name this regular expression is found",
    )
    options = parser.parse_args()
    try:
        require_screen()
        if options.setup:
            set_up_debian_root()
        blender_program = find_blender()
        zip_path = zip_for(blender_program.python_version())
        patience = PATIENCE if options.no_timing else 1.0
        asked = {
            "timing": not options.no_timing,
            "patience": patience,
            "pictures": options.pictures,
            "only": options.only,
            "walks": [str(path) for path in shared_walks()[: None if options.all_walks else 1]],
        }
        with Screen() as screen:
            results = test(blender_program, zip_path, screen, asked)
    except Missing as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    except DevError as error:
        print(f"gui: {error}")
        return 1
    if options.pictures:
        renew_images(results)
    if options.tutorial:
        write_quotations(**json.loads((SHARED / "tutorial.json").read_text("utf-8")))
    print(f"{results.passed} passed, {results.failed} failed; pictures in {PICTURES.relative_to(ROOT)}")
    return 1 if results.failed else 0


if __name__ == "__main__":
    sys.exit(main())
