# SPDX-License-Identifier: GPL-2.0-only
"""What is measured and the results: suites, requests, results files."""
