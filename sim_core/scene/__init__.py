"""The character's surroundings: objects to stand on, to walk over and to be carried by."""
