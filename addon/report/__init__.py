"""The plausibility report in Blender (docs/report.md)."""
