"""Kinematics and forces of a character, from the engine."""
