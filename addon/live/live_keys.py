"""The keys of a live play: steering, pause, the speed of time, a new start, recording, and the view's way."""

from __future__ import annotations

from bpy.types import Event

from ...sim_core.live.commands import Pause, Restart, Speed, Steer, Step
from .live_play import LivePlay

ARROWS = {"UP_ARROW": "forward", "DOWN_ARROW": "stop", "LEFT_ARROW": "left", "RIGHT_ARROW": "right"}
TURNS = ("LEFT_ARROW", "RIGHT_ARROW")
FASTER, SLOWER = ("NUMPAD_PLUS", "EQUAL"), ("NUMPAD_MINUS", "MINUS")


class LiveKeys:
    """Does what the keys ask for.

    factor: speed of time that was asked for; follows: whether the view goes along with the character
    """

    def __init__(self, play: LivePlay) -> None:
        self.play = play
        self.factor, self.follows = 1.0, True

    def take(self, event: Event) -> bool:
        """Do what a key asks for; return whether it was one of the play's."""
        if event.type in ARROWS and self.play.steered and not (event.ctrl or event.shift or event.alt):
            self._steer(event)
            return True
        if event.value != "PRESS" or event.ctrl or event.alt:
            return False
        if event.type in (*FASTER, *SLOWER):
            self._change_speed(1.25 if event.type in FASTER else 0.8)
            return True
        return not event.shift and self._press(event.type)

    def _steer(self, event: Event) -> None:
        """Ask for a direction; a turn ends when its key is released."""
        if event.value == "PRESS" and not event.is_repeat:
            self.play.send(Steer(ARROWS[event.type]))
        elif event.value == "RELEASE" and event.type in TURNS:
            self.play.send(Steer("forward"))

    def _change_speed(self, factor: float) -> None:
        self.factor = min(max(self.factor * factor, 0.1), 2.0)
        self.play.send(Speed(self.factor))

    def _press(self, key: str) -> bool:
        """Do what a key without others asks for; return whether it was one of the play's."""
        if key == "SPACE":
            self.play.paused = not self.play.paused
            self.play.send(Pause(self.play.paused))
        elif key in ("PERIOD", "NUMPAD_PERIOD"):
            self.play.paused = True
            self.play.send(Step())
        elif key == "BACK_SPACE" and self.play.can_restart:
            self.play.send(Restart())
        elif key == "R":
            self.play.record()
        elif key == "F":
            self.follows = not self.follows
        else:
            return False
        return True
