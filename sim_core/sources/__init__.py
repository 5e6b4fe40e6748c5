"""Motions from files of any kind, and what the command line and scripts make of them."""
