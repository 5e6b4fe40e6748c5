"""Simulation of characters in MuJoCo: takes controllers and initial states, returns traces."""
