"""Foundations of all other packages: conventions, errors, rotations, intervals, files and processes."""
