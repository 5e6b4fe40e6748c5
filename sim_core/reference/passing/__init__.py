"""How a walk passes what is in its way: over, around, under, or to a stand before it."""
