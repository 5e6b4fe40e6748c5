"""Several motions of one character as one: where to go over from each to the next, and how."""
