"""Functions of OpenSim models: how far a joint turns or moves, given its coordinates."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from scipy.interpolate import CubicSpline, make_interp_spline

from ...base.conventions import FloatArray
from ...base.errors import SHOWN, InputError
from .xml_tree import numbers_of

Function = Callable[[FloatArray], FloatArray]
"""From a coordinate (T) to a displacement (T)."""


def identity(value: FloatArray) -> FloatArray:
    """Return the coordinate itself."""
    return value


def constant(amount: float, value: FloatArray) -> FloatArray:
    """Return the same amount for every value."""
    return np.full(np.shape(value), amount)


def read_function(element: Element, where: str) -> Function:
    """Return the function that an element describes; where: its owner in messages."""
    kind = element.tag
    if kind == "Constant":
        return partial(constant, float(numbers_of(element, "value", where, 1)[0]))
    if kind in ("LinearFunction", "PolynomialFunction"):
        return partial(_polynomial, numbers_of(element, "coefficients", where))
    if kind == "MultiplierFunction":
        inner = element.find("function")
        if inner is None or len(inner) != 1:
            raise InputError(f"{where} multiplies no function; export the model again.")
        scale = float(numbers_of(element, "scale", where, 1)[0])
        return partial(_scaled, scale, read_function(inner[0], where))
    if kind in ("SimmSpline", "NaturalCubicSpline", "PiecewiseLinearFunction"):
        return _table(kind, numbers_of(element, "x", where), numbers_of(element, "y", where), where)
    raise InputError(
        f"{where} uses a {kind[:SHOWN]}, which Heft does not know; it knows Constant, LinearFunction, "
        "PolynomialFunction, MultiplierFunction, SimmSpline, NaturalCubicSpline and PiecewiseLinearFunction."
    )


def _polynomial(coefficients: FloatArray, value: FloatArray) -> FloatArray:
    return np.asarray(np.polyval(coefficients, value), dtype=np.float64)


def _scaled(scale: float, inner: Function, value: FloatArray) -> FloatArray:
    return scale * inner(value)


def _table(kind: str, x: FloatArray, y: FloatArray, where: str) -> Function:
    if len(x) != len(y) or len(x) < 2 or not np.all(np.diff(x) > 0.0):
        raise InputError(f"{where} has a {kind} whose points do not increase or do not pair; repair it.")
    if kind == "PiecewiseLinearFunction" or len(x) == 2:
        return partial(_continued, make_interp_spline(x, y, k=1), x)
    if kind == "NaturalCubicSpline" or len(x) == 3:
        return partial(_continued, CubicSpline(x, y, bc_type="natural"), x)
    ends = ([(3, _third_derivative(x[:4], y[:4]))], [(3, _third_derivative(x[-4:], y[-4:]))])
    return partial(_continued, make_interp_spline(x, y, k=3, bc_type=ends), x)


def _third_derivative(x: FloatArray, y: FloatArray) -> float:
    """Return that of the cubic through four points, as SIMM's splines have it (Forsythe et al. 1977)."""
    return 6.0 * float(np.polyfit(x - x[0], y, 3)[0])


def _continued(curve: Any, x: FloatArray, value: FloatArray) -> FloatArray:
    """Return a curve that goes on straight beyond its ends."""
    inside = np.clip(value, x[0], x[-1])
    return np.asarray(curve(inside) + (value - inside) * curve(inside, 1))
