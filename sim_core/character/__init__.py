"""Physical characters made from rigs or presets: segments, masses, joints, and poses in joint coordinates."""
