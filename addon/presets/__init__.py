"""Settings and tables that the user saves as files, and the dials that presets set."""
