"""A model of three links: a leg that stands, a trunk on it, and a leg that swings from the trunk.

da Silva, Abe, Popovic 2008 (stylized locomotion), section 3.1 and figure 2. Masses, inertias and centres of
mass are those of the character in one of its poses, so the model has the same mass and centre of mass.

The model differs from the paper's in three points. The foot does not twist on the ground: with the paper's
ball joint under the leg nothing could change the momentum about the vertical, and no feedback could be
stable. The leg that swings has a hip of its own, because the hips of a character in space lie apart. And a
torque can act under the leg, because a foot has a length along which its centre of pressure can move; with a
very large cost of this torque the model is the paper's.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ...base import rotations
from ...base.conventions import GRAVITY, Z_UP, FloatArray
from .links import LinkMotion

BASE = 2
"""Degrees of freedom under the leg that stands."""
DOFS, INPUTS = 8, 8
STATES = 2 * DOFS
"""Errors of coordinates, then of velocities, in the engine's tangent space."""


@dataclass(frozen=True, eq=False)
class LinkState:
    """qpos (10): two angles, two quaternions, each from the link below; qvel (8)."""

    qpos: FloatArray
    qvel: FloatArray


class ThreeLinkModel:
    """The three-link model and its motion over one interval of dt [s].

    neutral (3, 3): unit vectors from each link's joint to its centre of mass in the pose it is made from
    base (3, 3): axes under the standing leg as columns; Z points to the leg's centre of mass
    """

    def __init__(self, pose: LinkMotion, mass: FloatArray, inertia: FloatArray, dt: float) -> None:
        """Make the model of a pose.

        mass (3) [kg], inertia (3, 3, 3): about the links' centres of mass, in the world's axes [kg m^2]
        """
        arm = pose.com - pose.joint
        self.mass, self.dt = mass, dt
        self.neutral = arm / np.linalg.norm(arm, axis=1, keepdims=True)
        self.base = rotations.to_matrix(rotations.shortest_rotation(Z_UP, self.neutral[0]))
        self.model = self._compile(pose, arm, inertia)
        self.data = mujoco.MjData(self.model)

    def _compile(self, pose: LinkMotion, arm: FloatArray, inertia: FloatArray) -> mujoco.MjModel:
        spec = mujoco.MjSpec()
        spec.option.timestep, spec.option.gravity = self.dt, [0.0, 0.0, -GRAVITY]
        spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_AUTORESET  # a fall must be seen
        body, origin = spec.worldbody, pose.joint[0]
        for link in range(3):
            body = body.add_body(pos=pose.joint[link] - origin)
            origin = pose.joint[link]
            body.explicitinertial = True
            body.mass, body.ipos = self.mass[link], arm[link]
            body.fullinertia = inertia[link][[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
            if link == 0:
                for axis in (0, 1):
                    hinge = mujoco.mjtJoint.mjJNT_HINGE
                    body.add_joint(name=f"base{axis}", type=hinge, axis=self.base[:, axis])
                    _add_motor(spec, f"base{axis}", 0)
            else:
                body.add_joint(name=f"hip{link}", type=mujoco.mjtJoint.mjJNT_BALL)
                for axis in range(3):
                    _add_motor(spec, f"hip{link}", axis)
        return spec.compile()

    @property
    def rest(self) -> LinkState:
        """The pose that the model was made from, at rest."""
        return LinkState(self.model.qpos0.copy(), np.zeros(DOFS))

    def difference(self, state: LinkState, other: LinkState) -> FloatArray:
        """Return the difference of `state` from `other` (16)."""
        error = np.zeros(STATES)
        mujoco.mj_differentiatePos(self.model, error[:DOFS], 1.0, other.qpos, state.qpos)
        error[DOFS:] = state.qvel - other.qvel
        return error

    def moved(self, state: LinkState, change: FloatArray) -> LinkState:
        """Return the state that differs from `state` by `change` (16)."""
        qpos = state.qpos.copy()
        mujoco.mj_integratePos(self.model, qpos, change[:DOFS], 1.0)
        return LinkState(qpos, state.qvel + change[DOFS:])

    def step(self, state: LinkState, torque: FloatArray) -> LinkState:
        """Return the state one interval later (eq. 2), with constant torque (8)."""
        self._set(state, torque)
        mujoco.mj_step(self.model, self.data)
        return LinkState(self.data.qpos.copy(), self.data.qvel.copy())

    def linearise(self, state: LinkState, torque: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the matrices A (16, 16) and B (16, 8) of one interval (eq. 3)."""
        self._set(state, torque)
        a, b = np.zeros((STATES, STATES)), np.zeros((STATES, INPUTS))
        mujoco.mjd_transitionFD(self.model, self.data, 1e-6, True, a, b, None, None)
        return a, b

    def torque_of(self, state: LinkState, acceleration: FloatArray) -> FloatArray:
        """Return the torques (8) of an acceleration of the coordinates (8)."""
        self._set(state, np.zeros(INPUTS))
        mujoco.mj_forward(self.model, self.data)
        self.data.qacc[:] = acceleration
        mujoco.mj_inverse(self.model, self.data)
        return self.data.qfrc_inverse.copy()

    def coms(self, state: LinkState) -> FloatArray:
        """Return the centres of mass of the links relative to the ankle (3, 3) [m]."""
        self._set(state, np.zeros(INPUTS))
        mujoco.mj_kinematics(self.model, self.data)
        return self.data.xipos[1:].copy()

    def com_accelerations(self, state: LinkState, torque: FloatArray) -> FloatArray:
        """Return the accelerations of the links' centres of mass by forward dynamics (3, 3) (section 4.2)."""
        self._set(state, torque)
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_rnePostConstraint(self.model, self.data)
        result = np.zeros((3, 6))
        for link in range(3):
            body = mujoco.mjtObj.mjOBJ_BODY
            mujoco.mj_objectAcceleration(self.model, self.data, body, link + 1, result[link], 0)
        return result[:, 3:] + self.model.opt.gravity

    def _set(self, state: LinkState, torque: FloatArray) -> None:
        self.data.qpos[:], self.data.qvel[:], self.data.ctrl[:] = state.qpos, state.qvel, torque


def _add_motor(spec: mujoco.MjSpec, joint: str, axis: int) -> None:
    motor = spec.add_actuator(target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.gear = np.eye(6)[axis]
