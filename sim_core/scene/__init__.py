"""The character's surroundings as the user describes them: objects, pushes, and targets to strike."""
