"""Checks of the packages that Heft needs and of both solvers of quadratic programs."""

from __future__ import annotations

import importlib
import importlib.metadata
import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np

from .. import VERSION
from ..control.tracking.qp import BoxQP, Daqp, Osqp, Solver


@dataclass(frozen=True)
class Check:
    """The outcome of one check; found: what was found; advice: what to do if something is wrong."""

    name: str
    well: bool
    found: str
    advice: str = ""

    def sentence(self) -> str:
        """Return the outcome as one line."""
        return f"ok: {self.found}" if self.well else f"WRONG: {self.found}. {self.advice}"


REINSTALL = "Reinstall Heft; in Blender, remove the extension, restart, and install its zip again."
"""Advice for a broken installation."""


NEEDED = {
    "numpy": ("numpy", "1.24"),
    "scipy": ("scipy", "1.15.3"),
    "mujoco-core": ("mujoco", "4.0.1"),
    "daqp": ("daqp", "0.7"),
    "osqp": ("osqp", "1.0"),
    "coacd": ("coacd", "1.0.5"),
    "ezc3d": ("ezc3d", "1.5"),
    "c3d": ("c3d", "0.6"),
    "jinja2": ("jinja2", "3.1"),
    "plotly": ("plotly", "6"),
    "python-osc": ("pythonosc", "1.9"),
    "threadpoolctl": ("threadpoolctl", "3.5"),
}
"""Package -> the module that it provides, and the oldest version that Heft supports."""


def versions() -> dict[str, str]:
    """Return the versions of Heft, Python, the system and all installed packages."""
    found = {"heft": VERSION, "python": platform.python_version(), "system": platform.platform()}
    return found | {name: version for name in NEEDED if (version := _version(name)) is not None}


def check_packages() -> tuple[Check, ...]:
    """Check that all packages can be loaded and are recent enough."""
    return tuple(_check(name, module, oldest) for name, (module, oldest) in NEEDED.items())


def origins() -> dict[str, str]:
    """Return the folder that each package was loaded from."""
    loaded = {name: sys.modules[module] for name, (module, _) in NEEDED.items() if module in sys.modules}
    return {name: str(_folder(module)) for name, module in loaded.items()}


def _folder(module: ModuleType) -> Path:
    """Return the folder of a module or package."""
    file = Path(str(module.__file__)).resolve()
    return file.parent.parent if hasattr(module, "__path__") else file.parent


def _check(name: str, module: str, oldest: str) -> Check:
    try:
        loaded = importlib.import_module(module)
    except Exception as problem:  # a broken wheel raises anything
        return Check(name, False, f"cannot be loaded ({type(problem).__name__}: {problem})", REINSTALL)
    version = _version(name)
    folder = _folder(loaded)
    if version is None:
        return Check(name, True, f"from {folder}, version unknown")
    found = f"{version} from {folder}"
    if _numbers(version) < _numbers(oldest):
        another = f"Heft needs {oldest} or later; another add-on may bring an older one: disable it."
        return Check(name, False, found, another)
    return Check(name, True, found)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version, without trailing zeros."""
    numbers: list[int] = []
    for part in version.split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


# Without bounds the minimum of x'Hx/2 + g'x is (1, 1). With x1 <= 0.5 the first variable is at its bound,
# and the second follows from its row of the optimality condition: x1/2 + x2 = 3/2, so it is 1.25.
PROBLEM = BoxQP(
    np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([-2.5, -1.5]), np.array([-9.0, -9.0]), np.array([0.5, 9.0])
)
ANSWER = np.array([0.5, 1.25])
TOLERANCE = 1e-4
"""OSQP is asked for 1e-6; ill scaling may cost two digits."""


def check_solvers() -> tuple[Check, ...]:
    """Check both solvers on a problem with a known solution."""
    solvers: dict[str, Solver] = {"solver DAQP": Daqp(), "solver OSQP": Osqp()}
    return tuple(_check_solver(name, solver) for name, solver in solvers.items())


def _check_solver(name: str, solver: Solver) -> Check:
    try:
        error = float(np.abs(solver.solve(PROBLEM, None) - ANSWER).max())
    except Exception as problem:  # native code behind it
        return Check(name, False, f"does not run ({type(problem).__name__}: {problem})", REINSTALL)
    return Check(name, error <= TOLERANCE, f"error {error:.1e} against the known solution", REINSTALL)
