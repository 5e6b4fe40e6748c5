"""Bakes onto control rigs: the bones that the user moves are keyed, so that the simulated ones arrive.

constraints     which bone follows which, and properties that switch between FK and IK
controls        the control of each simulated bone, the handles of IK chains, and which channels are free
correction      one pass: from the evaluated pose to better channels
passes          evaluates and corrects until the bones arrive
control_keys    few keys in place of one at every frame, judged by the evaluated rig
restore         channels that the source does not animate, for going back to it
notes           messages to the user
control_writer  the whole of it
"""
