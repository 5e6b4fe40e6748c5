"""Sequences of motions of one character, joined by transitions, and cyclic motions."""
