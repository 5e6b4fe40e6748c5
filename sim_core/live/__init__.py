"""Characters that are simulated while one plays with them (docs/live.md)."""
