"""Several motions of one character as one, and cycles that stay cycles."""
