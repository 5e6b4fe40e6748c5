"""Every kind of job that Blender hands to the worker, and the files that carry it there and back."""
