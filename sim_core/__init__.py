"""Heft's core: physics of characters, without Blender.

docs/architecture.md says what each package is for and what it may import.
"""

from __future__ import annotations

VERSION = "1.0.1"
"""Heft's version, which every file it writes records."""
