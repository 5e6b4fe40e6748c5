"""The entry inside Blender of `bench faults --window`."""

from __future__ import annotations

import sys
from pathlib import Path

# The clone must be on the path before its modules are imported.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.faults.window_trials import main

main()
