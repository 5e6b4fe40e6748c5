"""The plausibility report: the forces that a motion needs, its problems, and a score (docs/report.md)."""
