"""The motion that a controller is asked to follow, made ready for physics."""
