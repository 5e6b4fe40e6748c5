"""A body of three links regains its balance: `python3 dev.py bench three_link` (docs/benchmarks.md).

Figure 5 of da Silva, Abe, Popovic 2008 (stylized locomotion): the squared error over time after leans
of 5 to 25 degrees, with the paper's costs and with twice the price of torque.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.harness.leans import RODS, ROUGH, build, lean, paper_cost, recover
from bench.harness.options import common_parser
from bench.harness.plots import plot_leans
from sim_core.conventions import FloatArray

LEANS_DEG = (5, 10, 15, 20, 25)
SECONDS = 5.0
CASES = {
    "control cost 1": (ROUGH, 1.0),
    "twice the control cost": (ROUGH, 2.0),
    "limbs as rods": (RODS, 1.0),
}


def main(argv: list[str]) -> int:
    options = common_parser("three_link", "Let the three-link body recover from leans.").parse_args(argv)
    curves: dict[str, dict[str, FloatArray]] = {}
    for title, (figure, control) in CASES.items():
        model, cost = build(figure), paper_cost(figure.unit_torque, control)
        runs = {f"{d} deg": recover(model, lean(model, d), cost, SECONDS) for d in LEANS_DEG}
        curves[title] = runs
        stood = [name for name, squared in runs.items() if squared[-1] < squared[0]]
        print(f"{title}: stands up from {', '.join(stood)}")
    options.out.mkdir(parents=True, exist_ok=True)
    plot_leans(curves, model.dt, options.out / "three_link_lean.png")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
