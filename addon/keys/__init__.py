"""Few keys in Blender.

properties   on the object: how many keys, and what came out
stances      when feet stand, from a result
few_keys     the channels of a pose as tracks of the core
prop_keys    those of an object that the character moved
"""
