"""Which part of the body and of the time is simulated."""
