"""The check of prose finds long sentences and doubled words, and nothing in tables, code and links."""

from __future__ import annotations

import pytest

from tools.prose import MOST_WORDS, pages, problems

LONG = " ".join(["word", "other"] * (MOST_WORDS // 2)) + " last."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"Short. {LONG}", 1),
        (LONG.replace(" other word", ": other word", 1), 0),
        ("It is the the end.", 1),
        ("It is that that counts.", 0),
        ("- one list\n- list one", 0),
        (f"| {LONG} |\n|---|", 0),
        (f"```\n{LONG}\n```", 0),
        (f"<!-- {LONG} -->", 0),
        ("See [the page](the the.md).", 0),
    ],
)
def test_problems_of_prose(text: str, found: int) -> None:
    assert len(list(problems(text))) == found


def test_the_front_page_and_the_manual_are_checked() -> None:
    assert {"README.md", "tutorial.md", "CHANGELOG.md"} <= {page.name for page in pages()}
