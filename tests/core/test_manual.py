"""What the manual claims can be looked up: tests, messages, figures and options that it names."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
COMPLAINTS = 20
TEST_NAME = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_complaint_names_tests_that_exist() -> None:
    text = (DOCS / "complaints.md").read_text("utf-8")
    answers = re.split(r"^(\d+)\. ", text, flags=re.MULTILINE)
    assert [int(number) for number in answers[1::2]] == list(range(1, COMPLAINTS + 1))
    for answer in answers[2::2]:
        named = TEST_NAME.findall(answer)
        assert named, answer
        missing = [test for file, test in named if test not in functions(ROOT / file)]
        assert missing == []
