"""What the tests without Blender share."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim_core.base.worker_process import limit_threads

SHARED_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

# As in the programs that bake, and before the first test loads numpy: on a machine with other work, bakes
# take many times as long with more threads.
limit_threads()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real captures and characters; the test skips where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the shared captures (../shared/data) are not on this machine")
    return SHARED_DATA
