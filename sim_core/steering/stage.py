"""Sets up a steered run: the character of a graph, its segments and its director."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..actions.graph import ActionGraph
from ..actions.steering import Steering
from ..live.repeated import live_setup
from ..live.segment import SegmentLibrary
from ..live.take import Stage
from ..motion.motion import CONTROL_DT
from ..scenario.job import Job
from ..scenario.settings import BakeSettings
from ..sequence.clip import one_after_the_other
from .director import Director, Taken
from .link_segments import LinkSegments


@dataclass(eq=False)
class Steered:
    """A character that is steered through a graph; its body is measured on all actions together.

    director: of the last run
    """

    graph: ActionGraph
    settings: BakeSettings
    director: Director | None = None

    @cached_property
    def stage(self) -> Stage:
        """All that a run starts from."""
        graph = self.graph
        motion = one_after_the_other([action.clip.motion for action in graph.actions])
        segments = LinkSegments(graph, live_setup(Job(motion, graph.mapping, self.settings)))
        library, steering = SegmentLibrary(), Steering(graph)
        library.add(segments.start_name, segments.start)

        def direct() -> Director:
            self.director = Director(segments, steering, library, segments.start_part)
            return self.director

        return Stage(segments.setup, library, segments.start_name, 1.0 / CONTROL_DT, direct)

    @property
    def commands(self) -> list[Taken]:
        """The commands of the last run, and when each was taken."""
        return [] if self.director is None else self.director.log
