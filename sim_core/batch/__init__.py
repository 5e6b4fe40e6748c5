"""Many bakes at once: what to bake, carrying it out on one machine or many, and what came of it."""
