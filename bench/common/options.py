"""Command line options that benchmarks share."""

from __future__ import annotations

import argparse
from pathlib import Path

from .clips import ROOT

RESULTS = ROOT / "bench" / "results"
CACHE = ROOT / ".dev" / "bench"


def plain_parser(name: str, summary: str) -> argparse.ArgumentParser:
    """Return the parser of a benchmark that keeps no outcomes between runs."""
    parser = argparse.ArgumentParser(prog=f"dev.py bench {name}", description=summary)
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="FOLDER", help="for tables and plots")
    return parser


def common_parser(name: str, summary: str) -> argparse.ArgumentParser:
    """Return the parser of a benchmark that keeps its outcomes."""
    parser = plain_parser(name, summary)
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="worker processes (default: 2)")
    parser.add_argument("--minutes", type=float, metavar="N", help="stop after this time; run again to go on")
    parser.add_argument("--fresh", action="store_true", help="forget outcomes of earlier runs")
    parser.add_argument("--report", action="store_true", help="run nothing, write what is known")
    return parser
