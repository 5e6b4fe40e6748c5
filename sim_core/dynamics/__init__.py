"""Forces behind a motion: inverse dynamics and ground forces."""
