"""The `heft` command and its sub-commands."""
