"""The collision shapes of a character's bodies as a result records them: about their centres of mass."""

from __future__ import annotations

from ..result.records import BodyShape, BoxShape, CapsuleShape, vector
from .spec import CharacterSpec, SegmentBox, SegmentCapsule


def body_shapes(spec: CharacterSpec) -> tuple[BodyShape, ...]:
    """Return the shapes of all segments, in their order."""
    return tuple(
        BodyShape(
            vector(-segment.com),
            tuple(
                CapsuleShape(vector(c.start - segment.com), vector(c.end - segment.com), float(c.radius))
                for c in segment.shapes
                if isinstance(c, SegmentCapsule)
            ),
            tuple(
                BoxShape(vector(b.centre - segment.com), vector(b.half_size))
                for b in segment.shapes
                if isinstance(b, SegmentBox)
            ),
        )
        for segment in spec
    )
