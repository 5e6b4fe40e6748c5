"""Whether this installation works: packages, solvers, folders, and a small bake."""
