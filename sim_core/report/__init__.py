"""The plausibility report: what a motion asks of a body, where it goes wrong, and a score (docs/report.md)."""
