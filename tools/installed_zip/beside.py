"""Third and fourth step: an extension that brings other versions of Heft's packages is installed beside it.

Blender installs the newest wheel of all extensions into one folder. The versions that are made here cannot
be loaded. In the first form Blender's own process needs none of them, and the worker must use its own copies;
in the second one SciPy is among them, which Heft must say in one sentence. Blender 4.2 leaves the wheels that
are there already; then Heft must work as without its neighbour.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import zipfile
from pathlib import Path

import bpy

from .install import MODULE, load_preferences

MANIFEST = """schema_version = "1.0.0"
id = "neighbour"
version = "{version}"
name = "Neighbour"
tagline = "Brings packages"
maintainer = "Nobody"
type = "add-on"
blender_version_min = "4.2.0"
license = ["SPDX:GPL-3.0-or-later"]
wheels = [{wheels}]
"""
BROKEN = "raise ImportError('it was made for another numpy')\n"
OLD, NEW = "99.0", "99.1"


def main(form: str) -> None:
    """Install the neighbour, use Heft beside it, or meet one that leaves no SciPy."""
    load_preferences(enabled=True)
    if form == "install":
        install(("jinja2", "osqp", "numpy"), OLD)
    elif form == "use":
        check_own_copies()
        install(("jinja2", "osqp", "numpy", "scipy"), NEW)
    else:
        check_sentence()
    bpy.ops.wm.save_userpref()


def install(names: tuple[str, ...], version: str) -> None:
    """Install an extension whose wheels cannot be loaded."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "neighbour.zip"
        wheels = {f"./wheels/{name}-{version}-py3-none-any.whl": name for name in names}
        listed = ", ".join(f'"{wheel}"' for wheel in wheels)
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("blender_manifest.toml", MANIFEST.format(version=f"{version}.0", wheels=listed))
            packed.writestr("__init__.py", "def register(): pass\ndef unregister(): pass\n")
            for wheel, name in wheels.items():
                packed.writestr(wheel.removeprefix("./"), _wheel(Path(folder), name, version))
        done = bpy.ops.extensions.package_install_files(
            filepath=str(path), repo="user_default", enable_on_install=True, overwrite=True
        )
        assert done == {"FINISHED"}, done


def _wheel(folder: Path, name: str, version: str) -> bytes:
    path = folder / "wheel.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(f"{name}/__init__.py", BROKEN)
        packed.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        packed.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr(f"{info}/RECORD", "".join(f"{one},,\n" for one in packed.namelist()))
    return path.read_bytes()


def is_shared(user_folder: str, name: str, version: str) -> bool:
    """Return whether Blender has installed this version of a package for all; only 4.2 may not."""
    shared = sorted(Path(user_folder).glob(f"extensions/.local/lib/**/{name}-*.dist-info"))
    found = [path.name for path in shared] == [f"{name}-{version}.dist-info"]
    assert found or bpy.app.version < (4, 3, 0), f"the neighbour lost: {shared}"
    return found


def check_own_copies() -> None:
    """Check that the worker loads the versions of Heft's own wheels, and finds that all is well."""
    user_folder = os.path.realpath(os.environ["BLENDER_USER_RESOURCES"])
    assert bpy.ops.heft.check_installation() == {"FINISHED"}
    found = importlib.import_module(f"{MODULE}.addon.jobs.doctor_session").last_doctor_report()
    assert found.failed == 0, found
    if not is_shared(user_folder, "jinja2", OLD):
        return
    copies = str(Path(user_folder) / "extensions" / ".user")
    strays = [name for name, place in found.origins.items() if not place.startswith(copies)]
    assert strays == ["numpy"], found.origins
    assert "extensions" not in found.origins["numpy"], found.origins


def check_sentence() -> None:
    """Check that Heft says in its own panel why it cannot run, and can be disabled."""
    if not is_shared(os.path.realpath(os.environ["BLENDER_USER_RESOURCES"]), "scipy", NEW):
        assert hasattr(bpy.types, "HEFT_OT_simulate"), "Heft is not there, although its SciPy is"
        return
    panel = getattr(bpy.types, "HEFT_PT_refusal", None)
    assert panel is not None and not hasattr(bpy.types, "HEFT_OT_simulate"), "Heft does not say why"
    assert f"scipy {NEW} cannot be loaded here" in panel.sentence, panel.sentence
    assert "It comes with 'neighbour': disable that extension" in panel.sentence, panel.sentence
    bpy.ops.preferences.addon_disable(module=MODULE)
    assert not hasattr(bpy.types, "HEFT_PT_refusal"), "the panel is left"


if __name__ == "__main__":
    main(sys.argv[1])
    sys.stdout.flush()
