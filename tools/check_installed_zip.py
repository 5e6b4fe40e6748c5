"""Install the built zip into an empty Blender, bake with it, disable it, and look for leftovers.

Run by `dev.py test` with the interpreter of an environment that holds bpy and no engine:
`python tools/check_installed_zip.py dist/heft-1.0.0-linux_x64.zip`. Each step is its own process: the first
one installs, every other one is the next start of Blender.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
FORBIDDEN_WORDS = ("Policy violation", "Traceback (most recent call last)")
TIMEOUT_S = 300


def run_step(name: str, arguments: list[str], environment: dict[str, str]) -> str | None:
    """Run one step; return what was wrong, or None."""
    try:
        answer = subprocess.run(
            [sys.executable, "-m", f"installed_zip.{name}", *arguments],
            cwd=TOOLS,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return f"it took longer than {TIMEOUT_S} s"
    print(answer.stdout, end="", flush=True)
    if answer.returncode != 0:
        return f"exit status {answer.returncode}"
    said = [word for word in FORBIDDEN_WORDS if word in answer.stdout]
    return f"the output says {said[0]!r}" if said else None


def main(zip_path: Path) -> int:
    """Run all steps in a temporary user folder."""
    with tempfile.TemporaryDirectory(prefix="heft-zip-") as scratch:
        user, temporary, work = (Path(scratch) / name for name in ("user", "temporary", "work"))
        for folder in (user, temporary, work):
            folder.mkdir()
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        environment["BLENDER_USER_RESOURCES"] = str(user)
        environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
        steps = [("install", [str(zip_path.resolve()), str(work)]), ("use", [str(work)])]
        for step, arguments in [*steps, *(("beside", [form]) for form in ("install", "use", "broken"))]:
            problem = run_step(step, arguments, environment)
            if problem is not None:
                print(f"The step {step!r} failed: {problem}.")
                return 1
        left = sorted(path.name for path in temporary.iterdir())
        if left:
            print(f"Temporary files were left behind: {', '.join(left)}.")
            return 1
    print(f"{zip_path.name}: installed, baked, lived beside another extension, nothing left behind.")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
