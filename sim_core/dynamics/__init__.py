"""Kinematics, centroidal quantities, contact forces and inverse kinematics of a character."""
