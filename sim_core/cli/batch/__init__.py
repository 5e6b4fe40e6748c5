"""Many bakes at once: the list of bakes, running them on one machine or many, and their ranking."""
