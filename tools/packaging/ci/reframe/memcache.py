# SPDX-License-Identifier: GPL-2.0-only
"""Acceptance of the nodes of a machine, for ReFrame: each node is measured on its own, and must
not be slower than a node that was accepted.

    reframe -C settings.py -c memcache.py --distribute=idle -S baseline=/PATH/accepted.jsonl -r

Without a baseline, the figures are only reported. -S sets the variables of the class below.
memcache has to be installed on the nodes and where ReFrame runs.
"""

import os
import re
import subprocess

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_after, run_before, sanity_function, variable

# A line of `memcache export --format lava` is a figure.
FIGURE = re.compile(r"TEST_CASE_ID=(\S+) RESULT=(pass|fail) UNITS=(\S+) MEASUREMENT=(\S+)>")
# Of figures in these units, more is better, or less. Others have no reference.
MORE, LESS = ("MB/s",), ("ns",)


def figures(text: str) -> dict[str, tuple[str, float]]:
    """The unit and the value of each figure, by its name."""
    return {name: (unit, float(value)) for name, _, unit, value in FIGURE.findall(text)}


@rfm.simple_test
class memcache(rfm.RunOnlyRegressionTest):
    """Measures a suite on one node."""

    #: a suite of memcache, or a request
    what = variable(str, value="bandwidth-sweep-quick")
    #: where to measure: user; kernel needs root and the loaded module
    where = variable(str, value="user")
    #: results of `memcache run`, of the same suite, of a node that was accepted
    baseline = variable(str, value="")
    #: how much slower a figure may be
    fail_over = variable(float, value=0.05)

    descr = "memory of a node"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    prerun_cmds = ["set -e"]
    executable = "memcache"
    postrun_cmds = ["memcache export --format lava -o figures results.jsonl"]
    keep_files = ["results.jsonl", "figures"]
    exclusive_access = True
    time_limit = "1h"

    @run_after("init")
    def set_words(self) -> None:
        self.executable_opts = ["run", "--where", self.where, "-o", "results.jsonl",
                                f"'{self.what}'"]

    @sanity_function
    def all_measured(self) -> bool:
        """memcache has measured, no data is wrong, and no figure of the baseline is missing."""
        file = os.path.join(self.stagedir, "figures")
        sn.evaluate(sn.assert_true(os.path.exists(file), "memcache failed: see rfm_job.err"))
        with open(file, encoding="utf-8") as text:
            self.measured = text.read()
        missing = sorted(self.figures_of_baseline().keys() - figures(self.measured).keys())
        return sn.all([
            sn.assert_not_found(r"RESULT=fail", "figures", "data failed verification"),
            sn.assert_true(figures(self.measured), "there are no figures"),
            sn.assert_false(missing, f"{len(missing)} figures of the baseline were not measured, "
                                     f"such as {''.join(missing[:1])}")])

    @run_before("performance")
    def set_references(self) -> None:
        """Each figure with its unit; those of the baseline with a limit."""
        limits = {}
        for name, (unit, value) in self.figures_of_baseline().items():
            if unit in MORE:
                limits[name] = (value, -self.fail_over, None, unit)
            elif unit in LESS:
                limits[name] = (value, None, self.fail_over, unit)
        self.reference = {"*": limits}
        self.perf_variables = {
            name: sn.make_performance_function(sn.defer(value), unit)
            for name, (unit, value) in figures(self.measured).items()}

    def figures_of_baseline(self) -> dict[str, tuple[str, float]]:
        if not self.baseline:
            return {}
        return figures(subprocess.run(["memcache", "export", "--format", "lava", self.baseline],
                                      check=True, capture_output=True, text=True).stdout)
