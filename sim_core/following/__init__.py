"""A character that follows a performer: windows of the stream, prepared while they are simulated."""
