"""The action graph: what clips of one character do, where each can go over into which, and routes through it."""
