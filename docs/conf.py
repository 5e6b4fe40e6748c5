"""The manual: `python3 dev.py docs` (docs/decisions/0009-manual.md)."""

project = "Heft"
author = copyright = "Heft developers"
extensions = ["myst_parser"]
# The sources are the repository, so that links between pages are the same there and in the manual.
include_patterns = [
    "docs/**",
    "bench/results/*.md",
    "bench/results/*.png",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
]
root_doc = "docs/index"
myst_enable_extensions = ["dollarmath", "attrs_block"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "Heft"
html_show_sphinx = False
