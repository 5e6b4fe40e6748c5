"""The Simulate and Make Plausible buttons."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from bpy.props import BoolProperty, EnumProperty
from bpy.types import Context, Operator

from ..addon.bake.bake_options import armatures_of, participants_of, plausible_participants_of
from ..addon.bake.remedies import apply_remedy
from ..addon.blender.blender_types import RigContext, rig_context
from ..addon.reading.sequence_reader import require_source
from .job_operator import BakeOperator
from .shared import accepts, has_armature, outside_edit_mode

if TYPE_CHECKING:
    from ..addon.bake.bake_job import BakeSession


class _Simulates(BakeOperator):
    """A job on the motions of all selected armatures."""

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not has_armature(cls, context) or not cls.can_queue(armatures_of(rig_context(context))):
            return False
        found = all(accepts(cls, partial(require_source, obj)) for obj in armatures_of(rig_context(context)))
        return found and outside_edit_mode(cls, context)


class HEFT_OT_simulate(_Simulates, Operator):
    """Simulate the animation of the selected armatures and bake the result into new actions"""

    bl_idname = "heft.simulate"
    bl_label = "Simulate"
    bl_options = {"REGISTER", "UNDO"}

    simulate: BoolProperty(
        name="Simulate",
        description="If off, the motion passes through the character unchanged, to check a rig",
        default=True,
        options={"HIDDEN", "SKIP_SAVE"},
    )

    def make_session(self, context: RigContext) -> BakeSession:
        from ..addon.bake.bake_job import BakeSession

        return BakeSession(context, participants_of(context, self.simulate))


REMEDIES = (
    ("STANDARD", "Standard Quality", "Try other methods, and search where all fall; a draft does neither"),
    ("SEARCH", "Search Longer", "Best quality: search for another way to carry out the motion"),
    (
        "ASSIST",
        "Allow Assist",
        "Allow an outside force on the hips that was found to keep the motion; it is always shown",
    ),
    ("SHORTEN", "Then Source", "Simulate the frames before the fall; those after it stay the source's own"),
)


class HEFT_OT_try_again(_Simulates, Operator):
    """Change one option and simulate again"""

    bl_idname = "heft.try_again"
    bl_label = "Try Again"
    bl_options = {"REGISTER", "UNDO"}

    remedy: EnumProperty(items=REMEDIES, options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def description(cls, context: Context, properties: Any) -> str:
        """Return the tooltip of one remedy."""
        return next(tip for key, _, tip in REMEDIES if key == properties.remedy)

    def make_session(self, context: RigContext) -> BakeSession:
        from ..addon.bake.bake_job import BakeSession

        apply_remedy(context.object, self.remedy)
        return BakeSession(context, participants_of(context))


class HEFT_OT_make_plausible(_Simulates, Operator):
    """Make the smallest change that makes the animation physically possible, without a simulation"""

    bl_idname = "heft.make_plausible"
    bl_label = "Make Plausible"
    bl_options = {"REGISTER", "UNDO"}
    work = "Make Plausible"

    def make_session(self, context: RigContext) -> BakeSession:
        from ..addon.bake.bake_job import BakeSession

        return BakeSession(context, plausible_participants_of(context))


CLASSES = (
    HEFT_OT_simulate,
    HEFT_OT_try_again,
    HEFT_OT_make_plausible,
)
