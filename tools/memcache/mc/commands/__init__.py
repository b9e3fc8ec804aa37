# SPDX-License-Identifier: GPL-2.0-only
"""What a person types: a file for each command."""
