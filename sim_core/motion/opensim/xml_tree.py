"""Elements of an XML file from anywhere: bounded in size and depth, and without definitions of its own.

A file that declares a document type is refused, because its entities may multiply or name other files.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

import numpy as np

from ...base.conventions import FloatArray
from ...base.errors import SHOWN, InputError
from ...base.files import read_bytes

MOST_BYTES = 64 * 2**20
MOST_DEPTH = 100


def parse_xml(path: Path) -> Element:
    """Return the root element of a file."""
    data = read_bytes(path)
    if len(data) > MOST_BYTES:
        raise InputError(f"'{path.name}' has {len(data) / 1e6:.0f} MB, which no model has; choose a model.")
    builder, depth = TreeBuilder(), 0
    parser = expat.ParserCreate()

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MOST_DEPTH:
            raise InputError(
                f"'{path.name}' line {parser.CurrentLineNumber}: elements are nested more than "
                f"{MOST_DEPTH} deep; export the model again."
            )
        builder.start(name, attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name)

    def refuse_doctype(*_: object) -> None:
        raise InputError(
            f"'{path.name}' line {parser.CurrentLineNumber}: it declares a document type, which "
            "models do not; export the model again."
        )

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = builder.data, refuse_doctype
    try:
        parser.Parse(data, True)
        return builder.close()
    except (expat.ExpatError, AssertionError) as problem:
        line = getattr(problem, "lineno", 1)
        raise InputError(
            f"'{path.name}' line {line}: this is not readable XML ({problem}); export the model again."
        ) from problem


def text_of(element: Element, name: str, default: str = "") -> str:
    """Return the text of a child, or the default if there is none."""
    return (element.findtext(name) or default).strip()


def numbers_of(element: Element, name: str, where: str, count: int | None = None) -> FloatArray:
    """Return the numbers of a child; where: the owner in messages; count: how many there must be."""
    text = text_of(element, name)
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError:
        values = np.full(1, np.nan)
    if not values.size or not np.isfinite(values).all() or (count is not None and len(values) != count):
        wanted = "numbers" if count is None else f"{count} number(s)"
        raise InputError(
            f"{where} needs {wanted} in <{name}>, but has '{text[:SHOWN]}'; export the model again."
        )
    return values
