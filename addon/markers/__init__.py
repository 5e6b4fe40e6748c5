"""Markers of a capture in Blender.

import_takes      files become objects that show their markers and forces
take_object       an object that shows the markers of a take; display_nodes and node_graph draw it
marker_table      which marker sits on which part of the body, and tables saved as files
fit               a take becomes an armature with an action; fit_report says how well it fits
control_markers   Empties that pull bones
"""
