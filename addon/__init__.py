"""The bridge between Blender and the core."""
