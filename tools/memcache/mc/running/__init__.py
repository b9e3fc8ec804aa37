# SPDX-License-Identifier: GPL-2.0-only
"""Starting measurements and watching them."""
