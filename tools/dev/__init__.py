"""The parts of `dev.py`. Standard library only: this runs before anything is installed."""
