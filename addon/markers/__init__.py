"""Markers of a capture in Blender.

import_takes    files become objects that show their markers (take_object) and forces (force_object)
samples         samples as the points of a mesh; sample_nodes, marker_nodes and force_nodes show them
table           which marker sits on which part of the body; set_presets keeps tables as files
fit_job         a take becomes an armature with an action; fit_session runs it, outcome tells how well it fits
control         Empties that pull bones
properties      what is kept in the file
"""
