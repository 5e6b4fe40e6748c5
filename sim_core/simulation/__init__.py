"""The engine advanced in time: controllers in, traces out."""
