"""The forces behind a motion, from inverse dynamics, force plates or a simulation."""
