# SPDX-License-Identifier: GPL-2.0-only
"""What the numbers say."""
