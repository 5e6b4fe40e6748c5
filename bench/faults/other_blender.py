"""A Blender that kills itself at a moment of a job, with unsaved work: the other one of `process_faults`.

`python -m bench.faults.other_blender WORK FILE.blend PHASE SHARE` prints the number of its child process.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path
from random import Random

import bpy

from tests.blender.user_edits import change_a_key

from .trial import Trial
from .trials import drive
from .works import WORKS


def main(work: str, scene: Path, phase: str, share: float) -> None:
    """Open the file, press the button, go to the moment, and end as a crash does."""
    sys.modules["heft"].register()
    with tempfile.TemporaryDirectory(prefix="other_") as folder:
        trial = Trial(WORKS[work], scene, Path(folder), Random(0))
        button = WORKS[work].press(Path(folder))
        trial.begin(button)
        bpy.data.scenes.new("Unsaved")
        drive(trial.go_to(phase, share), button, trial.defects)
        runner = trial.button.session._runner
        if trial.obj.type == "ARMATURE":
            change_a_key(trial.obj)
        print(0 if runner is None else runner.process_id, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
