"""Bakes onto control rigs: the bones that the user moves are keyed, so that the simulated ones arrive.

following   which bone follows which, from the rig's constraints
choice      the control of each simulated bone, and the goals of IK chains
switches    properties that blend between FK and IK
goals       where the simulated bones shall be
correction  one pass: from what the rig shows now to better channels
channels    what a control's channels can do: locks, drivers, rotation modes
passes      evaluates and corrects until the bones arrive
few_keys    few keys in place of those at every frame, judged by what the rig shows
kept        channels that the source leaves alone, for going back to it
words       what the user is told
properties  how to bake
"""
