"""Pictures of motions that are made for a body: hops, a performer who is followed, and a walk along a curve.

All at 0 N; hops and the performer are the project's own, the walk is made of the captures of bench/steering.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

from sim_core import api
from sim_core.actions.along import walk_along
from sim_core.actions.curve import Curve
from sim_core.actions.graph_file import ActionEntry, ActionList
from sim_core.bake.monitor import Monitor
from sim_core.bake.pipeline import bake
from sim_core.base.conventions import FloatArray
from sim_core.cli.graph_source import graph_of
from sim_core.drawing.svg import RESULT
from sim_core.following.choices import FILE
from sim_core.following.perform import Performer, perform
from sim_core.following.stream_choice import StreamChoice
from sim_core.hopper.dials import HopDials
from sim_core.jobs.hop_job import HopJob, make_hops
from sim_core.live.commands import CommandLog
from sim_core.live.repeated import live_setup
from sim_core.motion.motion import CONTROL_DT
from sim_core.reading.bvh_clip import ReadingChoices
from sim_core.recognition import recognise
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from tools.demo.body import Body
from tools.demo.motions import make

from ..common.clips import clip_of
from ..steering.plan import CLIPS
from ..steering.trials import curve_of
from .canvas import LABEL_M, SOURCE_BEHIND, Canvas, few_colours
from .front import PHYSICAL

HOPS, HOPPING_S = HopDials(height=0.15, speed=0.0, seconds=6.0), (1.0, 3.4)
"""What is hopped, and the part that is shown [s]."""
PERFORMED_S = 6.0
"""More than the performed walk and its delay last [s]."""
CURVE = "S"
MARGIN_M, SCALE = 0.5, 110.0
"""Around what is seen from above [m], and pixels a metre."""
SOLE_M, PATH_M = 0.09, 0.035
"""Width of a mark where a foot presses, and of a path [m]."""
CARRIES = 0.25
"""Share of the weight from which a contact leaves a mark."""


def hopping() -> Result:
    """Return hops of the mannequin, which follows the abstract hopper."""
    stand = make("standing", Body())
    job = Job(stand, recognise(stand.skeleton), PHYSICAL)
    made = make_hops(HopJob(job, HOPS))
    return bake(Job(made.motion, job.mapping, PHYSICAL))


class _Steps:
    """A clock without a machine: time passes only while the run waits."""

    def __init__(self) -> None:
        self._now_s = 0.0

    def now_s(self) -> float:
        """Return the time [s]."""
        return self._now_s

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self._now_s += seconds


def followed() -> Result:
    """Return a walk of the mannequin that is followed as if its performer sent it."""
    walk = make("walk", Body())
    with TemporaryDirectory() as folder:
        file = Path(folder) / "walk.bvh"
        api.write_bvh(walk, file)
        choice = StreamChoice(FILE, file=str(file))
        setup = live_setup(Job(walk, recognise(walk.skeleton), PHYSICAL))
        log = CommandLog(round(PERFORMED_S / CONTROL_DT))
        return perform(Performer(setup, choice.listen(), choice.mode, _Steps()), log, Monitor(_silent)).result


def _silent(_: object) -> None:
    """Progress is not shown."""


def along_curve() -> Result:
    """Return a walk along the curve of the benchmark of steering."""
    entries = tuple(ActionEntry(str(clip_of(clip).file), clip) for clip in CLIPS)
    graph = graph_of(ActionList(entries), Path(), ReadingChoices()).graph
    walk = walk_along(graph, curve_of(CURVE))
    return bake(Job(walk.motion, graph.mapping, PHYSICAL))


def from_above(result: Result) -> Image.Image:
    """Return the curve, the path of the hips and the prints of the feet, as seen from above."""
    curve: Curve = curve_of(CURVE)
    hips = result.joint_position[:, 0, :2]
    corners = np.vstack([curve.points, hips])
    left, low = corners.min(axis=0) - MARGIN_M
    right, high = corners.max(axis=0) + MARGIN_M
    canvas = Canvas(left, -high, right - left, high - low + 2.0 * LABEL_M, SCALE)
    canvas.path(_down(curve.points), SOURCE_BEHIND.dark, PATH_M)
    for print_of in _prints(result):
        canvas.spot(_down(print_of), RESULT.dark, SOLE_M)
    canvas.path(_down(hips), RESULT.plain, PATH_M)
    canvas.label(left + 0.2, -low, "the curve, the path of the hips, and where feet press", anchor="la")
    return few_colours(canvas.finished())


def _prints(result: Result) -> FloatArray:
    """Return where contacts carry a large share of the weight (N, 2) [m]."""
    weight = 9.81 * float(result.body_mass.sum())
    carries = result.contact_force[..., 2] > CARRIES * weight
    return result.contact_point[carries][:, :2]


def _down(points: FloatArray) -> FloatArray:
    """Return points of the ground as points of a page, whose y goes down."""
    return points * [1.0, -1.0]
