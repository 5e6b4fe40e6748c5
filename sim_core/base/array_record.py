"""What frozen dataclasses that consist of arrays have in common."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from .conventions import frozen


@dataclass(frozen=True, eq=False)
class ArrayRecord:
    """Base of a frozen dataclass: its arrays are read-only copies of its own, listed by their names."""

    NO_ARRAYS: ClassVar[frozenset[str]] = frozenset()
    """Names of the fields that are no arrays."""

    def __post_init__(self) -> None:
        for name, array in self.arrays().items():
            object.__setattr__(self, name, frozen(array, None))

    def arrays(self) -> dict[str, Any]:
        """Return all arrays by name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in self.NO_ARRAYS}
