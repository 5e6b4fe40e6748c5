"""Build the extension's zip files with Blender's own tool, and check what is in them."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

from .environments import site_packages
from .shell import ROOT, WORK, DevError, capture, last_lines
from .wheels import PLATFORM_IN_NAME, PLATFORMS, collect_wheels, missing_wheels

DIST = ROOT / "dist"
NEVER_SHIPPED = (".", "bench/", "dev.py", "docs/", "requirements/", "tests/", "tools/", "wheels/numpy")
PACKAGES = ("addon", "operators", "panels", "presets", "sim_core")
FILES = ("__init__.py", "blender_manifest.toml", "LICENSE")


def build(bare_python: Path) -> dict[str, Path]:
    """Build and validate a zip for each platform in `dist/`; return the zips by platform."""
    source = stage_sources(WORK / "package" / "heft")
    _add_wheels(source, collect_wheels(bare_python))
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    tags = _valid_tags(bare_python)
    _blender_tool(bare_python, "validate", tags, source)
    where = ("--source-dir", source, "--output-dir", DIST)
    _blender_tool(bare_python, "build", tags, *where, "--split-platforms")
    zips = {platform: _zip_of(platform) for platform in PLATFORMS}
    for platform, path in zips.items():
        _blender_tool(bare_python, "validate", tags, path)
        check_contents(path, platform)
    return zips


def check_contents(path: Path, platform: str) -> None:
    """Check the zip's wheels, which Blender's validator does not look at."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    wheels = [Path(name).name for name in names if name.endswith(".whl")]
    foreign = [tag for other, tag in PLATFORM_IN_NAME.items() if other != platform]
    problems = [f"{gap} is missing" for gap in missing_wheels(wheels, platform)]
    problems += [f"{name} is for another platform" for name in wheels if any(tag in name for tag in foreign)]
    problems += [f"{name} must not ship" for name in names if name.startswith(NEVER_SHIPPED)]
    if problems:
        raise DevError(f"The zip {path.name} is wrong: {'; '.join(problems)}.")


def with_wheels(manifest: str, wheel_names: list[str]) -> str:
    """Return the manifest's text with the `wheels` list before its first table."""
    lines = manifest.splitlines(keepends=True)
    first_table = next(i for i, line in enumerate(lines) if line.startswith("["))
    listed = "".join(f'  "./wheels/{name}",\n' for name in wheel_names)
    return "".join([*lines[:first_table], f"wheels = [\n{listed}]\n\n", *lines[first_table:]])


def _add_wheels(source: Path, wheels: list[Path]) -> None:
    (source / "wheels").mkdir()
    for wheel in wheels:
        shutil.copy2(wheel, source / "wheels" / wheel.name)
    manifest = source / "blender_manifest.toml"
    manifest.write_text(with_wheels(manifest.read_text("utf-8"), [w.name for w in wheels]), "utf-8")


def _scripts(bare_python: Path) -> Path:
    return next((site_packages(bare_python) / "bpy").glob("[0-9]*/scripts"))


def _valid_tags(bare_python: Path) -> str:
    return f"--valid-tags={next(_scripts(bare_python).glob('**/extensions/tags.py'))}"


def _blender_tool(bare_python: Path, *arguments: str | Path) -> None:
    tool = _scripts(bare_python) / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py"
    answer = capture([bare_python, tool, *arguments])
    if answer.returncode != 0:
        raise DevError(f"Blender's extension tool refused to {arguments[0]}:\n{last_lines(answer.stdout)}")


def _zip_of(platform: str) -> Path:
    found = sorted(DIST.glob(f"heft-*-{platform.replace('-', '_')}.zip"))
    if len(found) != 1:
        raise DevError(f"Expected one zip for {platform} in dist, found {len(found)}.")
    return found[0]


def stage_sources(destination: Path) -> Path:
    """Copy the files that ship as a package into `destination` (replaced) and return it."""
    shutil.rmtree(destination, ignore_errors=True)
    destination.mkdir(parents=True)
    skip = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, destination / name, ignore=skip)
    for name in FILES:
        shutil.copy2(ROOT / name, destination / name)
    return destination
