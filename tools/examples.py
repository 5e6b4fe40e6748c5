"""Runs the Python examples of a page of the manual: `python -m tools.examples docs/python-api.md FOLDER`.

FOLDER has the files that the examples name. All examples of a page share their variables, as a reader would.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^```python\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)


def run_examples(page: Path, folder: Path) -> int:
    """Run the examples of a page in a folder, each as it is written; return their number."""
    text = page.read_text("utf-8")
    found = list(BLOCK.finditer(text))
    before, variables = Path.cwd(), {"__name__": "examples"}
    os.chdir(folder)
    try:
        for block in found:
            above = text[: block.start(1)].count("\n")
            exec(compile("\n" * above + block[1], str(page), "exec"), variables)
    finally:
        os.chdir(before)
    return len(found)


if __name__ == "__main__":
    print(run_examples(Path(sys.argv[1]).resolve(), Path(sys.argv[2])), "examples ran")
