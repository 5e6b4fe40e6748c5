"""Putting a result together after a bake: joints, bones, forces, figures and notes."""
