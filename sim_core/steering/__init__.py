"""A live run that is steered through an action graph."""
