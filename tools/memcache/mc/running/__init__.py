# SPDX-License-Identifier: GPL-2.0-only
"""What starts a measurement, and watches it."""
