"""Commands that Blender runs without a window."""
