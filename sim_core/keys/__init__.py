"""Reduction of keys: few keys instead of one at every frame, with a given largest error."""
