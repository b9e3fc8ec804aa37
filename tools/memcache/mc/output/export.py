# SPDX-License-Identifier: GPL-2.0-only
"""Results in the formats of other programs. What was asked for becomes labels or parts of names, so
a series never mixes results of different requests. What came of it is a value: a name outlives a
verdict, so a CI sees a test that fails, not one that is gone and another that is new."""

import io
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mc import make_plain
from mc.analysis.traffic import AMPLIFIED, is_unseen
from mc.output.tables import HIDDEN
from mc.records import fields, prices
from mc.records.fields import WHICH, figures, request_keys
from mc.records.results import HISTOGRAMS, Run, start_times

STATISTICS = ("min_ns", "median_ns", "max_ns", "mean_ns", "sd_ns", "p50_ns", "p99_ns",
              "cv_percent", "samples", "left_out")
VERDICT = ("attribute", "effective", "verified")
# The numbers of these words. Others, such as unknown and partly, have none.
OUTCOMES = {"effective": {"yes": 1, "no": 0}, "verified": {"ok": 1, "failed": 0}}
PLACE = ("memory_node", "threads")
MACHINE = ("kernel", "cpu", "hypervisor", "microcode", "clock")
# These keys do not change what is measured, so they are in no name.
ASIDE = ("repeat", "warmup", "disturbed")
ORIGIN = "memcache"
# A word in a name, the base unit for it, and the factor to that unit.
UNITS = {"ns": ("seconds", 1e-9), "mb": ("bytes", 1e6), "s": ("second", 1), "mhz": ("hertz", 1e6),
         "percent": ("ratio", 0.01)}
SYMBOLS = {"ns": "ns", "mb": "MB/s", "mhz": "MHz", "percent": "%", "bytes": "B"}


@dataclass(frozen=True)
class Measured:
    """A figure of a record, with the labels that identify it."""
    name: str
    value: float
    labels: dict[str, str]
    run: Run
    result: dict

    @property
    def symbol(self) -> str:
        """The symbol of its unit; empty for a plain number."""
        return next((SYMBOLS[word] for word in self.name.split("_") if word in SYMBOLS), "")

    @property
    def base(self) -> tuple[str, float]:
        """Its name and value in base units."""
        words = [UNITS.get(word, (word, 1)) for word in self.name.replace("-", "_").split("_")]
        factor = next((factor for _, factor in words if factor != 1), 1)
        return "_".join(word for word, _ in words), float(f"{self.value * factor:.12g}")

    @property
    def has_failed(self) -> bool:
        return self.result.get("verified") == "failed"

    @property
    def verdict_words(self) -> dict[str, str]:
        """What came of the request, in words."""
        return {key: str(self.result.get(key) or "na") for key in VERDICT}

    def path(self, separator: str) -> str:
        """A name of letters, digits, `_`, `-` and separators."""
        words = [self.labels["test"], self.labels["where"], *(
            f"{key}_{value}" for key, value in self.labels.items()
            if key not in ("test", "where", "suite", "section", *ASIDE, *PLACE)), self.name]
        return separator.join(re.sub(r"[^A-Za-z0-9_-]+", "-", word) for word in words)


def labelled_figures(runs: list[Run], all_of_them: bool = True) -> Iterator[Measured]:
    """The figures and statistics of these runs, or only the figures that a report shows. If
    several records have the same labels, each but the first gets a number."""
    counts: dict[tuple, int] = {}
    for run in runs:
        for result in run.results:
            labels = _labels(run, result)
            key = tuple(labels.items())
            counts[key] = counts.get(key, 0) + 1
            if counts[key] > 1:
                labels["repetition"] = str(counts[key])
            own = [name for name in figures(result) if name not in WHICH
                   and (all_of_them or name not in HIDDEN)]
            extra = [name for name in result if name in fields.TRAFFIC
                     or name in fields.EVENTS or name.startswith("dram_")] if all_of_them else []
            for name in (*(STATISTICS if all_of_them else ("median_ns",)), *own, *extra):
                value = None if name in AMPLIFIED and is_unseen(run, result) else result.get(name)
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    yield Measured(name, value, labels, run, result)
            for name, numbers in OUTCOMES.items():
                if result.get(name) in numbers:
                    yield Measured(name, numbers[result[name]], labels, run, result)


def _labels(run: Run, result: dict) -> dict[str, str]:
    simulation = prices.simulation(run.machine)
    labels = {"test": result["test"], "where": result["where"],
              "simulated": f"{simulation['emulator']}, prices {simulation['prices']}"
              if simulation else None, "file": run.request.get("file"), "suite": run.suite,
              "section": run.section, "label": run.request.get("label"), **request_keys(result),
              **{key: result.get(key) for key in (*WHICH, *PLACE)}}
    return {key: str(value) for key, value in labels.items() if value is not None}


# ----------------------------------------------------------------- prometheus

def prometheus(runs: list[Run]) -> str:
    """The text format for the node exporter's textfile collector: values in base units and
    without times; all lines of a metric stand together."""
    metrics: dict[str, list[str]] = {}
    helps: dict[str, str] = {}
    measured = list(labelled_figures(runs))
    for one in measured:
        name, value = one.base
        name = _safe_name(f"memcache_{one.labels['test']}_{name}")
        helps[name] = f"{_safe_name(one.name)} of {_safe_name(one.labels['test'])}, in base units."
        labels = {key: value for key, value in one.labels.items() if key != "test"}
        metrics.setdefault(name, []).append(f"{name}{_label_text(labels)} {value!r}")
    # All figures of a record have the same labels.
    records = {id(one.labels): one for one in measured}.values()
    metrics["memcache_verdict_info"] = [
        f"memcache_verdict_info{_label_text(one.labels | one.verdict_words)} 1" for one in records]
    helps["memcache_verdict_info"] = "What came of each request, in words."
    metrics["memcache_machine_info"] = list(dict.fromkeys(
        f"memcache_machine_info{_label_text(_machine_labels(run))} 1" for run in runs))
    helps["memcache_machine_info"] = "The machine that was measured."
    last = max(start_times(runs), default=0)
    metrics["memcache_last_run_timestamp_seconds"] = [
        f"memcache_last_run_timestamp_seconds {last / 1e9:.3f}"]
    helps["memcache_last_run_timestamp_seconds"] = "When the last result was begun."
    return "".join(f"# HELP {name} {helps[name]}\n# TYPE {name} gauge\n" + "".join(
        f"{line}\n" for line in lines) for name, lines in metrics.items())


def _machine_labels(run: Run) -> dict[str, str]:
    named = {"file": run.request.get("file"), **{key: run.machine.get(key) for key in MACHINE}}
    return {key: str(value) for key, value in named.items() if value} \
        | prices.simulation(run.machine)


def _label_text(labels: dict[str, str]) -> str:
    escape = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
    return "{" + ",".join(f'{_safe_name(key)}="{make_plain(value.translate(escape))}"'
                          for key, value in labels.items()) + "}"


def _safe_name(text: str) -> str:
    """The text as a name, in which no character ends a line or begins a value."""
    return re.sub(r"^(?=\d)|[^A-Za-z0-9_]", "_", text)


# ------------------------------------------------------------ CI, other tools

def kcidb(runs: list[Run], origin: str = ORIGIN, build_id: str | None = None) -> str:
    """A report for KCIDB, version 5: a test for each figure, with its `number`. They belong to
    this build, which KCIDB has from elsewhere, or to builds in the report, one for each kernel."""
    tests = []
    for one in labelled_figures(runs, all_of_them=False):
        number: dict[str, float | str] = {"value": one.base[1]}
        if symbol := {"ns": "s", "MB/s": "B/s", "MHz": "Hz", "B": "B"}.get(one.symbol):
            number |= {"unit": symbol, "prefix": "metric"}
        started = one.result.get("started_unix_ns") or 0
        tests.append({
            "id": f"{origin}:{started}:{one.path('.')}",
            "build_id": build_id or f"{origin}:{one.run.machine['kernel']}", "origin": origin,
            "path": f"memcache.{one.labels['test']}.{one.name}",
            "status": "FAIL" if one.has_failed else "DONE",
            "start_time": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(started / 1e9)),
            "environment": {"comment": one.run.machine["cpu"]},
            "number": number, "misc": one.labels | one.verdict_words})
    report: dict[str, object] = {"version": {"major": 5, "minor": 0}}
    if not build_id:
        kernels = {run.machine["kernel"]: run.machine.get("kernel_version") for run in runs}
        report["checkouts"] = [{"id": f"{origin}:{kernel}", "origin": origin, "comment": kernel}
                               for kernel in kernels]
        report["builds"] = [{"id": f"{origin}:{kernel}", "checkout_id": f"{origin}:{kernel}",
                             "origin": origin, "comment": version or kernel}
                            for kernel, version in kernels.items()]
    return json.dumps(report | {"tests": tests}, indent=1) + "\n"


def lkp(runs: list[Run]) -> str:
    """Lines of `key: value`, as the parsers of the Linux Kernel Performance tests print them."""
    return "".join(f"{one.path('.')}: {one.value!r}\n" for one in labelled_figures(runs))


def lava(runs: list[Run]) -> str:
    """The lines that lava-test-case prints for measurements."""
    return "".join(
        f"<LAVA_SIGNAL_TESTCASE TEST_CASE_ID={one.path('.')} RESULT="
        f"{'fail' if one.has_failed else 'pass'} UNITS="
        f"{one.symbol.replace('%', 'percent') or 'count'} MEASUREMENT={one.value!r}>\n"
        for one in labelled_figures(runs, all_of_them=False))


def csv(runs: list[Run]) -> str:
    """A row for each record. A value that was not measured is empty."""
    from csv import DictWriter
    rows = [{_safe_cell(key): _safe_cell(value) for key, value in row.items()}
            for row in _csv_rows(runs)]
    out = io.StringIO()
    writer = DictWriter(out, list(dict.fromkeys(key for row in rows for key in row)),
                        lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _csv_rows(runs: list[Run]) -> list[dict]:
    return [{key: run.request[key] for key in ("file",) if key in run.request}
            | {f"machine_{key}": run.machine.get(key) for key in MACHINE[:3]}
            | {f"machine_{key}": value for key, value in prices.simulation(run.machine).items()}
            | {key: run.request.get(key) for key in ("suite", "section", "label")}
            | {key: run.request[key] for key in ("round",) if key in run.request}
            | {key: value for key, value in result.items()
               if key != "record" and key not in HISTOGRAMS}
            for run in runs for result in run.results]


def _safe_cell(value: Any) -> Any:
    """A value for a spreadsheet, which takes a text that begins with one of these for a
    formula, and for a terminal, which a control character can drive."""
    if not isinstance(value, str):
        return value
    return make_plain("'" + value if value[:1] in tuple("=+-@") else value)


FORMS: dict[str, Callable[..., str]] = {
    "csv": csv, "prometheus": prometheus, "kcidb": kcidb, "lkp": lkp, "lava": lava,
}
