# SPDX-License-Identifier: GPL-2.0-only
"""Whether results were disturbed, by other work on their machine or by a hypervisor, and the
verdict on a whole run. The manual gives the reasons for the limits ("Disturbed results")."""

from mc.analysis.words import Say, said
from mc.records import tests
from mc.records.results import Run

MOST = 0.5      # of the samples of a result, or of the results of a run
SPREAD = 20     # percent: a larger coefficient of variation leaves little of a figure
OTHERS = {"disturbed_preemption": "preempted", "disturbed_migration": "moved to another CPU",
          "disturbed_steal": "interrupted by the hypervisor",
          "disturbed_neighbour": "slowed at the same clock, as by a neighbour on the core"}
BY_WINDOW = ("disturbed_preemption", "disturbed_migration")
# What other work does, and what a machine has at rest, too, such as its governor.
WORK = ("load", "busy", "sibling", "steal")
# Why samples were left out (enum mc_left_out).
LEFT_OUT = {"no_overlap": "the threads did not run at once, as on a busy machine",
            "disturbed": "every sample was disturbed", "clock": "the clock ran backwards"}


def is_disturbed(result: dict) -> bool:
    """Whether the figures of a result mean little."""
    taken = (result.get("samples") or 0) + (result.get("left_out") or 0)
    return bool(taken) and ((result.get("cv_percent") or 0) > SPREAD or is_slowed(result))


def is_slowed(result: dict) -> bool:
    """Whether most samples were lost, or others had a part in their times. Interrupts alone do not
    count: a long sample has some on every machine. A sample does not count either if the windows
    that were hit are left out of it."""
    left = result.get("left_out") or 0
    taken = (result.get("samples") or 0) + left
    if not left and not any(map(result.get, OTHERS)):
        return False    # as most results are
    lost = left if result.get("left_out_why") != "one_cpu" else 0
    windows = result.get("windows_left_out") or 0
    hit = max((result.get(key) or 0) - windows * (key in BY_WINDOW) for key in OTHERS)
    return max(lost, hit) > MOST * taken


def without_figure(results: list[dict]) -> str:
    """How many of these results have no figure, as all of their samples were left out, and why;
    empty if none. That a test takes two CPUs where there is one is no failure."""
    bad = [str(result.get("left_out_why") or "") for result in results
           if result.get("samples") == 0 and result.get("left_out")]
    bad = [why for why in bad if why != "one_cpu"]
    causes = [text for why, text in LEFT_OUT.items() if any(why in one for one in bad)]
    return Say("no_figure", count=(len(bad), len(results)), causes=causes or [
        "the record does not say why"]) if bad else ""


def verdict(runs: list[Run]) -> str:
    """The first sentence of a report if most results were disturbed, or if other work was seen
    before the run; else nothing."""
    results = [result for run in runs for result in run.results]
    bad = [result for result in results if is_disturbed(result)]
    around = work_before(runs)
    count = len(bad), len(results)
    if len(bad) > MOST * len(results):
        return Say("most_disturbed", count=count, why=[*_causes(bad), *around],
                   remedy=_remedy(runs))
    if results and around:
        return Say("not_quiet", count=count, work=around, bad=bool(bad), several=len(bad) > 1,
                   remedy=_remedy(runs))
    return ""


def _remedy(runs: list[Run]) -> str:
    """What lets threads of user space go before other work, if those of some test did not."""
    lines = [run.request["line"] for run in runs if run.where == "user" and any(
        result.get("sched") == "keep" and not tests.is_preset(result["test"], "sched", "keep")
        for result in run.results)]
    if not lines:
        return ""
    return "With sched=auto" if any("sched=keep" in line for line in lines) else "As root (sudo)"


def work_before(runs: list[Run]) -> list[str]:
    """The other work that a look before the runs has shown, each kind once."""
    by_kind: dict[str, str] = {}
    for run in runs:
        quiet = run.machine.get("quiet")
        for one in quiet.get("found", ()) if isinstance(quiet, dict) else ():
            if one["kind"] in WORK:
                by_kind.setdefault(one["kind"], one["what"])
    return list(by_kind.values())


def _causes(results: list[dict]) -> list[Say]:
    """The causes for which samples of these results were disturbed, with the number of samples."""
    causes = []
    for key, name in OTHERS.items():
        counted = [result for result in results if result.get(key) is not None]
        taken = sum((r.get("samples") or 0) + (r.get("left_out") or 0) for r in counted)
        if count := sum(result[key] for result in counted):
            causes.append(Say("samples_hit", count=(count, taken), taken=taken, how=name))
    saw = sum(result.get("disturbed_interrupt") or 0 for result in results)
    alone = sum("no_overlap" in str(result.get("left_out_why")) for result in results)
    return causes + said((not causes and saw, "saw_interrupts", {"n": saw}),
                         (alone, "not_at_once", {"n": alone}))
