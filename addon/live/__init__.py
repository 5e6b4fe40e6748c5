"""Playing with a simulated character in the 3D view (docs/live.md)."""
