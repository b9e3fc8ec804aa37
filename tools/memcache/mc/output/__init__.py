# SPDX-License-Identifier: GPL-2.0-only
"""How it is shown: tables, pictures, pages, files for other programs."""
