"""Runs jobs in a child process while the window stays responsive."""
