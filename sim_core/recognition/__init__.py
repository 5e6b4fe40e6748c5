"""Recognising the parts of a body in a rig."""

from __future__ import annotations

from .check import check_mapping, mapping_from_json, mapping_to_json
from .find import recognise, spoken
from .mapping import BoneMapping

__all__ = ["BoneMapping", "check_mapping", "mapping_from_json", "mapping_to_json", "recognise", "spoken"]
