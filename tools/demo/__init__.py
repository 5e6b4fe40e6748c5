"""The demonstration: the project's own mannequin and motions, baked and rendered."""
