"""The kinds of jobs that Blender gives to the worker, and their files."""
