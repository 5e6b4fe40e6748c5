"""The report in Blender: nothing of the user's is touched, and all of Heft's can be taken away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import pytest
from bpy.types import Object
from heft.addon.blender import compat
from heft.addon.report import report_store
from heft.addon.report.report_export import LONGEST, PREFIX
from heft.sim_core.base.errors import InputError

from tests.blender.rigs import animate, fingerprint, humanoid

pytestmark = pytest.mark.usefixtures("heft_registered")


def sliding() -> Object:
    """Glides half a metre with its feet on the floor."""
    obj = humanoid()
    animate(obj, "Hips")
    obj.heft.range_mode, obj.heft.frame_start, obj.heft.frame_end = "CUSTOM", 1, 12
    return obj


def own_marks() -> list[str]:
    return [marker.name for marker in bpy.context.scene.timeline_markers if marker.name.startswith(PREFIX)]


def test_check_judges_and_changes_no_action() -> None:
    obj = sliding()
    bpy.context.scene.timeline_markers.new("mine", frame=3)
    before = fingerprint(obj)
    assert not bpy.ops.heft.save_report.poll() and not bpy.ops.heft.plot_report.poll()
    assert bpy.ops.heft.check() == {"FINISHED"}
    report = obj.heft_report
    assert report.present and not report.compared and 0.0 <= report.before <= 100.0
    assert {row.words for row in report.rows} >= {"Standing feet slide", "Trembling"}
    assert fingerprint(obj) == before
    assert not obj.heft.outcome.present and len(bpy.data.actions) == 1
    assert len(own_marks()) == len(report.worst)


def test_marks_are_replaced_and_removed_and_the_users_stay() -> None:
    obj = sliding()
    bpy.ops.heft.check()
    markers = bpy.context.scene.timeline_markers
    markers.new("mine", frame=3)
    obj.heft_report.worst.clear()
    for frame in (4, 7):
        worst = obj.heft_report.worst.add()
        worst.frame, worst.text = frame, "the left foot slides 11 cm; " * 5
    for _ in range(2):
        assert bpy.ops.heft.mark_worst_frames() == {"FINISHED"}
        assert sorted(m.frame for m in markers if m.name.startswith(PREFIX)) == [4, 7]
    assert all(len(name) <= LONGEST for name in own_marks())
    assert bpy.ops.heft.clear_marks() == {"FINISHED"}
    assert [marker.name for marker in markers] == ["mine"]
    assert not bpy.ops.heft.clear_marks.poll()
    bpy.ops.heft.jump_to_frame(frame=7)
    assert bpy.context.scene.frame_current == 7


def test_who_wants_no_marks_gets_none() -> None:
    obj = sliding()
    obj.heft_report.marks = False
    bpy.ops.heft.check()
    assert own_marks() == []


def test_a_simulation_is_judged_before_and_after_and_plotted(tmp_path: Path) -> None:
    obj = sliding()
    obj.heft.quality = "draft"
    assert bpy.ops.heft.simulate() == {"FINISHED"}
    report = obj.heft_report
    assert report.compared and report.after >= 0.0 and len(report.parts) == 5
    assert all(part.after >= 0.0 for part in report.parts)
    actions = fingerprint(obj)
    for _ in range(2):
        assert bpy.ops.heft.plot_report() == {"FINISHED"}
    empty = report.curves
    curves = {curve.data_path: curve for curve in compat.curves_of(compat.action_of(empty))}
    assert '["after effort %"]' in curves and '["before feet slide cm/s"]' in curves
    effort = curves['["after effort %"]']
    assert [point.co[0] for point in effort.keyframe_points] == list(range(1, 13))
    assert 0.0 < max(point.co[1] for point in effort.keyframe_points) <= 100.0 + 1e-3
    own = {empty.animation_data.action.name}
    assert fingerprint(obj, skip_actions=tuple(own)) == actions
    assert [action.name for action in bpy.data.actions if "_report" in action.name] == list(own)

    page = tmp_path / "report.html"
    assert bpy.ops.heft.save_report(filepath=str(page)) == {"FINISHED"}
    assert "Plotly.newPlot(" in page.read_text("utf-8")
    with pytest.raises(RuntimeError, match="does not exist"):
        bpy.ops.heft.save_report(filepath=str(tmp_path / "none" / "report.html"))


def test_check_judges_what_is_shown_and_the_other_figure_stays() -> None:
    obj = sliding()
    obj.heft.quality = "draft"
    assert bpy.ops.heft.simulate() == {"FINISHED"}
    report = obj.heft_report
    source_score = report.before
    report.after = 1.0  # not a score that the result can have

    assert bpy.ops.heft.check() == {"FINISHED"}
    assert report.compared and report.before == source_score
    result_score = report.after
    assert result_score > 1.0, "the result is shown, and was judged"
    assert bpy.ops.heft.plot_report.poll(), "the curves of the bake stay"

    assert bpy.ops.heft.toggle_source() == {"FINISHED"}
    report.before = 1.0
    assert bpy.ops.heft.check() == {"FINISHED"}
    assert report.before == pytest.approx(source_score, abs=0.5)
    assert report.compared and report.after == result_score


def test_a_report_of_another_day_is_shown_but_not_plotted(tmp_path: Path) -> None:
    obj = sliding()
    bpy.ops.heft.check()
    rows = len(obj.heft_report.rows)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "x.blend"))
    obj.heft_report.token = "from another session"
    assert len(obj.heft_report.rows) == rows
    assert not bpy.ops.heft.plot_report.poll()


def test_only_the_last_results_are_in_memory() -> None:
    nothing: Any = None
    stored = report_store.StoredResult(nothing, nothing, nothing)
    tokens = [report_store.store_result(stored) for _ in range(report_store.MOST + 1)]
    assert not report_store.has_stored_result(tokens[0]) and report_store.has_stored_result(tokens[-1])
    with pytest.raises(InputError, match="simulate or check again"):
        report_store.stored_result(tokens[0])
