"""Strikes that hit a target at a given time, position and speed (docs/aiming.md)."""
