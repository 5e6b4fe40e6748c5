"""A Blender whose Python has no packages of Heft is refused with a sentence."""

from __future__ import annotations

import pytest
from heft.addon.blender.engine_packages import require_packages
from heft.sim_core.base.errors import HeftError


def test_the_packages_of_this_blender_are_enough() -> None:
    require_packages()


def test_a_missing_package_is_named_with_what_to_do() -> None:
    with pytest.raises(HeftError, match=r"no no_such_engine\. .* use a Blender from blender\.org"):
        require_packages(("scipy", "no_such_engine"))
