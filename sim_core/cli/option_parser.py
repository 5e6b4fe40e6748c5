"""A parser that takes negative values in any notation."""

from __future__ import annotations

import argparse
import re
from typing import Any

NEGATIVE = re.compile(r"-(\d|\.\d|inf|nan|[XYZ]$)", re.IGNORECASE)
"""Words that start with a dash and are values: numbers as a script writes them (-1e-05), and axes."""


class OptionParser(argparse.ArgumentParser):
    """A parser to which `-1e-05` and `-Y` are values; argparse takes them for options."""

    def __init__(self, *words: Any, **named: Any) -> None:
        super().__init__(*words, **named)
        self._negative_number_matcher = NEGATIVE
