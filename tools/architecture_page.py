"""The packages of `sim_core` and `addon`: what each may import, what it is for, and what may not be in it.

`tests/core/test_layers.py` holds the code to this table. `python3 -m tools.architecture_page` draws it into
docs/architecture.md, and the same test fails when the page shows something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "architecture.md"
START, END = "<!-- packages of {}: begin -->", "<!-- packages of {}: end -->"
"""What is between these lines of the page is written by this module."""


@dataclass(frozen=True)
class Package:
    """One row of the table.

    imports: the packages that it may import; purpose: what it is for; excludes: what may not be in it
    """

    imports: str
    purpose: str
    excludes: str

    @property
    def imported(self) -> frozenset[str]:
        """The names of the packages that it may import."""
        return frozenset(self.imports.split())


PACKAGES: dict[str, Package] = {
    "base": Package(
        "",
        "conventions (axes, units, quaternions), errors, rotations, intervals, files, processes, progress",
        "anything about characters or motions",
    ),
    "motion": Package(
        "base",
        "skeletons and motions, their files (BVH, Acclaim, SMPL, OpenSim, GLB), the npz codec, smoothing",
        "bodies, forces, the engine",
    ),
    "scene": Package(
        "base",
        "what surrounds a character as the user describes it: objects, shapes, pushes, targets to strike",
        "compiled models; how a controller uses it",
    ),
    "recognition": Package(
        "base motion",
        "which bones of a rig are which parts of a body",
        "names of files or of single rigs in code",
    ),
    "keys": Package("base motion", "few keys with a stated largest error", "Blender's f-curves"),
    "result": Package(
        "base motion",
        "the result file and the one definition of every measure",
        "how a result is made or shown",
    ),
    "character": Package(
        "base motion recognition result",
        "from a rig to a physical body: sizes, masses, joints, poses in joint coordinates",
        "compiled models, sentences for the user",
    ),
    "world": Package(
        "base character scene",
        "the compiled engine model of characters, objects and ground",
        "stepping the engine; control",
    ),
    "drawing": Package(
        "base motion result",
        "stick figures as SVG, lines and faces for the 3D view",
        "Blender's GPU calls",
    ),
    "dynamics": Package(
        "base world", "kinematics, momentum and contact forces from the engine", "decisions about contacts"
    ),
    "reference": Package(
        "base dynamics result scene world",
        "the reference, which is the motion that is followed: contacts, ground, obstacles, dynamic filter",
        "control; simulation",
    ),
    "posefit": Package(
        "base character dynamics motion recognition",
        "poses that bring points of a body to positions: one solver for fitting and retargeting",
        "marker files, retargeting rules",
    ),
    "reading": Package(
        "base character motion recognition reference",
        "what a motion does not state: up axis, unit, rate, rest frames, rest pose, physical size",
        "files of one program in code; control",
    ),
    "markers": Package(
        "base character motion posefit recognition",
        "marker files, marker sets, calibration and fit",
        "force analysis",
    ),
    "sequence": Package(
        "base character motion recognition reference result",
        "several motions as one, and cycles",
        "simulation",
    ),
    "hopper": Package(
        "base character motion posefit recognition",
        "abstract models: a spring-loaded pendulum, Raibert's hopper, a pendulum that stands",
        "simulation of the character",
    ),
    "actions": Package(
        "base character motion recognition sequence",
        "the action graph: links between clips, steering by commands, routes along curves",
        "simulation",
    ),
    "retarget": Package(
        "base character motion posefit reading recognition reference result scene world",
        "the motion of one body on another",
        "simulation of the outcome (that is a bake)",
    ),
    "stream": Package(
        "base character motion",
        "streams of a performer's pose over the network: protocols, timing, the pose on a rig, a sender",
        "how a character follows one",
    ),
    "scenario": Package(
        "base character markers motion reading recognition result scene world",
        "the scenario, which is what is simulated: jobs, settings, dials, characters at physical size",
        "attempts, controllers",
    ),
    "supports": Package(
        "base character dynamics motion recognition reference scenario scene world",
        "what a motion was captured on, found from the motion alone: steps, seats, the floor",
        "simulation; how a motion is carried on what was found",
    ),
    "simulation": Package(
        "base character recognition reference scenario scene world",
        "the engine advanced in time: controllers in, traces out",
        "how a controller decides",
    ),
    "aiming": Package(
        "base character dynamics motion recognition reference result scenario scene sequence world",
        "strikes that meet a target at a time and a speed",
        "the loop that simulates again",
    ),
    "analysis": Package(
        "base character dynamics markers motion recognition reference result scenario world",
        "the forces behind a motion, force plates, body mass",
        "the report's wording",
    ),
    "sources": Package(
        "analysis base markers motion reading recognition scenario scene sequence stream",
        "motions from files of any kind, and what the command line and scripts make of them",
        "options of commands; simulation",
    ),
    "control": Package(
        "base character dynamics reference result scenario simulation world",
        "the tracking QP, balance methods, hit reactions",
        "the engine's own state; files",
    ),
    "report": Package(
        "analysis base character drawing motion recognition reference result scenario simulation world",
        "the plausibility report: measures, problems, score, page",
        "changes to a motion",
    ),
    "search": Package(
        "base character reference simulation world",
        "controls for motions that the tracking controller cannot carry out",
        "when to search; how the outcome is judged (that is a bake)",
    ),
    "getup": Package(
        "base character dynamics recognition reference simulation world",
        "the plan of getting up after a fall: when a body rests, guides, where its motion can go on",
        "how the plan is carried out (that is a bake)",
    ),
    "bake": Package(
        "aiming base character control dynamics getup motion recognition reference report result scenario "
        "scene search sequence simulation supports world",
        "the pipeline from jobs to results",
        "command lines, Blender, a second pipeline",
    ),
    "live": Package(
        "bake base character control motion reference report result scenario scene sequence simulation world",
        "a simulation that one plays with: segments, commands and their log, takes",
        "another pipeline than the bake's; windows",
    ),
    "steering": Package(
        "actions bake base live motion scenario sequence",
        "a live run that is steered through an action graph",
        "how a graph is made; windows",
    ),
    "following": Package(
        "bake base character dynamics live motion reading reference result scenario sources stream world",
        "a character that follows a performer: windows of the stream, prepared while they are simulated",
        "sockets and protocols",
    ),
    "doctor": Package(
        "bake base control markers motion scenario",
        "checks of an installation",
        "repairs of the user's files",
    ),
    "jobs": Package(
        "actions bake base doctor following hopper live markers motion posefit reading recognition report "
        "result retarget scenario scene steering stream supports",
        "every kind of job that the worker does, and its files",
        "the work itself",
    ),
    "cli": Package(
        "actions aiming analysis bake base character doctor drawing following hopper jobs live markers "
        "motion reading recognition report result retarget scenario scene sequence sources steering "
        "stream supports",
        "the `heft` command and batches",
        "anything that another entry point needs too",
    ),
}

ADDON_PACKAGES: dict[str, Package] = {
    "blender": Package(
        "",
        "Blender's data as arrays and typed objects, and the differences between its versions",
        "simulations, panels",
    ),
    "presets": Package("blender", "files that the user saves, the dials and their presets", "motions"),
    "reading": Package(
        "blender presets",
        "what a job needs from the scene: rig, motion, sequence, parts, surroundings, strikes",
        "changes to the file",
    ),
    "jobs": Package(
        "blender presets reading",
        "jobs in a child process: runner, session, queue, progress",
        "what a single kind of job reads or writes",
    ),
    "writing": Package(
        "blender reading",
        "new actions: poses, few keys, control rigs, props",
        "child processes",
    ),
    "overlay": Package("blender jobs reading", "what the 3D view shows of a bake", "panels"),
    "report": Package(
        "blender jobs", "the report on the object, as markers, curves and page", "bakes"
    ),
    "bake": Package(
        "blender jobs overlay presets reading report writing",
        "the bake from options to new actions, and the comparison with its source",
        "command lines, operators",
    ),
    "live": Package(
        "bake blender jobs overlay reading",
        "playing with a simulated character in the 3D view by mouse and keys, and its takes",
        "operators and what they report; keys of the user's actions",
    ),
    "markers": Package(
        "bake blender jobs presets reading writing",
        "marker takes, the fit, control markers, motion files",
        "retargeting",
    ),
    "retarget": Package(
        "bake blender jobs markers reading writing",
        "motions retargeted from other characters or from markers",
        "command lines",
    ),
    "cli": Package(
        "bake blender jobs presets reading retarget", "`blender --command heft`", "what a window needs too"
    ),
}
LAYERS = {"sim_core": PACKAGES, "addon": ADDON_PACKAGES}


def levels(packages: dict[str, Package]) -> list[list[str]]:
    """Return the packages by level: each imports only from levels before its own."""
    level: dict[str, int] = {}

    def find(name: str) -> int:
        if name not in level:
            level[name] = 1 + max((find(other) for other in packages[name].imported), default=-1)
        return level[name]

    found: list[list[str]] = [[] for _ in range(1 + max(map(find, packages)))]
    for name in packages:
        found[level[name]].append(name)
    return found


def render(layer: str) -> str:
    """Return the picture and the table of a layer on the page."""
    packages = LAYERS[layer]
    rows = [(number, "   ".join(names)) for number, names in enumerate(levels(packages), 1)]
    picture = [f"{number:3}   {names}" for number, names in reversed(rows)]
    table = [
        f"| `{name}` | {own.purpose} | {own.excludes} | {', '.join(sorted(own.imported)) or 'nothing'} |"
        for name, own in packages.items()
    ]
    head = ["| package | what it is for | what may not be in it | imports |", "|---|---|---|---|"]
    return "\n".join(
        [START.format(layer), "", "```text", *picture, "```", "", *head, *table, "", END.format(layer)]
    )


def main() -> None:
    """Write the pictures and the tables into the page."""
    text = PAGE.read_text("utf-8")
    for layer in LAYERS:
        before, rest = text.split(START.format(layer))
        text = before + render(layer) + rest.split(END.format(layer))[1]
    PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
