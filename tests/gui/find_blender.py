"""Which Blender to test on, and how to start it: one of this machine, or one inside a Debian root."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tools.dev.shell import ROOT, WORK, clean_environment

GUI = WORK / "gui"
DEBIAN_ROOT = GUI / "root"
VARIABLE = "HEFT_BLENDER"
PACKAGES = (
    *("blender", "libgl1-mesa-dri", "libegl1", "libgl1"),
    # Blender's own scripts use these, and Debian only recommends them.
    *("python3-numpy", "python3-requests", "python3-zstandard", "python3-cattr"),
)


class Missing(Exception):
    """Something these tests need is not here; the message says what in one sentence."""


@dataclass(frozen=True)
class BlenderProgram:
    """A Blender; with a `root`, the program is inside that folder's Debian."""

    program: str
    root: Path | None = None

    def command(self, *arguments: str | Path) -> list[str]:
        """The command line that starts it, with paths as they are outside."""
        inner = [self.program, *(str(argument) for argument in arguments)]
        return inner if self.root is None else entered(self.root, inner)

    def python_version(self) -> str:
        """Of the Python inside, as "3.13"."""
        ask = "import sys; print('HEFT-PYTHON', '%d.%d' % sys.version_info[:2])"
        command = self.command("--background", "--factory-startup", "--python-expr", ask)
        answer = subprocess.run(command, env=clean_environment(), capture_output=True, text=True)
        for line in answer.stdout.splitlines():
            if line.startswith("HEFT-PYTHON "):
                return line.split()[1]
        last = (answer.stderr.strip() or answer.stdout.strip() or "nothing").splitlines()[-1]
        raise Missing(f"The Blender '{self.program}' does not start; it said: {last}")


def find_blender() -> BlenderProgram:
    """The one that the environment names, else one on PATH, else the prepared root."""
    named = os.environ.get(VARIABLE)
    if named:
        if not os.access(named, os.X_OK):
            raise Missing(f"{VARIABLE} is '{named}', which is not a program; set it to a Blender.")
        return BlenderProgram(named)
    on_path = shutil.which("blender")
    if on_path:
        return BlenderProgram(on_path)
    if (DEBIAN_ROOT / "usr" / "bin" / "blender").exists():
        _require_root_rights("The Blender under .dev/gui/root can only be entered by root")
        return BlenderProgram("/usr/bin/blender", DEBIAN_ROOT.resolve())
    raise Missing(
        f"No Blender was found: set {VARIABLE}, put `blender` on PATH, "
        "or run `python3 dev.py gui --setup` as root on Debian or Ubuntu."
    )


def entered(root: Path, command: list[str]) -> list[str]:
    """A command that runs inside `root`, where this repository and /tmp have the same paths as outside.

    The mounts live in a name space of their own, so they end with the command, however it ends.
    """
    shared = ["/proc", "/dev", "/tmp", str(ROOT)]
    each = 'mkdir -p "$root$1"; mount --rbind "$1" "$root$1"; shift'
    mounts = f'root=$1; shift; while [ "$1" != -- ]; do {each}; done'
    script = f'set -e; {mounts}; shift; exec chroot "$root" "$@"'
    inside = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", str(root)]
    return [*inside, *shared, "--", *command]


def set_up_debian_root() -> None:
    """Put Debian's newest Blender into `.dev/gui/root` (about 2 minutes and 1.2 GB)."""
    if (DEBIAN_ROOT / "usr" / "bin" / "blender").exists():
        print("gui: .dev/gui/root is there already; delete it to set it up again.")
        return
    if platform.system() != "Linux":
        raise Missing(f"The setup needs Linux; set {VARIABLE} to a Blender instead.")
    _require_root_rights("The setup makes a Debian root")
    if shutil.which("debootstrap") is None:
        raise Missing("The setup needs debootstrap: install it with `apt-get install debootstrap`.")
    unfinished = GUI / "root.part"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    install = ["apt-get", "install", "-y", "--no-install-recommends", *PACKAGES]
    _checked(["debootstrap", "--variant=minbase", "sid", str(unfinished)])
    _checked(entered(unfinished, ["env", "DEBIAN_FRONTEND=noninteractive", *install]))
    unfinished.rename(DEBIAN_ROOT)


def _require_root_rights(why: str) -> None:
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        raise Missing(f"{why}; run it as root, or set {VARIABLE} to a Blender.")
    if shutil.which("unshare") is None:
        raise Missing("The program unshare is missing: install util-linux.")


def _checked(command: list[str]) -> None:
    log = GUI / "setup.log"
    with log.open("ab") as output:
        status = subprocess.run(command, stdout=output, stderr=output, env=clean_environment()).returncode
    if status != 0:
        raise Missing(f"The setup failed at `{command[0]}`; its words are in {log.relative_to(ROOT)}.")
