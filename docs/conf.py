"""How Sphinx makes a site of this folder: `make docs`. It asks no network for anything."""

import logging
from importlib.metadata import version as version_of

project = "New-Wiki Eval"
release = version = version_of("newwiki-eval")
html_title = f"{project} {release}"

extensions = ["myst_parser"]
myst_heading_anchors = 3
# Pages that are not written yet are no error: their names are patterns in index.md. Sphinx has no setting for it.
logging.getLogger("sphinx.sphinx.directives.other").addFilter(lambda said: "glob pattern" not in str(said.msg))
exclude_patterns = ["**.ipynb_checkpoints"]

html_theme = "furo"
html_copy_source = False
html_show_copyright = False
