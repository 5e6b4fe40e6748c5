"""Reads what a job needs from the scene: rig, motion, surroundings and settings, as values of the core."""
