"""The comparison of the tutorial's quotations with what Heft says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gui import tutorial_page

SAID = {
    "simulate": ["Stays up, without assist", "1.1°, 2.4 cm from the source"],
    "keys": ["2457 keys in place of 34656"],
}


@pytest.fixture(autouse=True)
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page with two steps, the second one in a list."""
    path = tmp_path / "tutorial.md"
    step = "<!-- step: {} -->\n{}> ?\n{}<!-- end -->\n"
    blocks = step.format("simulate", "", "") + "\n1. Few:\n\n    " + step.format("keys", "    ", "    ")
    path.write_text(f"As said on Blender 4.2.\n\n{blocks}", "utf-8")
    monkeypatch.setattr(tutorial_page, "PAGE", path)
    return path


def test_what_was_said_is_written_and_read_again(page: Path) -> None:
    tutorial_page.write_quotations(SAID, "5.2")
    text = page.read_text("utf-8")
    assert tutorial_page.quotations() == SAID and tutorial_page.differences(SAID) == []
    assert "on Blender 5.2." in text and "\n    > 2457 keys in place of 34656\n    <!-- end -->" in text


@pytest.mark.parametrize(
    ("line", "is_same"),
    [
        ("2463 keys in place of 34656", True),  # as Blender 5.2 has it
        ("2500 keys in place of 34656", False),
        ("2457 keys instead of 34656", False),
        ("2457 keys in place of 34656, and more", False),
    ],
)
def test_words_and_figures_count(line: str, is_same: bool) -> None:
    tutorial_page.write_quotations(SAID, "5.2")
    assert (tutorial_page.differences(SAID | {"keys": [line]}) == []) == is_same


def test_every_step_must_have_been_done() -> None:
    with pytest.raises(AssertionError, match="the steps"):
        tutorial_page.differences({"simulate": SAID["simulate"]})
