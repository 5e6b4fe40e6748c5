"""The `heft` command line."""
