"""Several selected armatures are one simulation: each gets a new action, in one step, or none does."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Object
from heft.addon.bake import bake_job
from heft.addon.bake.bake_job import prepare_bakes
from heft.addon.bake.bake_options import armatures_of, participants_of
from heft.addon.blender.steps import run_all
from heft.panels.main import HEFT_PT_main
from heft.sim_core.bake.pipeline import bake_together
from heft.sim_core.base.errors import InputError

from tests.blender.at_once import finish_bakes
from tests.blender.rigs import LAST_FRAME, animate, fingerprint, humanoid
from tests.blender.test_scene_reader import cube

pytestmark = pytest.mark.usefixtures("heft_registered")


def pair(apart: float = 2.0) -> tuple[Object, Object]:
    """Two animated figures side by side, both selected; the first one is active."""
    figures = []
    for name, x in (("Ann", 0.0), ("Bo", apart)):
        obj = humanoid()
        obj.name = name
        animate(obj, "Hips")
        obj.location.x = x
        obj.select_set(True)
        figures.append(obj)
    bpy.context.view_layer.objects.active = figures[0]
    bpy.context.view_layer.update()
    return figures[0], figures[1]


def test_the_active_one_comes_first_and_only_armatures_count() -> None:
    ann, bo = pair()
    cube("Crate").select_set(True)
    bpy.context.view_layer.objects.active = bo
    assert armatures_of(bpy.context) == [bo, ann]
    ann.select_set(False)
    assert armatures_of(bpy.context) == [bo]


def test_both_get_an_action_of_their_own_and_nothing_else_changes() -> None:
    ann, bo = pair()
    sources = [obj.animation_data.action.name for obj in (ann, bo)]
    before = fingerprint(ann)
    assert bpy.ops.heft.simulate(simulate=False) == {"FINISHED"}
    baked = [obj.animation_data.action.name for obj in (ann, bo)]
    assert baked == [f"{name}_heft" for name in sources]
    assert fingerprint(ann, skip_actions=tuple(baked)) == before
    assert all(obj.heft.outcome.present for obj in (ann, bo))
    assert list(Path(bpy.app.tempdir).glob("heft_*")) == []


def test_one_undo_takes_back_both() -> None:
    def actions() -> list[str]:
        return [bpy.data.objects[name].animation_data.action.name for name in ("Ann", "Bo")]

    pair()
    sources, count = actions(), len(bpy.data.actions)
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="Before")
    assert bpy.ops.heft.simulate("EXEC_DEFAULT", True, simulate=False) == {"FINISHED"}
    assert actions() == [f"{name}_heft" for name in sources]
    bpy.ops.ed.undo()
    assert actions() == sources and len(bpy.data.actions) == count


def test_one_simulation_takes_each_one_s_own_settings() -> None:
    ann, bo = pair()
    ann.heft.quality = bo.heft.quality = "draft"
    ann.heft.assist_cap, bo.heft.assist_cap = 0.0, 40.0
    bo.data.heft.mass = 90.0
    bo.heft.self_collision = False
    jobs = [prepared.job for prepared in run_all(prepare_bakes(bpy.context, participants_of(bpy.context)))]
    assert [job.name for job in jobs] == ["Ann", "Bo"]
    assert [job.settings.assist_cap for job in jobs] == [0.0, 40.0]
    assert [job.settings.mass for job in jobs] == [None, 90.0]
    assert [job.settings.self_collision for job in jobs] == [True, False]


def test_a_simulation_of_two_is_reported_for_both() -> None:
    ann, bo = pair()
    for obj in (ann, bo):
        obj.heft.quality = "draft"
        obj.heft.range_mode, obj.heft.frame_start, obj.heft.frame_end = "CUSTOM", 1, 8
    assert bpy.ops.heft.simulate() == {"FINISHED"}
    assert all(obj.heft.outcome.simulated for obj in (ann, bo))
    assert all(obj.animation_data.action.name.endswith("_heft") for obj in (ann, bo))


def test_different_ranges_are_cut_to_what_both_have() -> None:
    ann, bo = pair()
    ann.heft.range_mode, ann.heft.frame_start, ann.heft.frame_end = "CUSTOM", 1, 12
    bo.heft.range_mode, bo.heft.frame_start, bo.heft.frame_end = "CUSTOM", 5, LAST_FRAME
    prepared = run_all(prepare_bakes(bpy.context, participants_of(bpy.context, simulate=False)))
    assert [(int(p.sampled.frame[0]), int(p.sampled.frame[-1])) for p in prepared] == [(5, 12), (5, 12)]
    assert all("frames 5 to 12" in p.notes[-1] for p in prepared)
    reports = finish_bakes(bpy.context, prepared, bake_together([p.job for p in prepared]))
    for each, report in zip(prepared, reports, strict=True):
        keys = bpy.data.actions[report.action_name].frame_range
        assert keys[0] <= 5 and keys[1] >= 12
        whole = each.sampled.motion.time[each.sampled.frame_sample]
        fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
        assert whole == pytest.approx(np.arange(5, 13) / fps)
    bo.heft.frame_start, bo.heft.frame_end = 15, LAST_FRAME
    with pytest.raises(InputError, match="'Ann', 'Bo' have no frames in common"):
        run_all(prepare_bakes(bpy.context, participants_of(bpy.context)))


def test_a_rig_that_was_changed_meanwhile_spoils_it_for_all() -> None:
    ann, bo = pair()
    prepared = run_all(prepare_bakes(bpy.context, participants_of(bpy.context, simulate=False)))
    results = bake_together([p.job for p in prepared])
    bpy.data.objects.remove(bo)
    before, actions = fingerprint(ann), len(bpy.data.actions)
    with pytest.raises(InputError, match="'Bo' was deleted in the meantime"):
        finish_bakes(bpy.context, prepared, results)
    assert fingerprint(ann) == before and len(bpy.data.actions) == actions


def test_what_the_second_one_lacks_is_said_by_its_name() -> None:
    _, bo = pair()
    bo.animation_data_clear()
    assert not bpy.ops.heft.simulate.poll()
    with pytest.raises(InputError, match="'Bo' has no animation"):
        participants_of(bpy.context)


def test_a_throw_is_meant_for_the_character_that_it_is_aimed_at() -> None:
    ann, bo = pair()
    ball = cube("Ball", "PROJECTILE")
    ball.scale, ball.location = (0.1, 0.1, 0.1), (1.0, -2.0, 1.3)
    ball.heft_object.target_rig, ball.heft_object.target_bone = bo, "Chest"
    bpy.context.view_layer.update()
    jobs = [prepared.job for prepared in run_all(prepare_bakes(bpy.context, participants_of(bpy.context)))]
    assert jobs[0].scene.characters == {"Bo"}
    bo.select_set(False)
    (alone,) = run_all(prepare_bakes(bpy.context, participants_of(bpy.context)))
    with pytest.raises(InputError, match="'Bo', which is not simulated; there is 'Ann'"):
        bake_together([alone.job])


def test_props_are_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pair()
    prepared = run_all(prepare_bakes(bpy.context, participants_of(bpy.context, simulate=False)))
    calls: list[str] = []

    def write_props(*_: object) -> tuple[str, ...]:
        calls.append("props")
        return ("A prop moved.",)

    monkeypatch.setattr(bake_job, "write_props", write_props)
    reports = finish_bakes(bpy.context, prepared, bake_together([p.job for p in prepared]))
    assert calls == ["props"]
    assert ["A prop moved." in report.notes for report in reports] == [True, False]


class Drawn:
    """A layout that keeps the text of its labels."""

    def __init__(self) -> None:
        self.text: list[str] = []

    def row(self, **_: object) -> Drawn:
        return self

    column = box = row

    def label(self, text: str, icon: str = "NONE") -> None:
        self.text.append(text)

    def operator(self, name: str, text: str = "", icon: str = "NONE") -> None:
        assert name in ("heft.simulate", "heft.play_live")

    def prop(self, _data: object, name: str, text: str = "") -> None:
        assert name in ("quality", "follow")


def test_the_panel_shows_who_takes_part() -> None:
    _, bo = pair()

    def shown() -> list[str]:
        layout, now = Drawn(), bpy.context
        context = SimpleNamespace(
            object=now.object,
            scene=now.scene,
            view_layer=now.view_layer,
            window_manager=now.window_manager,
            preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)),
            region=SimpleNamespace(width=600),
        )
        panel: Any = SimpleNamespace(layout=layout)
        HEFT_PT_main.draw(panel, context)
        return layout.text

    everybody = ["Simulated together:", "Ann", "Bo"]
    first = shown().index(everybody[0])
    assert shown()[first : first + 3] == everybody
    bo.select_set(False)
    assert not set(everybody) & set(shown())
