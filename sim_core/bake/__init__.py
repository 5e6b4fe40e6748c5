"""From jobs to results: the pipeline that every entry point calls."""
