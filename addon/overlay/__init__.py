"""What the 3D view shows of a bake: its values in the file, their picture at a frame, and drawing it.

properties   what is shown, and where a bake's values are
store        a bake's values as a mesh
ghost        the source as sticks
colours      from the theme
picture      lines and faces at a frame
draw         the 3D view's handler
"""
