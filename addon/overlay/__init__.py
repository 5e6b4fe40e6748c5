"""What the 3D view shows of a bake.

overlay_store   what is shown, and a bake's values as a mesh
picture         lines and faces at a frame
draw            the 3D view's handler
"""
