"""Loops stay loops: a cycle is simulated several times, and one from the midst is closed and taken."""
