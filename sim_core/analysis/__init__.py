"""The forces behind a motion: inverse dynamics, and force plates beside it."""
