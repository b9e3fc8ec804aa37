# SPDX-License-Identifier: GPL-2.0-only
"""The command line: one file for each command."""
