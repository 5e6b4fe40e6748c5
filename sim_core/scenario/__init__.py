"""What is simulated: a job, its settings, and the characters that they describe, at physical size."""
