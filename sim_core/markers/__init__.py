"""Markers of an optical capture: files, marker sets, calibration, and the pose that explains them.

All at once: pipeline.fit_file(path, FitOptions(...), report) -> FittedFile (fit, take, file, notes)

Step by step
read.read_markers(path)             MarkerFile; its takes (take.MarkerTake) hold the markers in metres, Z up,
                                    NaN where unseen, with force plates (take.ForcePlate)
pipeline.choose_set(take)           sets.MarkerSet, the table label -> Placement(part, offset, sigma): by
                                    labels from presets/markers, else propose.propose_set;
                                    `with_row` edits it, sets.save_set and read_set keep it
subject.calibrate_subject(...)      Subject: lengths and marker places; with an Armature the user's own bones
fit.fit_take(take, subject, ...)    MarkerFit: motion (goes straight into a Job), model and measured markers,
                                    distance (T, M), faults by marker and frame
report.figures, report.by_marker    what to show; file.save_fit writes the npz
posefit.controls.pull_bones         control markers on any motion

Progress: fit_file and fit_take call report(Progress(stage, share)), which may raise Cancelled.
"""
