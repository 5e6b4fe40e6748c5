"""A virtual screen, and pictures of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType

from .find_blender import Missing

WIDTH, HEIGHT = 1280, 1080


def require_screen() -> None:
    """Raise when the programs for it are not installed."""
    for program, package in (("Xvfb", "xvfb"), ("import", "imagemagick")):
        if shutil.which(program) is None:
            raise Missing(f"The program {program} is missing: install it with `apt-get install {package}`.")


class Screen:
    """Xvfb on the first free display, while the `with` block runs."""

    def __enter__(self) -> Screen:
        reader, writer = os.pipe()
        size = f"{WIDTH}x{HEIGHT}x24"
        command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", size, "-nolisten", "tcp"]
        self._server = subprocess.Popen(command, pass_fds=(writer,), stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as answer:
            number = answer.readline().strip()
        if not number:
            self._server.wait()
            raise Missing("Xvfb did not start.")
        self.display = f":{number}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.terminate()
        self._server.wait()

    def picture(self, path: Path, area: list[int] | None = None) -> None:
        """Blender's own screenshot is black under software OpenGL, so the screen is taken.

        area: width, height and upper left corner of a part [pixels], whose empty edges are cut off
        """
        subprocess.run(["import", "-display", self.display, "-window", "root", str(path)], check=True)
        if area is not None:
            width, height, x, y = area
            part = ["-crop", f"{width}x{height}+{x}+{y}", "+repage", "-fuzz", "3%"]
            # The first trim takes the edge between two areas, the second one the empty room.
            trims = ["-trim", "+repage", "-trim", "+repage"]
            subprocess.run(["mogrify", *part, *trims, str(path)], check=True)
