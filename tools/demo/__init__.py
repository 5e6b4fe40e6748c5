"""The demonstration: the project's own mannequin, its own motions, baked and pictured."""
