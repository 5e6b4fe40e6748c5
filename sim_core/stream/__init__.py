"""Streams of a performer's pose over the network: their protocols, their timing, and the pose on a rig."""
