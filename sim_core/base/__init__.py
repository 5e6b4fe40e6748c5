"""What everything stands on: conventions, errors, rotations, intervals, files and processes."""
