"""Markers of a capture and keypoints from video: files, marker sets, calibration, and the motion they show.

All at once: fit_pipeline.fit_file(path, FitOptions(...), report) -> FittedFile (fit, take, file, notes)

Step by step
read_markers.read_markers(path)     MarkerFile of a file or a folder; its takes (marker_take.MarkerTake) hold
the markers in metres, Z up, NaN where unseen, with force plates
fit_pipeline.choose_set(take)       marker_sets.MarkerSet, the table label -> MarkerPlacement(part, offset,
sigma): recognise_set.recognise_set, by labels and motion; marker_sets.save_set and read_set keep it
subject.calibrate_subject(...)      Subject: lengths and marker offsets; with an Armature the user's own bones
marker_fit.fit_take(take, subject)  MarkerFit: motion, model and measured markers, distance (T, M), and faults
judge.judge(fit)                    Judgement: what is implausible about it
fit_file.fit_figures, by_marker     figures to show; fit_file.save_fit writes the npz

fit_file and fit_take report their progress; the callback may raise Cancelled.
"""
