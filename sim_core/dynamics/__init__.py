"""Quantities of motion and force, from the engine."""
