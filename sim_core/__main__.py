"""`python -m sim_core` is the `heft` command."""

from __future__ import annotations

import sys

from .cli.main import main

sys.exit(main(own_process=True))
