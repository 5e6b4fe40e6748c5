"""Parts of `dev.py`, which use the standard library only: they run before anything is installed."""
