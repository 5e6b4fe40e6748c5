"""What the tests without Blender share."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real captures and characters; the test skips where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the shared captures (../shared/data) are not on this machine")
    return SHARED_DATA
