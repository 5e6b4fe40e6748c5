"""Motions of other characters, carried over to an armature.

properties  what is chosen on the target
source      whose motion it is: an armature's, or a fitted capture's
places      Empties that hands and feet are held at
job         from both armatures to the core's job, and from its outcome to new actions
session     all of it in small steps
outcome     what the user is told
"""
