"""Parts that are not simulated, as the panel has them."""

from __future__ import annotations

import bpy
import pytest
from heft.addon.bake_job import options_of

from tests.blender.rigs import animate, humanoid


@pytest.mark.usefixtures("heft_registered")
def test_blends_in_frames_become_seconds() -> None:
    obj = humanoid()
    animate(obj, "Hips")
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 30, 1.5
    obj.heft_parts.only, obj.heft_parts.blend_in = "upper", 10
    settings = options_of(bpy.context, obj).settings
    assert settings.only == "upper"
    assert settings.blend_in_s == pytest.approx(0.5)
    assert settings.blend_out_s == 0.0
