# SPDX-License-Identifier: GPL-2.0-only
"""Conclusions from results: levels, comparisons, verdicts."""
