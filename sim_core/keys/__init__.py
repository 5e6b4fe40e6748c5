"""Few keys in place of one at every frame, with a stated largest error."""
