"""Recognition of the parts of a body in a rig."""

from __future__ import annotations

from .find_parts import recognise
from .mapping import BoneMapping, check_mapping, mapping_from_json, mapping_to_json

__all__ = ["BoneMapping", "check_mapping", "mapping_from_json", "mapping_to_json", "recognise"]
