"""Quaternions (w, x, y, z) over arrays of any leading shape.

The products are written out because they run over (T, N, 4) arrays; logarithms, matrices and Euler angles
are scipy's.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from .conventions import IDENTITY_QUATERNION, X_FORWARD, Z_UP, FloatArray


def multiply(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the rotation that applies b, then a; shapes broadcast."""
    a, b = np.asarray(a), np.asarray(b)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    w = aw * bw - ax * bx - ay * by - az * bz
    product = np.empty((*w.shape, 4))
    product[..., 0] = w
    product[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    product[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    product[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return product


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return vector products (..., 3); shapes broadcast. Few vectors take numpy three times as long."""
    a, b = np.asarray(a), np.asarray(b)
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    x = ay * bz - az * by
    product = np.empty((*x.shape, 3))
    product[..., 0] = x
    product[..., 1] = az * bx - ax * bz
    product[..., 2] = ax * by - ay * bx
    return product


def conjugate(q: FloatArray) -> FloatArray:
    """Return the inverse of unit quaternions."""
    return np.asarray(q) * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: FloatArray, v: FloatArray) -> FloatArray:
    """Return vectors v rotated by q; shapes broadcast."""
    w, u = np.asarray(q)[..., :1], np.asarray(q)[..., 1:]
    t = 2.0 * cross(u, v)
    return np.asarray(v) + w * t + cross(u, t)


def relative(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the rotation from frame a to frame b, expressed in a: conj(a) * b."""
    w, x, y, z = _relative(a, b)
    product = np.empty((*w.shape, 4))
    product[..., 0], product[..., 1], product[..., 2], product[..., 3] = w, x, y, z
    return product


def _relative(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the components (...) of conj(a) * b."""
    a, b = np.asarray(a), np.asarray(b)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    return (
        aw * bw + ax * bx + ay * by + az * bz,
        aw * bx - ax * bw - ay * bz + az * by,
        aw * by + ax * bz - ay * bw - az * bx,
        aw * bz - ax * by + ay * bx - az * bw,
    )


def scalar_product(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return scalar products (...) of quaternions, which take numpy's sums four times as long."""
    a, b = np.asarray(a), np.asarray(b)
    return np.asarray(
        a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2] + a[..., 3] * b[..., 3]
    )


def length(q: FloatArray) -> FloatArray:
    """Return the lengths (...) of quaternions (..., 4)."""
    return np.sqrt(scalar_product(q, q))


def normalise(q: FloatArray) -> FloatArray:
    """Return quaternions scaled to unit length."""
    return q / length(q)[..., None]


def angle_between(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the angle of the rotation from a to b [rad], in [0, pi]."""
    w, x, y, z = _relative(a, b)
    return np.asarray(2.0 * np.arctan2(np.sqrt(x * x + y * y + z * z), np.abs(w)))


def continuous(q: FloatArray) -> FloatArray:
    """Return the same rotations over time (T, ..., 4) without changes of sign between samples."""
    flips = scalar_product(q[1:], q[:-1]) < 0.0
    signs = np.where(np.cumsum(flips, axis=0) % 2 == 1, -1.0, 1.0)
    result = np.array(q, dtype=np.float64)
    result[1:] *= signs[..., None]
    return result


def _scipy(q: FloatArray) -> Rotation:
    return Rotation.from_quat(np.asarray(q).reshape(-1, 4), scalar_first=True)


def to_vector(q: FloatArray) -> FloatArray:
    """Return rotation vectors (axis times angle) [rad], with angles of at most pi."""
    return _scipy(q).as_rotvec().reshape(*np.shape(q)[:-1], 3)


def from_vector(v: FloatArray) -> FloatArray:
    """Return the quaternions of rotation vectors (axis times angle) [rad]."""
    flat = Rotation.from_rotvec(np.asarray(v).reshape(-1, 3)).as_quat(scalar_first=True)
    return flat.reshape(*np.shape(v)[:-1], 4)


def slerp(a: FloatArray, b: FloatArray, share: FloatArray) -> FloatArray:
    """Interpolate from a (share 0) to b (share 1) along the shorter arc; shapes broadcast."""
    return multiply(a, from_vector(np.asarray(share)[..., None] * to_vector(relative(a, b))))


def about_vertical(angle: FloatArray | float) -> FloatArray:
    """Return rotations about the vertical axis by angles [rad]."""
    return from_vector(np.asarray(angle)[..., None] * Z_UP)


def heading(q: FloatArray) -> FloatArray:
    """Return the yaw angle of the rotated forward axis [rad]."""
    ahead = rotate(q, X_FORWARD)
    return np.arctan2(ahead[..., 1], ahead[..., 0])


def vertical_twist(q: FloatArray) -> FloatArray:
    """Return the twist of rotations about the vertical axis (..., 4); the identity for upside-down ones."""
    turn = np.asarray(q) * [1.0, 0.0, 0.0, 1.0]
    upside_down = np.linalg.norm(turn, axis=-1, keepdims=True) < 1e-9
    return normalise(np.where(upside_down, IDENTITY_QUATERNION, turn))


def shortest_rotation(start: FloatArray, end: FloatArray) -> FloatArray:
    """Return the smallest rotations (..., 4) that take directions `start` to directions `end` (..., 3)."""
    a = start / np.linalg.norm(start, axis=-1, keepdims=True)
    b = end / np.linalg.norm(end, axis=-1, keepdims=True)
    scalar = 1.0 + np.sum(a * b, axis=-1, keepdims=True)
    # For opposite directions any axis perpendicular to them will do.
    square = np.cross(a, np.where(np.abs(a[..., :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
    vector = np.where(scalar < 1e-9, square, np.cross(a, b))
    return normalise(np.concatenate([scalar, vector], axis=-1))


def to_matrix(q: FloatArray) -> FloatArray:
    """Return rotation matrices (..., 3, 3)."""
    return _scipy(q).as_matrix().reshape(*np.shape(q)[:-1], 3, 3)


def from_matrix(m: FloatArray) -> FloatArray:
    """Return the quaternions of rotation matrices (..., 3, 3)."""
    flat = Rotation.from_matrix(np.asarray(m).reshape(-1, 3, 3)).as_quat(scalar_first=True)
    return flat.reshape(*np.shape(m)[:-2], 4)


def from_euler(sequence: str, angles: FloatArray) -> FloatArray:
    """Return the quaternions of intrinsic Euler angles (..., len(sequence)) [rad], with axes as in "ZYX"."""
    flat = Rotation.from_euler(sequence.upper(), np.asarray(angles).reshape(-1, len(sequence)))
    return flat.as_quat(scalar_first=True).reshape(*np.shape(angles)[:-1], 4)


def from_up(normal: FloatArray) -> FloatArray:
    """Return matrices (..., 3, 3) of the smallest rotations from Z to unit vectors (..., 3) with z > -1."""
    x, y, z = np.moveaxis(np.asarray(normal), -1, 0)
    share = 1.0 / (1.0 + z)
    rows = [
        [1.0 - share * x * x, -share * x * y, x],
        [-share * x * y, 1.0 - share * y * y, y],
        [-x, -y, z],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
