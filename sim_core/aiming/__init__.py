"""Strikes that meet a target: where, when and how fast (docs/aiming.md)."""
