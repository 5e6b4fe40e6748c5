"""Blender's own data as Heft reads and writes it; knows nothing of simulations."""
