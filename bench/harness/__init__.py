"""What the benchmarks share: clips, bars, worker processes, cached outcomes, tables and plots."""
