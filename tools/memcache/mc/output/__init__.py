# SPDX-License-Identifier: GPL-2.0-only
"""How results are shown: tables, pictures, pages, files for other programs."""
