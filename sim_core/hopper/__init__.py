"""Abstract models of hopping and standing, simulated by themselves, and their motion on a character."""
