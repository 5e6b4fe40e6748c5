"""Markers of an optical capture: files, marker sets, calibration, and the pose that explains them.

Reading:     read.read_markers(path) -> take.MarkerFile, whose takes (take.MarkerTake) hold the markers in
             metres, Z up, NaN where unseen, with force plates (take.ForcePlate)
"""
