# SPDX-License-Identifier: GPL-2.0-only
"""The manual: `make docs` builds it in build/docs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "sphinx"))

project = "memcache"
author = "the memcache maintainers"
project_copyright = "the memcache maintainers, GPL-2.0-only"
root_doc = "index"
exclude_patterns = ["ABI", "sphinx"]
extensions = ["house"]
primary_domain = "c"
highlight_language = "none"
smartquotes = False

html_theme = "furo"
html_title = "memcache"
html_static_path = ["_static"]
html_css_files = ["memcache.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
