"""The reference motion that a controller tracks: its contacts, its ground, and the dynamic filter."""
