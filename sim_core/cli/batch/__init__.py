"""Many bakes at once: what to bake, running it on one machine or many, and what came of it."""
