"""System packages with the shared libraries that the bpy wheel needs on Linux."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from .shell import capture, last_lines

# soname without its version -> (Debian and Ubuntu package, Fedora package)
PACKAGES = {
    "libEGL": ("libegl1", "libglvnd-egl"),
    "libGL": ("libgl1", "libglvnd-glx"),
    "libGLX": ("libglx0", "libglvnd-glx"),
    "libICE": ("libice6", "libICE"),
    "libOpenGL": ("libopengl0", "libglvnd-opengl"),
    "libSM": ("libsm6", "libSM"),
    "libX11": ("libx11-6", "libX11"),
    "libXcursor": ("libxcursor1", "libXcursor"),
    "libXext": ("libxext6", "libXext"),
    "libXfixes": ("libxfixes3", "libXfixes"),
    "libXi": ("libxi6", "libXi"),
    "libXinerama": ("libxinerama1", "libXinerama"),
    "libXrandr": ("libxrandr2", "libXrandr"),
    "libXrender": ("libxrender1", "libXrender"),
    "libXt": ("libxt6", "libXt"),
    "libXxf86vm": ("libxxf86vm1", "libXxf86vm"),
    "libgomp": ("libgomp1", "libgomp"),
    "libwayland-client": ("libwayland-client0", "libwayland-client"),
    "libxkbcommon": ("libxkbcommon0", "libxkbcommon"),
}
NOT_FOUND = re.compile(r"(\S+\.so[.\d]*)(?:: cannot open shared object file| => not found)")


def missing_sonames(text: str) -> list[str]:
    """Return the names of shared libraries that the loader or `ldd` reports as missing."""
    return sorted(set(NOT_FOUND.findall(text)))


def package_hint(sonames: list[str]) -> str:
    """Return a sentence: what is missing, and the packages that have it."""
    known = [PACKAGES[name] for name in (s.split(".so")[0] for s in sonames) if name in PACKAGES]
    sentence = f"Blender's module needs system libraries that are missing ({', '.join(sonames)}); "
    if not known:
        return sentence + "install the packages of your system that contain these files and try again."
    debian = " ".join(sorted({package[0] for package in known}))
    fedora = " ".join(sorted({package[1] for package in known}))
    return sentence + f"install them with `apt-get install {debian}` or `dnf install {fedora}` and try again."


def explain_missing_libraries(import_output: str, bpy_folder: Path) -> str:
    """Turn a failed `import bpy` into advice; the loader names one library only, `ldd` all of them."""
    text = import_output
    if shutil.which("ldd"):
        for binary in bpy_folder.glob("__init__*.so"):
            text += capture(["ldd", binary]).stdout
    sonames = missing_sonames(text)
    if sonames:
        return package_hint(sonames)
    return f"Blender's module cannot be imported:\n{last_lines(import_output)}"
