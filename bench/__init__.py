"""Benchmarks: a folder each, run by `python3 dev.py bench NAME`; what several of them use is in `common`."""
