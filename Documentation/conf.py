# SPDX-License-Identifier: GPL-2.0-only
"""The manual: `make docs` builds it in build/docs, and that of each release below that.

MEMCACHE_RELEASES: the releases that have a manual, each of which links to the others
MEMCACHE_RELEASE: the one that this is the manual of, if it is of one
"""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "sphinx"))

project = "memcache"
author = "The memcache authors"
project_copyright = "2026 The memcache authors, GPL-2.0-only"
version = release = subprocess.run([Path(__file__).parent.parent / "tools/version"], check=True,
                                   stdout=subprocess.PIPE, text=True).stdout.strip()
root_doc = "index"
exclude_patterns = ["ABI", "sphinx"]
templates_path = ["_templates"]
extensions = ["house"]
primary_domain = "c"
c_id_attributes = ["__iomem"]
highlight_language = "none"
smartquotes = False

html_theme = "furo"
html_title = "memcache"
html_context = {"releases": os.environ.get("MEMCACHE_RELEASES", "").split(),
                "this": os.environ.get("MEMCACHE_RELEASE", "")}
html_static_path = ["_static"]
html_css_files = ["memcache.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
