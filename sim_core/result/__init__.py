"""What a bake hands over: the result file, and the one definition of every measure."""
