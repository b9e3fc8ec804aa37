# SPDX-License-Identifier: GPL-2.0-only
"""Events of the cores: lines that a run sets and takes away, and the table of a report."""

import unittest

import fake
from mc.analysis import events
from mc.output import export
from mc.records import tests
from mc.running.counting import counting

COUNTED = {event: None for event in tests.EVENTS} | {"events_why": None}


LINE = "bandwidth size=16M repeat=10"


def report(*results):
    found = fake.runs_of(fake.BARE, (LINE, list(results)))
    return fake.one_line(fake.terminal_lines(events.parts(found)))


def told(*results):
    """The conclusions: the facts of each id."""
    return fake.said(events.parts(fake.runs_of(fake.BARE, (LINE, list(results)))))


def result(op, **counted):
    return fake.result(f"{LINE} op={op}", 1000.0) | COUNTED | counted


class Side:
    """A side that has one counter set already."""
    def __init__(self):
        self.set = ["mine\n"]

    def counters(self):
        return self.set[-1]

    def count(self, text):
        self.set.append(text)


class Events(unittest.TestCase):
    def test_lines_are_set_for_a_run_that_asks(self):
        for asked in True, False:
            side = Side()
            with counting([side], False, asked):
                self.assertEqual(side.set[-1].split(), list(tests.EVENTS) if asked else ["mine"])
            self.assertEqual((side.set[-1], len(side.set)), ("mine\n", 3 if asked else 1))

    def test_nobody_asked(self):
        self.assertEqual(report(result("read", events_why="no_counters")), "")
        self.assertEqual(report(fake.result(LINE, 1000.0)), "")

    def test_the_table(self):
        def missing(count, op, **more):
            return result(op, **more) | {"dTLB-load-misses": count}

        text = report(missing(0.125, "read", cycles=1000.0, instructions=2500.0),
                      missing(0.0, "write", cycles=4e6, instructions=1e6))
        self.assertIn("read 1000 2500 0.125 2.50", text)
        self.assertIn("write 4e+06 1e+06 0 0.25", text)
        self.assertNotIn("misses: na", text)

    def test_one_that_took_turns_says_so(self):
        found = [result("read", cycles=1000.0, instructions=2500.0, cycles_ran_percent=100.0,
                        instructions_ran_percent=33.3),
                 result("write", cycles=4e6, instructions=1e6, cycles_ran_percent=100.0,
                        instructions_ran_percent=66.6)]
        self.assertIn("read 1000 ~2500 ~2.50", report(*found))
        self.assertIn("write 4e+06 ~1e+06 ~0.25", report(*found))
        self.assertEqual(told(*found), {"event_in_turns": {
            "event": "instructions", "count": (2, 2), "percents": [33.3, 66.6]}})

    def test_one_that_never_ran_on_a_thread(self):
        one = result("read", cycles=1000.0, instructions_ran_percent=0.0, events_why="did_not_run")
        self.assertIn("bandwidth 1000 na", report(one))
        self.assertEqual([*told(one)], ["events_missing"])
        self.assertEqual(told(one)["events_missing"]["reason"], events.WHY["did_not_run"])

    def test_exported_under_names_that_prometheus_takes(self):
        found = fake.runs_of(fake.BARE, (LINE, [result("read") | {"L1-dcache-load-misses": 7.5}]))
        self.assertRegex(export.prometheus(found),
                         r"(?m)^memcache_bandwidth_L1_dcache_load_misses\{.*\} 7\.5$")

    def test_why_some_are_missing(self):
        for more, events_left in (({"cycles": 10.0}, tests.EVENTS[1:]), ({}, tests.EVENTS)):
            one = result("read", events_why="no_pmu", **more)
            self.assertEqual(told(one), {"events_missing": {
                "events": [*events_left], "reason": events.WHY["no_pmu"]}})
            self.assertEqual("/ cycle" in report(one), bool(more))
