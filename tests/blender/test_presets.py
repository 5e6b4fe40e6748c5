"""Dials and presets in Blender: loaded, saved, removed; broken files leave the others alone."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from heft.addon.bake.bake_options import settings_of
from heft.addon.presets import setting_presets, user_files
from heft.panels.dials import HEFT_MT_motions, HEFT_PT_advanced, HEFT_PT_dials
from heft.sim_core.scenario.settings import BALANCE_METHODS, DIALS, BakeSettings

from tests.blender.rigs import humanoid
from tests.blender.test_operators import assert_one_sentence

pytestmark = pytest.mark.usefixtures("heft_registered")


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    def folder(kind: str) -> Path:
        path = tmp_path / kind
        path.mkdir(parents=True, exist_ok=True)
        return path

    monkeypatch.setattr(user_files, "user_folder_for", folder)
    return humanoid()


def close(settings: BakeSettings, **values: Any) -> bool:
    return all(getattr(settings, name) == pytest.approx(value) for name, value in values.items())


def test_a_fresh_rig_has_the_defaults_to_the_last_digit(rig: Any) -> None:
    assert settings_of(rig) == BakeSettings()


def test_dials_and_raw_values_reach_the_bake(rig: Any) -> None:
    for number, dial in enumerate(DIALS):
        setattr(rig.heft.dials, dial, 0.1 * number)
    rig.heft.dials.tracking_gain = 700.0
    settings = settings_of(rig)
    assert close(settings, **{dial: 0.1 * number for number, dial in enumerate(DIALS)})
    assert (settings.tracking_gain, settings.springs) == (700.0, None)


def test_a_preset_sets_all_of_its_group_and_nothing_else(rig: Any) -> None:
    rig.heft.dials.alertness, rig.heft.dials.effort = 0.9, 0.2
    assert bpy.ops.heft.load_preset(group="reactions", key="firm") == {"FINISHED"}
    assert close(settings_of(rig), softness=0.0, recovery_s=0.3, alertness=0.5, effort=0.2)
    assert bpy.ops.heft.load_preset(group="characters", key="child") == {"FINISHED"}
    assert close(settings_of(rig), height=1.38, mass=32.0, effort=0.5)
    assert bpy.ops.heft.load_preset(group="motions", key="jump") == {"FINISHED"}
    assert bpy.ops.heft.load_preset(group="motions", key="dance") == {"FINISHED"}
    assert settings_of(rig).springs is None, "nothing is left of the jump"


def test_save_load_and_remove(rig: Any) -> None:
    rig.heft.dials.stiffness = 0.8
    assert not bpy.ops.heft.remove_preset.poll(), "nothing of the user's is chosen"
    assert bpy.ops.heft.save_preset(group="motions", name="My Walk") == {"FINISHED"}
    own = rig.heft.dials.motions
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.heft.save_preset(group="motions", name="My Walk")
    assert_one_sentence(str(caught.value))
    bpy.ops.heft.load_preset(group="motions", key="walk")
    assert not bpy.ops.heft.remove_preset.poll(), "this one comes with Heft"
    bpy.ops.heft.load_preset(group="motions", key=own)
    assert close(settings_of(rig), stiffness=0.8)
    assert bpy.ops.heft.remove_preset(group="motions") == {"FINISHED"}
    assert own not in [row.key for row in setting_presets.preset_rows("motions")]
    assert close(settings_of(rig), stiffness=0.8), "the settings stay"


class Paper:
    """A layout that remembers what is written on it."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.shown: list[str] = []

    def __getattr__(self, name: str) -> Any:
        def put(*args: Any, text: str = "", **_more: Any) -> Paper:
            self.said.append(text)
            self.shown += [arg for arg in args if isinstance(arg, str)]
            return self

        return put


def test_a_broken_file_is_told_in_the_menu_beside_the_others(rig: Any) -> None:
    setting_presets.preset_files("motions").file("bad").write_text('{\n"settings": {"speed": 1}}', "utf-8")
    rows = {row.key: row for row in setting_presets.preset_rows("motions")}
    assert "bad.json, line 2: 'speed' does not belong to motions" in rows["own:bad"].problem
    assert not rows["walk"].problem
    menu = type("Drawn", (), {"layout": Paper(), "group": "motions"})()
    HEFT_MT_motions.draw(menu, bpy.context)
    assert {"Walk", rows["own:bad"].problem} <= set(menu.layout.said)
    with pytest.raises(RuntimeError, match="speed"):
        bpy.ops.heft.load_preset(group="motions", key="own:bad")
    assert settings_of(rig) == BakeSettings(), "nothing was changed"


def test_published_models_are_for_the_command_line(rig: Any) -> None:
    rows = {row.key: row for row in setting_presets.preset_rows("characters")}
    assert "command line only" in rows["dasilva2008_3d"].problem
    with pytest.raises(RuntimeError, match="body of its own"):
        bpy.ops.heft.load_preset(group="characters", key="dasilva2008_3d")


def test_the_panel_shows_all_dials_and_only_properties_that_exist(rig: Any) -> None:
    """Names that do not exist would be an error in the window only."""
    panel = type("Drawn", (), {"layout": Paper()})()
    HEFT_PT_dials.draw(panel, bpy.context)
    shown = [name for name in panel.layout.shown if name in DIALS]
    assert sorted(shown) == sorted(DIALS)
    assert set(shown) <= set(rig.heft.dials.bl_rna.properties.keys())
    assert HEFT_PT_advanced.bl_parent_id == HEFT_PT_dials.bl_idname
    assert HEFT_PT_advanced.bl_options == {"DEFAULT_CLOSED"}


def test_every_balance_method_is_offered_with_its_use(rig: Any) -> None:
    items = rig.heft.bl_rna.properties["balance"].enum_items
    offered = {item.identifier: (item.name, item.description) for item in items}
    assert offered == {name: (method.label, method.use) for name, method in BALANCE_METHODS.items()}
    assert rig.heft.balance == BakeSettings().balance
    for name, method in BALANCE_METHODS.items():
        rig.heft.balance = name
        assert settings_of(rig).balance == name
        panel = type("Drawn", (), {"layout": Paper()})()
        window = SimpleNamespace(object=rig, region=SimpleNamespace(width=4000.0))
        window.preferences = SimpleNamespace(system=SimpleNamespace(ui_scale=1.0))
        HEFT_PT_advanced.draw(panel, window)
        assert "balance" in panel.layout.shown
        assert method.use in panel.layout.said, "the panel says when to take it"
