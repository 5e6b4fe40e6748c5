"""Heft's version, which every file it writes records."""

from __future__ import annotations

VERSION = "0.1.0"
