"""A bake from the panel's options to new actions, and the comparison of its result with the source."""
