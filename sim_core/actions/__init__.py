"""The action graph: what clips of a character do, which can go over into which, and routes through them."""
