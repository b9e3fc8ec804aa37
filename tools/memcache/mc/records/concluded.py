# SPDX-License-Identifier: GPL-2.0-only
"""Figures that the front end concludes from what a record counted, as tests.json describes those of
the record itself."""

FIGURES: dict[str, list[dict]] = {
    "ramp": [
        {"name": "ms_to_95", "decimals": 2, "help": "when the first step began from which on 95 % "
         "of the steps have 95 % of the settled speed"},
        {"name": "lost_bytes",
         "help": "payload that the steps before that one moved less than settled ones"},
    ],
    "tail": [
        {"name": "refresh", "words": ["found", "not_found"],
         "help": "do spikes have a period? null: there were too few"},
        {"name": "refresh_period_ns", "decimals": 3,
         "help": "time from a pause of the memory to the next"},
        {"name": "refresh_pause_ns", "decimals": 3,
         "help": "length of such a pause: the longest that an access waits for its end"},
        {"name": "refresh_coherence_percent", "decimals": 1,
         "help": "how well spikes keep to the period; random ones: about 5"},
    ],
}


def names(test: str) -> set[str]:
    """The names of these figures of a test."""
    return {figure["name"] for figure in FIGURES.get(test, [])}
