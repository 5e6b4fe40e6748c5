"""From a rig to a physical character: sizes, masses, joints, and poses in joint coordinates."""
