# SPDX-License-Identifier: GPL-2.0-only
"""What is asked, and what came of it: suites, requests, results files."""
