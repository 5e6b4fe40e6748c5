"""The compiled engine model: characters, their scene and the ground under them."""
