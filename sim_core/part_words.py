"""What the user is told where a part of the body or of the time was not simulated."""

from __future__ import annotations

from .settings import BakeSettings


def part_notes(settings: BakeSettings) -> tuple[str, ...]:
    notes = []
    if not settings.simulate:
        return ()
    if settings.only == "upper":
        notes.append(
            "Only the upper body was simulated: hips and legs follow the clip, and no forces carry them."
        )
    ends = [
        f"the {which} {seconds:g} s"
        for which, seconds in (("first", settings.blend_in_s), ("last", settings.blend_out_s))
        if seconds > 0.0
    ]
    if ends:
        words = " and ".join(ends)
        notes.append(f"{words.capitalize()} are a mix with the clip, which no forces explain.")
    return tuple(notes)
