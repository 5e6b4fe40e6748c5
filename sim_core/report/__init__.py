"""The plausibility report: what a motion asks of a body, what goes wrong, and a score (docs/report.md)."""
