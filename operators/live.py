"""The buttons Play Live, Keep and Forget."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.types import Context, Event, Operator

from ..addon.blender.blender_types import OperatorResult, RigContext, rig_context
from ..addon.jobs.job_queue import QUEUE
from ..addon.jobs.progress import show_progress
from ..addon.live.plays import forget_take, keep_take, take_of
from ..addon.reading.rig_reader import metres_per_unit
from ..addon.reading.sequence_reader import require_source
from ..sim_core.base.errors import HeftError, InputError
from .job_operator import BakeOperator, JobOperator
from .shared import accepts, has_armature, outside_edit_mode, reports_errors

if TYPE_CHECKING:
    from ..addon.live.live_play import LivePlay
    from ..addon.live.live_take import TakeSession
    from ..addon.live.live_view import View
    from ..sim_core.jobs.live_job import Played

DRAG_PIXELS = 4
ARROWS = {"UP_ARROW": "forward", "DOWN_ARROW": "stop", "LEFT_ARROW": "left", "RIGHT_ARROW": "right"}
TURNS = ("LEFT_ARROW", "RIGHT_ARROW")
FASTER, SLOWER = ("NUMPAD_PLUS", "EQUAL"), ("NUMPAD_MINUS", "MINUS")


class HEFT_OT_play_live(JobOperator, Operator):
    """Play with the simulated character in the 3D view: pull it, throw balls at it. No key is changed"""

    bl_idname = "heft.play_live"
    bl_label = "Play Live"
    bl_options = {"REGISTER"}
    work = "Live play"
    period_s = 1.0 / 60.0

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not has_armature(cls, context) or not cls.is_free():
            return False
        return accepts(cls, partial(require_source, rig_context(context).object)) and outside_edit_mode(
            cls, context
        )

    def execute(self, context: Context) -> OperatorResult:
        self.report({"ERROR"}, "Live play needs a window; on the command line take heft live.")
        return {"CANCELLED"}

    def make_session(self, context: RigContext) -> LivePlay:
        """Return the simulation; the view shows it as soon as it runs."""
        from ..addon.live.live_display import LiveDisplay
        from ..addon.live.live_play import LivePlay
        from ..addon.live.live_view import ViewAlong

        if context.area is None or context.area.type != "VIEW_3D":
            raise InputError("Live play is shown in a 3D view; press the button there.")
        self.play, self.area = LivePlay(context, context.object), context.area
        self.mass, self.speed, self.factor = 2.0, 8.0, 1.0
        self.pressed: tuple[int, int] | None = None
        self.row: int | None = None
        self.held: int | None = None
        self.metres = metres_per_unit(context.scene)
        self.display = LiveDisplay(self.play, self.metres)
        self.view_along, self.follows = ViewAlong(self.metres), True
        return self.play

    def modal(self, context: Context, event: Event) -> OperatorResult:
        """Show the next frame, or do what the mouse and the keys ask for."""
        if self.play not in QUEUE:
            return self._cancelled(context)
        if event.type == "TIMER":
            return self._tick(context)
        if event.type == "ESC" and event.value == "PRESS":
            return self._leave(context)
        if self.play.frame is None:
            return {"RUNNING_MODAL"} if self.play.holds_scene else {"PASS_THROUGH"}
        if self._key(event) or self._mouse(context, event):
            return {"RUNNING_MODAL"}
        return {"PASS_THROUGH"}

    def _tick(self, context: Context) -> OperatorResult:
        try:
            played = self.play.step(rig_context(context))
        except HeftError as problem:
            self.report({"ERROR"}, str(problem))
            return self._cancelled(context)
        except Exception:
            self._cancelled(context)
            raise
        if played is not None:
            return self._ended(context, played)
        show_progress(rig_context(context))
        self._draw(context)
        return {"PASS_THROUGH"}

    def _draw(self, context: Context) -> None:
        from ..addon.live.live_display import lines_of

        play, reader = self.play, self.play.reader
        grabbed = "" if self.held is None or reader is None else reader.names.bones[self.held]
        self.display.lines = lines_of(play, self.mass, self.speed, grabbed)
        if self.follows and play.frame is not None and (shown := self._shown()) is not None:
            self.view_along.follow(shown[1], play.frame)
        for window in rig_context(context).window_manager.windows:
            for area in window.screen.areas:
                if area.type == "VIEW_3D":
                    area.tag_redraw()

    def _leave(self, context: Context) -> OperatorResult:
        """End; a recorded take waits for its log."""
        if not self.play.recorded or self.play.ending:
            self.report({"INFO"}, "Live play ended; everything is as it was before.")
            return self._cancelled(context)
        self.play.end()
        return {"RUNNING_MODAL"}

    def _ended(self, context: Context, played: Played) -> OperatorResult:
        keep_take(self.play, played)
        self._end(context)
        told = f"A take of {played.log.seconds:.1f} s was recorded: press Keep to write it as actions."
        self.report({"INFO"}, told)
        return {"FINISHED"}

    def _end(self, context: Context) -> None:
        display = getattr(self, "display", None)
        if display is not None:
            display.close()
            if (shown := self._shown()) is not None:
                self.view_along.put_back(shown[1])
        super()._end(context)
        if context.area is not None:
            context.area.tag_redraw()

    def _key(self, event: Event) -> bool:
        """Do what a key asks for; return whether it was one of ours."""
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
        from ..sim_core.live.commands import Steer

        if event.value == "PRESS" and not event.is_repeat:
            self.play.send(Steer(ARROWS[event.type]))
        elif event.value == "RELEASE" and event.type in TURNS:
            self.play.send(Steer("forward"))

    def _change_speed(self, factor: float) -> None:
        from ..sim_core.live.commands import Speed

        self.factor = min(max(self.factor * factor, 0.1), 2.0)
        self.play.send(Speed(self.factor))

    def _press(self, key: str) -> bool:
        """Do what a key without others asks for; return whether it was one of ours."""
        from ..sim_core.live.commands import Pause, Restart, Step

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

    def _mouse(self, context: Context, event: Event) -> bool:
        """Pull and throw; return whether the event was one of ours."""
        from ..addon.live.live_view import bone_under, next_mass, next_speed

        view = self._view(event)
        if event.type in ("WHEELUPMOUSE", "WHEELDOWNMOUSE") and view is not None:
            steps = 1 if event.type == "WHEELUPMOUSE" else -1
            if event.ctrl:
                self.mass = next_mass(self.mass, steps)
            elif event.shift:
                self.speed = next_speed(self.speed, steps)
            return bool(event.ctrl or event.shift)
        if event.type == "LEFTMOUSE" and event.value == "PRESS" and view is not None:
            self.pressed, frame = (event.mouse_x, event.mouse_y), self.play.frame
            assert frame is not None
            self.row = bone_under(view, frame, self._pixel(view, event))
            return True
        if self.pressed is None:
            return False
        if event.type == "MOUSEMOVE":
            self._drag(view, event)
            return True
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self._let_go(view, event)
            return True
        return False

    def _drag(self, view: View | None, event: Event) -> None:
        from ..addon.live.live_view import grab, pull

        frame, reader = self.play.frame, self.play.reader
        if view is None or self.row is None or self.pressed is None or frame is None or reader is None:
            return
        moved = abs(event.mouse_x - self.pressed[0]) + abs(event.mouse_y - self.pressed[1])
        if self.held is None and moved < DRAG_PIXELS:
            return
        wanted = pull(view, frame, self.row, self._pixel(view, event))
        if self.held is None:
            self.held = self.row
            self.play.send(grab(reader.names, frame, self.row, np.array(wanted.target)))
        self.play.send(wanted)
        self.display.pulled = self.row, np.array(wanted.target, dtype=np.float64)

    def _let_go(self, view: View | None, event: Event) -> None:
        from ..addon.live.live_view import throw
        from ..sim_core.live.commands import Release

        frame = self.play.frame
        if self.held is not None:
            self.play.send(Release())
        elif view is not None and frame is not None:
            self.play.send(throw(view, frame, self._pixel(view, event), self.mass, self.speed))
        self.pressed = self.row = self.held = None
        self.display.pulled = None

    def _view(self, event: Event) -> View | None:
        """Return the 3D view if the mouse is over it, and over none of its panels."""
        from ..addon.live.live_view import View

        if (shown := self._shown()) is None:
            return None
        area, space = shown
        for region in area.regions:
            if region.type in ("UI", "TOOLS", "HEADER", "TOOL_HEADER") and _inside(region, event):
                return None
        window = next((own for own in area.regions if own.type == "WINDOW"), None)
        return View(window, space, self.metres) if window is not None and _inside(window, event) else None

    def _shown(self) -> tuple[bpy.types.Area, bpy.types.RegionView3D] | None:
        """Return the area of the play and its view, unless it was closed or shows something else now."""
        windows = rig_context(bpy.context).window_manager.windows
        areas = (area for window in windows for area in window.screen.areas)
        area = next((area for area in areas if area == self.area), None)
        space = None if area is None else area.spaces.active
        if area is None or not isinstance(space, bpy.types.SpaceView3D) or space.region_3d is None:
            return None
        return area, space.region_3d

    @staticmethod
    def _pixel(view: View, event: Event) -> tuple[float, float]:
        return event.mouse_x - view.region.x, event.mouse_y - view.region.y


def _inside(region: bpy.types.Region, event: Event) -> bool:
    x, y = event.mouse_x - region.x, event.mouse_y - region.y
    return region.width > 1 and 0 <= x < region.width and 0 <= y < region.height


class HEFT_OT_keep_take(BakeOperator, Operator):
    """Write the recorded take as new actions of the character and of what it pushed"""

    bl_idname = "heft.keep_take"
    bl_label = "Keep"
    bl_options = {"REGISTER", "UNDO"}
    work = "Keep"

    @classmethod
    def poll(cls, context: Context) -> bool:
        cls.poll_message_set("Play Live and press R to record a take first")
        return (
            has_armature(cls, context)
            and take_of(rig_context(context).object) is not None
            and cls.can_queue([rig_context(context).object])
        )

    def make_session(self, context: RigContext) -> TakeSession:
        from ..addon.live.live_take import TakeSession

        take = take_of(context.object)
        if take is None:
            raise InputError("There is no take; play live and press R to record one.")
        return TakeSession(context.object, take)


class HEFT_OT_forget_take(Operator):
    """Forget the recorded take"""

    bl_idname = "heft.forget_take"
    bl_label = "Forget"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return HEFT_OT_keep_take.poll(context)

    @reports_errors
    def execute(self, context: Context) -> OperatorResult:
        forget_take(rig_context(context).object)
        return {"FINISHED"}


CLASSES = (HEFT_OT_play_live, HEFT_OT_keep_take, HEFT_OT_forget_take)
