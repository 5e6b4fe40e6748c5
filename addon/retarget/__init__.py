"""Motions of other characters, retargeted to an armature.

retarget_inputs   the panel's choices, the source, and Empties that hands and feet are held at
retarget_job      from both armatures to the core's job, and from its outcome to new actions
retarget_report   what is reported to the user
"""
