"""Drawings of a result: stick figures as SVG, and lines and faces for the 3D view."""
