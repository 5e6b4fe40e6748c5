"""Faults at random moments of Heft's jobs; importing it loads the extension, which its modules import."""

from tools.load_extension import load_heft

load_heft()
