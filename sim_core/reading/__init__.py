"""What a motion does not state: its up axis, its unit, its rate, its rest frames and its physical size."""
