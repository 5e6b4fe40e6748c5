"""The result of a bake: its file, its records and the one definition of every measure."""
