"""What can be seen of a simulation in a 3D view: values at whole frames, and lines and faces of them."""
