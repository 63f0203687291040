"""How Sphinx makes a site of this folder: `make docs`. It asks no network for anything."""

from importlib.metadata import version as version_of

project = "New-Wiki Eval"
release = version = version_of("newwiki-eval")
html_title = f"{project} {release}"

extensions = ["myst_parser"]
myst_heading_anchors = 3

html_theme = "furo"
html_copy_source = False
html_show_copyright = False
