"""What a result tells of its forces obeys mechanics."""

from __future__ import annotations

import numpy as np
import pytest

from sim_core.analysis.analysis import Analysis, analyse_result
from sim_core.bake.pipeline import bake
from sim_core.base.conventions import GRAVITY
from sim_core.base.errors import InputError
from sim_core.result.result import Result
from sim_core.scenario.job import Job
from sim_core.scenario.settings import BakeSettings
from tests.core.sample_files import small_result
from tests.core.sample_motions import walk
from tests.core.sample_people import MAPPING, person


@pytest.fixture(scope="module")
def result() -> Result:
    motion = person(walk(1.2).performance)
    return bake(Job(motion, MAPPING, BakeSettings(quality="draft", assist_cap=0.0, find_assist=False)))


@pytest.fixture(scope="module")
def analysis(result: Result) -> Analysis:
    return analyse_result(result)


def test_forces_of_a_simulation_explain_its_momentum(analysis: Analysis) -> None:
    """Both are means with the same hat over the engine's steps.

    What is left of the moment is that arms are those at the sample, and that the engine keeps angular
    momentum to the first order of its step.
    """
    weight = analysis.mass * GRAVITY
    force, moment = analysis.residual[2:-2, :3], analysis.residual[2:-2, 3:]
    assert np.sqrt((force**2).sum(axis=1).mean()) < 0.005 * weight
    arms = np.cross(analysis.contact_point - analysis.com[:, None], analysis.contact_force).sum(axis=1)
    assert np.abs(moment).mean() < 0.01 * np.abs(arms).mean()


def test_feet_carry_the_body(analysis: Analysis) -> None:
    total = analysis.foot_force.sum(axis=1)
    assert np.allclose(total, analysis.contact_force.sum(axis=1))
    assert total[:, 2].mean() == pytest.approx(analysis.mass * GRAVITY, rel=0.1)
    carries = analysis.foot_force[..., 2] > 5.0
    assert np.array_equal(carries, np.isfinite(analysis.foot_pressure[..., 0]))
    assert np.abs(analysis.foot_pressure[carries][:, 2]).max() < 0.02


def test_joints_pay_for_the_energy(analysis: Analysis) -> None:
    """Sole points at rest take no power, so the work of the joints is the gain of energy.

    What is left is damping of soft contacts, and means of torques that are multiplied by speeds at the
    sample, which matters at touchdowns and is gone after them.
    """
    work = np.cumsum(analysis.power.sum(axis=1)) * analysis.dt
    lost = (work - work[0]) - (analysis.energy - analysis.energy[0])
    swing = np.ptp(analysis.energy)
    assert np.abs(lost).max() < 0.35 * swing
    assert abs(lost[-1]) < 0.1 * swing
    assert np.corrcoef(np.gradient(work), np.gradient(analysis.energy))[0, 1] > 0.9


def test_names_of_axes_lead_to_their_bodies(analysis: Analysis) -> None:
    bodies = [name.split("/")[0] for name in analysis.axis_name]
    assert analysis.body_name[analysis.axis_body].tolist() == bodies
    assert analysis.foot_name.tolist() == ["foot.L", "foot.R"]


def test_results_without_forces_are_refused() -> None:
    with pytest.raises(InputError, match="no simulated motion"):
        analyse_result(small_result(simulated=np.zeros(5)))
