"""The smallest jobs and results that are valid, for tests of files and processes."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import numpy as np

from sim_core.motion.motion import Motion
from sim_core.motion.skeleton import Skeleton
from sim_core.recognition.mapping import REQUIRED_SLOTS, BoneMapping
from sim_core.result.meta import ResultMeta
from sim_core.result.metrics import Metrics, MotionMetrics
from sim_core.result.records import (
    BodyShape,
    BoxShape,
    CapsuleShape,
    CharacterFacts,
    GainCounts,
    Hit,
    StrikeOutcome,
    Versions,
)
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings


def legs_job(settings: BakeSettings | None = None) -> Job:
    """A pelvis with two legs that stands still for three frames; bone names with accents and spaces."""
    names = tuple(f"Größe {slot}" for slot in REQUIRED_SLOTS)
    parents = [-1, 0, 1, 2, 0, 4, 5]
    heads = [(0, 0, 0.9)] + [(x, y, z) for y in (0.1, -0.1) for x, z in ((0, 0.85), (0, 0.45), (0, 0.07))]
    rest = np.tile([1.0, 0.0, 0.0, 0.0], (7, 1))
    skeleton = Skeleton(names, np.array(parents), np.array(heads, dtype=float), rest)
    positions, quaternions = np.tile(heads, (3, 1, 1)), np.tile(rest, (3, 1, 1))
    motion = Motion(skeleton, np.array([0.0, 0.04, 0.08]), positions, quaternions)
    bones = {slot: (name,) for slot, name in zip(REQUIRED_SLOTS, names, strict=True)}
    return Job(motion, BoneMapping("test", bones, ("A note.",)), settings or BakeSettings())


def result_arrays(samples: int = 5) -> dict[str, Any]:
    """Arrays of a result with different sizes for every letter but B and J, so that mix-ups show."""
    rng = np.random.default_rng(0)
    bodies, joints, contacts, axes, frames, bones, feet, coordinates = 2, 2, 4, 6, 7, 8, 1, 10
    poses = {
        f"{prefix}joint_{kind}": rng.normal(size=(samples, joints, size))
        for prefix in ("", "reference_", "source_")
        for kind, size in (("position", 3), ("quaternion_world", 4))
    }
    return poses | {
        "time": np.arange(samples) * 0.01,
        "body_name": ["pelvis", "foot.L"],
        "body_mass": [10.0, 7.0],
        "body_com": rng.normal(size=(samples, bodies, 3)),
        "body_quaternion_world": rng.normal(size=(samples, bodies, 4)),
        "joint_name": ["hips", "Fuß"],
        "joint_parent": [-1, 0],
        "simulated": rng.uniform(size=samples),
        "assist": rng.normal(size=(samples, 6)),
        "contact_point": rng.normal(size=(samples, contacts, 3)),
        "contact_force": rng.normal(size=(samples, contacts, 3)),
        "contact_body": rng.integers(-1, bodies, size=(samples, contacts)),
        "contact_other": ["", "", "", "Bo"],
        "contact_other_body": ["", "", "", "hand.L"],
        "torque": rng.normal(size=(samples, axes)),
        "torque_limit": np.array([100.0] * (axes - 1) + [np.inf]),
        "torque_name": [f"{body}/{axis}" for body in ("foot.L", "pelvis") for axis in "xyz"],
        "torque_rate": rng.normal(size=(samples, axes)),
        "angular_momentum": rng.normal(size=(samples, 3)),
        "angular_momentum_rate": rng.normal(size=(samples, 3)),
        "energy": rng.normal(size=samples),
        "foot_name": ["foot.L"],
        "foot_slip": rng.uniform(size=(samples, feet)),
        "foot_depth": rng.uniform(size=(samples, feet)),
        "source_com": rng.normal(size=(samples, 3)),
        "source_foot_slip": rng.uniform(size=(samples, feet)),
        "source_foot_depth": rng.uniform(size=(samples, feet)),
        "source_foot_force": rng.normal(size=(samples, feet, 3)),
        "source_torque": rng.normal(size=(samples, axes)),
        "source_residual": rng.normal(size=(samples, 6)),
        "model_qpos": rng.normal(size=(samples, coordinates)),
        "engine_body": [1, 2],
        "control": rng.normal(size=(11, 12)),
        "gain": rng.uniform(size=(13, 12, 2)),
        "change_step": np.zeros(14),
        "change_field": np.zeros(14),
        "change_index": np.arange(14),
        "change_value": rng.normal(size=14),
        "source_time": np.arange(frames) * 0.04,
        "bone_name": [f"bone {i}" for i in range(bones)],
        "bone_position": rng.normal(size=(frames, bones, 3)),
        "bone_quaternion_world": rng.normal(size=(frames, bones, 4)),
        "bone_detached": np.arange(bones) == 0,
    }


def small_metrics(**changes: Any) -> Metrics:
    """Measures with an error of the joints of 1.5 deg and everything else at zero."""
    zero: dict[str, Any] = {each.name: 0.0 for each in fields(Metrics)}
    other = {"full": True, "effort_worst_joint": "shin.L/x", "joint_error_deg": 1.5}
    return Metrics(**(zero | other | changes))


def small_meta(fell_at: float | None = None, **changes: Any) -> ResultMeta:
    """The meta of a short simulation with one hit and one strike."""
    point = (0.0, 0.0, 1.0)
    own: dict[str, Any] = {
        "versions": Versions(heft="1", mujoco="2", numpy="3", scipy="4", python="5"),
        "settings": asdict(BakeSettings()),
        "seed": 0,
        "pushes": (),
        "metrics": small_metrics(),
        "source_metrics": MotionMetrics(
            seconds=0.04,
            full=True,
            skate_cm_s=1.0,
            penetration_max_mm=2.0,
            penetration_mean_mm=1.0,
            jitter_deg=0.1,
        ),
        "plausible_metrics": None,
        "wall_seconds": {"simulation": 0.5},
        "notes": ("All is well.",),
        "name": "character",
        "others": (),
        "character": CharacterFacts(1.75, 70.0, 1.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0),
        "body_shapes": (BodyShape(point, (CapsuleShape(point, point, 0.1),), (BoxShape(point, point),)),) * 2,
        "ground_height": 0.0,
        "reference": None,
        "fell_at": fell_at,
        "failure": None,
        "attempt": "usual",
        "attempts_tried": ("usual",),
        "hits": (Hit(0.25, "trunk", "head", "ball", 8.0),),
        "strikes": (StrikeOutcome("hand.R", "right hand", 0.3, point, point, point, 0.01, 0.04, 4.9, 5.0),),
        "rounds": 1,
        "gains": GainCounts(0, 0),
        "simulated": ((0.0, 0.05),),
    }
    return ResultMeta(**(own | changes))


def small_result(fell_at: float | None = None, **changes: Any) -> Result:
    """The smallest valid result."""
    return Result(**(result_arrays() | {"meta": small_meta(fell_at)} | changes))


def _joint(name: str, offset: str, *children: str) -> str:
    channels = "CHANNELS 3 Zrotation Xrotation Yrotation"
    inside = "".join(children) or "End Site { OFFSET 0 -5 0 }".replace(" { ", "\n{\n").replace(" }", "\n}\n")
    return f"JOINT {name}\n{{\nOFFSET {offset}\n{channels}\n{inside}}}\n"


def standing_bvh() -> str:
    """A person of 1.7 m in centimetres who stands for 31 frames of 1/30 s and sways a little."""
    frames = 31
    limbs = []
    for side, sign in (("Left", 1), ("Right", -1)):
        foot = _joint(f"{side}Foot", "0 -42 0", _joint(f"{side}ToeBase", "0 -6 13"))
        limbs.append(_joint(f"{side}UpLeg", f"{9 * sign} -5 0", _joint(f"{side}Leg", "0 -42 0", foot)))
    arms = []
    for side, sign in (("Left", 1), ("Right", -1)):
        hand = _joint(f"{side}ForeArm", f"{28 * sign} 0 0", _joint(f"{side}Hand", f"{25 * sign} 0 0"))
        arms.append(
            _joint(f"{side}Shoulder", f"{4 * sign} 12 0", _joint(f"{side}Arm", f"{13 * sign} 0 0", hand))
        )
    head = _joint("Neck", "0 15 0", _joint("Head", "0 10 0").replace("OFFSET 0 -5 0", "OFFSET 0 20 0"))
    trunk = _joint("Spine", "0 10 0", _joint("Spine1", "0 18 0", *arms, head))
    channels = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    root = f"ROOT Hips\n{{\nOFFSET 0 0 0\n{channels}\n{trunk}{''.join(limbs)}}}\n"
    joints = root.count("JOINT ")
    lines = []
    for frame in range(frames):
        angles = [0.0] * (3 + 3 * joints)
        angles[4] = 2.0 * np.sin(0.3 * frame)
        lines.append(" ".join(["0", "97", "0", *(f"{angle:.4f}" for angle in angles)]))
    return f"HIERARCHY\n{root}MOTION\nFrames: {frames}\nFrame Time: {1 / 30:.8f}\n" + "\n".join(lines) + "\n"
