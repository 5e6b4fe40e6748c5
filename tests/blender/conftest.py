"""What the tests on Blender share: the repository's root as package `heft`, and a fresh scene per test."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sim_core.base.worker_process import limit_threads
from tools.load_extension import load_heft

# Before bpy loads numpy; see tests/core/conftest.py.
limit_threads()

import bpy  # noqa: E402
from bpy.types import Object  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SHARED_DATA = ROOT.parent / "shared" / "data"
EXIT_STATUS = pytest.StashKey[int]()


# At import, because test modules import `heft.…` when they are collected, after this file.
load_heft()

from tests.blender.control_rigs import open_rigify, save_rigify  # noqa: E402


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Remember how the tests ended, for the end of the process."""
    session.config.stash[EXIT_STATUS] = exitstatus


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave without taking Blender's module apart.

    That of 4.2 shuts Blender down only when its last reference goes. A test run always keeps one, so static
    destructors then call into a Python that has ended, and the process crashes after its last test. That of
    4.5 was seen to hang there instead.
    """
    if EXIT_STATUS in config.stash:
        config.get_terminal_writer().flush()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.stash[EXIT_STATUS])


@pytest.fixture(autouse=True)
def empty_scene(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test starts in an empty file; one that harms Blender 4.2 ends the run: see generate_rigify.py."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    yield
    if bpy.app.version < (4, 3) and bpy.context.window.id_data is not None:
        pytest.exit(f"{request.node.nodeid} reads bpy.context.layer_collection.", returncode=1)


@pytest.fixture
def heft_registered(empty_scene: None) -> Iterator[None]:
    """The add-on is registered during the test and gone after it."""
    package = sys.modules["heft"]
    package.register()
    try:
        yield
    finally:
        package.unregister()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real captures and characters; the test skips where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the shared captures (../shared/data) are not on this machine")
    return SHARED_DATA


@pytest.fixture(scope="session")
def rigify_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated rig: generating takes seconds, so it is done once."""
    path = tmp_path_factory.mktemp("rigify") / "rig.blend"
    save_rigify(path)
    return path


@pytest.fixture
def rigify(rigify_file: Path, heft_registered: None) -> Object:
    """The generated rig, the active object of its own file."""
    return open_rigify(rigify_file)
