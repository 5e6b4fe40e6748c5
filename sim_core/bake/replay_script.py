"""Compute a simulated motion again with nothing but MuJoCo, and compare it with its result file.

    pip install mujoco==VERSION
    python replay.py

The version is printed. Another one may round differently, and small differences grow from contact to contact.
"""

import sys
from pathlib import Path

import mujoco
import numpy as np

LARGEST_M = 1e-4


def offsets(model: mujoco.MjModel, given: dict[str, np.ndarray]) -> np.ndarray:
    """Return where the rig's joints are in the frames of the model's bodies (T, J, 3) [m].

    Where the source stretches its bones, joints move a little in the rigid bodies.
    """
    data, body, offset = mujoco.MjData(model), given["joint_body"], np.zeros_like(given["joint_position"])
    for sample, (qpos, position) in enumerate(zip(given["qpos"], given["joint_position"], strict=True)):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        turn = data.xmat[body].reshape(-1, 3, 3)
        offset[sample] = np.einsum("jki,jk->ji", turn, position - data.xpos[body])
    return offset


def replay(folder: Path, given: dict[str, np.ndarray]) -> np.ndarray:
    """Return the largest distance of any joint from where the result has it [m], for each compared sample."""
    exact = mujoco.__version__ == str(given["mujoco_version"])  # the text of model.xml has six digits
    load = mujoco.MjModel.from_binary_path if exact else mujoco.MjModel.from_xml_path
    model = load(str(folder / ("model.mjb" if exact else "model.xml")))
    data = mujoco.MjData(model)
    control, gain, wanted = given["control"], given["gain"], given["joint_position"]
    body, offset = given["joint_body"], offsets(model, given)
    steps_per_sample, distance = len(control) // len(gain), np.zeros(wanted.shape[:2])
    for step in range(len(control) + 1):
        for change in np.flatnonzero(given["change_step"] == step):
            name = str(given["change_array"][change])
            array = getattr(data if hasattr(data, name) else model, name)
            array.flat[given["change_index"][change]] = given["change_value"][change]
        sample, rest = divmod(step, steps_per_sample)
        if rest == 0 and sample < len(wanted):
            mujoco.mj_kinematics(model, data)
            placed = np.einsum("jik,jk->ji", data.xmat[body].reshape(-1, 3, 3), offset[sample])
            distance[sample] = np.linalg.norm(data.xpos[body] + placed - wanted[sample], axis=1)
        if step < len(control):
            data.ctrl[:] = control[step]
            model.actuator_biasprm[:, 1:3] = -gain[sample]
            mujoco.mj_step(model, data)
    return distance[given["compared"]].max(axis=1)


if __name__ == "__main__":
    given = dict(np.load(Path(__file__).with_name("replay.npz")))
    distance = replay(Path(__file__).parent, given)
    time, far = given["time"][given["compared"]], np.flatnonzero(distance > LARGEST_M)
    later = sorted(set(given["change_array"][given["change_step"] > 0].tolist()))
    print(f"MuJoCo {mujoco.__version__}; the result was made with {given['mujoco_version']}")
    print(f"written after the start, besides controls and gains: {', '.join(later) or 'nothing'}")
    print(
        f"within {1000.0 * LARGEST_M:g} mm until {time[far[0] if len(far) else -1]:.2f} s of {time[-1]:.2f} s"
    )
    print(f"largest distance of a joint from the result: {1000.0 * distance.max():.6f} mm")
    sys.exit(len(far) > 0)
