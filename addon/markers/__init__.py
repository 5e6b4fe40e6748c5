"""Markers of a capture in Blender.

import_takes   files become objects that show their markers and forces
take_object    such an object, to and from the core's take
marker_nodes   the nodes that show the samples of the current time; force_nodes for force plates
properties     what is kept in the file
"""
