"""Checks of the installation: packages, solvers, folders, and a small bake."""
