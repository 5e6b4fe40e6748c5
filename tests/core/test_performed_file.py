"""Motion files as performers: markers that are fitted and sent or followed, and walks on treadmills."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim_core.base import rotations
from sim_core.base.errors import InputError
from sim_core.cli.main import main
from sim_core.doctor.self_test import standing_job
from sim_core.following.choices import FILE
from sim_core.following.performed_file import PerformedFile
from sim_core.following.stream_choice import StreamChoice
from sim_core.motion.bvh_writer import write_bvh
from sim_core.reading.bvh_clip import AS_FOUND
from sim_core.result.result import load_result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from sim_core.sources.motion_source import read_source
from sim_core.sources.performed import USUAL_RATE_HZ, performed_frames, performer_of
from tests.core.sample_markers import write_trc
from tests.core.sample_people import MAPPING
from tests.core.sample_subject import RATE_HZ, walker
from tests.core.test_treadmill import SPEED, in_place

SECONDS = 1.2


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A TRC file of somebody who walks, with a marker missing for a while."""
    known = walker(round(SECONDS * RATE_HZ) + 1)
    points = 1000.0 * np.array(known.take.position_world)
    points[10:20, 4] = np.nan
    return write_trc(tmp_path_factory.mktemp("capture") / "walk.trc", list(known.labels), points)


def test_markers_come_as_the_poses_of_their_fit_when_they_are_due(capture: Path) -> None:
    performer = PerformedFile(capture, 0.5)
    assert len(performer.poll(10.0)) == 1 and performer.heard_s == 10.0
    assert len(performer.poll(10.0 + 0.5 / USUAL_RATE_HZ)) == 0 and performer.heard_s == 10.0
    for now_s in np.arange(10.0, 10.0 + SECONDS + 0.1, 0.01):
        performer.poll(float(now_s))
    assert performer.counts.frames == round(SECONDS * USUAL_RATE_HZ) + 1
    assert performer.heard_s < 10.0 + SECONDS + 0.02, "then it is silent"
    source = read_source([capture], AS_FOUND, 0.0)
    rig, _ = performed_frames(performer_of(Job(source.motion, source.mapping, BakeSettings())), 60.0, False)
    poses = performer.buffer.between(0.0, SECONDS)
    assert poses is not None
    back, fitted = rig.motion(poses, 1.0, np.zeros(3)), source.motion.at(source.motion.time[0] + poses.time)
    driver = rig.binding.driver
    angle = rotations.angle_between(back.quaternion_world[:, driver], fitted.quaternion_world[:, driver])
    # Joints that bend the wrong way are repaired before they are sent.
    assert np.degrees(np.median(angle)) < 0.5


def test_a_walk_on_a_treadmill_is_sent_as_one_over_ground() -> None:
    motion = in_place()
    scenario = performer_of(Job(motion, MAPPING, BakeSettings()))
    _, frames = performed_frames(scenario, 30.0, False)
    hips = np.array([frame.hips for frame in frames])
    gone = np.linalg.norm((hips[-1] - hips[0])[:2]) / scenario.scale
    assert gone == pytest.approx(SPEED * motion.duration, rel=0.1)
    assert any("sent as walking over ground" in note for note in scenario.notes)


def test_files_that_cannot_be_followed_are_refused(capture: Path) -> None:
    with pytest.raises(InputError, match=r"lasts 1\.2 s.*choose a longer"):
        PerformedFile(capture, 1.5)
    with pytest.raises(InputError, match="No motion file is chosen"):
        StreamChoice(FILE)


def test_a_character_follows_a_marker_file(
    capture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`heft live --performer`: the result's source is the capture, and its note says so."""
    character, out = tmp_path / "character.bvh", tmp_path / "take.npz"
    write_bvh(standing_job().motion, character)
    asked = ["live", str(character), "--performer", str(capture), "--out", str(out), "--quality", "draft"]
    assert main([*asked, "--seconds", "0.3", "--delay", "0.5"]) == 0
    result = load_result(out)
    assert any("the motion of 'walk.trc', followed 0.5 s behind" in note for note in result.meta.notes)
    capsys.readouterr()
    assert main([*asked, "--vmc"]) != 0
    assert "one stream at a time" in capsys.readouterr().err
