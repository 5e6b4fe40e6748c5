"""A search for controls that carry out a motion where the tracking controller falls (docs/search.md)."""
