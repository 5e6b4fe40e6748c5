"""From where a body rests after a fall back to its motion: the plan, not how it is carried out."""
