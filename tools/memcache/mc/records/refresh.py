# SPDX-License-Identifier: GPL-2.0-only
"""The period of the memory's pauses for its refresh, from the times of slow accesses.

An access that comes during a pause takes until its end, so the ends of such spikes come at equal
distances. At the frequency of the pauses they all point in one direction. The test is that of Lord
Rayleigh: of n directions that are random, the square of the length of their sum, divided by n, has
an exponential distribution with mean 1 (K. V. Mardia and P. E. Jupp, "Directional Statistics",
6.3). Each part of a window has a sum of its own, so that nothing that lies between two windows
matters, and so that few frequencies have to be tried. The sum over W parts has a gamma
distribution, whose chance to exceed x is at most exp(-(x - W - W ln(x / W))) (H. Chernoff, Ann.
Math. Stat. 23, 1952). It is multiplied by the number of frequencies that are tried.

Times are in ns, frequencies in turns a ns.
"""

import cmath
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from mc import grouped

Spike = tuple[float, float]     # when it began, and how long it took
LEAST_NS, MOST_NS = 1000, 32000     # periods that are looked for
FEWEST = 100                    # spikes; with fewer nothing is known
IN_PART = 4                     # spikes; fewer always point in one direction
PART_NS, WINDOW_NS = 500e3, 2e6     # of windows: few frequencies, each broad; and in the end
FALSE_ALARM = 1e-6
MULTIPLES = range(2, 17)        # of a frequency below the band, such as that of a timer
COHERENT = 0.1                  # less is no pause that all accesses see
BIN_NS = 100                    # differences of ends, when all frequencies are scanned
BINS = 1 << 14


@dataclass
class Pauses:
    """What is known of the pauses. limit: a longer access is a spike; far: how far the end of a
    spike may be from that of a pause, in turns; coherence: the share of the spikes' ends that is at
    one place of the period."""
    frequency: float
    limit: float
    coherence: float
    far: float = 0.0
    length: float = 0.0

    @property
    def period(self) -> float:
        return 1 / self.frequency

    def marked(self, spikes: list[Spike]) -> list[Spike]:
        """Those spikes of a window that end where pauses do, and are not much longer."""
        phase = _phase(spikes, self.frequency)
        return [] if phase is None else [
            spike for spike in spikes if spike[1] <= 2 * (self.limit + self.length)
            and abs(_off(spike, self.frequency, phase)) <= self.far]


def windows(lists: Iterable[list[int]]) -> list[list[Spike]]:
    """The spikes of each window, of lists as a record has them: when the window began, and of each
    spike the time since the end of the last one and its own."""
    found = []
    for begin, *times in lists:
        spikes: list[Spike] = []
        now = float(begin)
        for gap, took in zip(times[::2], times[1::2]):
            spikes.append((now + gap, float(took)))
            now += gap + took
        found.append(spikes)
    return found


def find(traced: list[list[Spike]], usual: float, limit: float) -> Pauses | None:
    """The pauses that these windows show; None if they show no period. usual: time of an access
    that does not wait."""
    parts = _parts(traced, PART_NS)
    counted = sum(map(len, parts))
    step = 0.25 / PART_NS       # between two such frequencies, parts differ by a quarter of a turn
    scanned = _scan(parts)
    most = max(scanned.values(), default=0.0)
    if not _is_significant(most, len(parts), (1 / LEAST_NS - 1 / MOST_NS) / step):
        return None
    # Short pauses are as strong at multiples of their frequency.
    first = min(frequency for frequency, power in scanned.items() if power >= most / 2)
    frequency = _climb(parts, first, step / 2)
    power = _power(parts, frequency)
    pauses = Pauses(frequency, limit, math.sqrt(power / counted))
    if pauses.coherence < COHERENT or any(_power(parts, frequency / times) > power / 2
                                          for times in MULTIPLES):
        return None
    parts = _parts(traced, WINDOW_NS)
    near = max((frequency + k * step / 4 for k in (-1, 0, 1)), key=lambda at: _power(parts, at))
    pauses.frequency = _climb(parts, near, step / 8)
    _measure(pauses, traced, usual)
    return pauses


def _parts(traced: list[list[Spike]], length: float) -> list[list[float]]:
    """The ends of the spikes in each part of a window that has enough of them."""
    parts = grouped(((i, (at - spikes[0][0]) // length), at + took)
                    for i, spikes in enumerate(traced) for at, took in spikes)
    return [ends for ends in parts.values() if len(ends) >= IN_PART]


def _power(parts: list[list[float]], frequency: float) -> float:
    """The sum of the powers of all parts, whose mean is one for random directions."""
    turn = 2j * math.pi * frequency
    return sum(abs(sum(cmath.exp(turn * (end - ends[0])) for end in ends)) ** 2 / len(ends)
               for ends in parts)


def _scan(parts: list[list[float]]) -> dict[float, float]:
    """The power at all frequencies of the band: that of a part is one and the sum of cosines of all
    differences of two ends, twice, divided by their number."""
    weights = [0.0] * BINS
    for ends in parts:
        pairs = Counter(round((other - end) / BIN_NS) for end, other in combinations(ends, 2))
        for k, count in pairs.items():
            if 0 <= k < BINS:
                weights[k] += 2 * count / len(ends)
    spectrum = _fourier(weights, [cmath.exp(-2j * math.pi * k / BINS) for k in range(BINS // 2)])
    low, high = (math.ceil(BINS * BIN_NS / ns) for ns in (MOST_NS, LEAST_NS))
    return {k / (BINS * BIN_NS): len(parts) + spectrum[k].real for k in range(low, high + 1)}


def _fourier(values: list[float], turns: list[complex]) -> list[complex]:
    """The discrete Fourier transform of 2^n numbers. turns: exp(-2 pi i k / 2^n), for half of k."""
    if len(values) == 2:
        return [complex(values[0] + values[1]), complex(values[0] - values[1])]
    even, odd = _fourier(values[::2], turns[::2]), _fourier(values[1::2], turns[::2])
    turned = [one * turn for one, turn in zip(odd, turns)]
    return [a + b for a, b in zip(even, turned)] + [a - b for a, b in zip(even, turned)]


def _is_significant(power: float, parts: int, tried: float) -> bool:
    """Whether such a power would be chance, at any of the frequencies, less often than
    FALSE_ALARM."""
    return power > parts > 0 and \
        power - parts - parts * math.log(power / parts) > math.log(tried / FALSE_ALARM)


def _climb(parts: list[list[float]], frequency: float, step: float) -> float:
    """The frequency of the next maximum of the power."""
    best, least = _power(parts, frequency), step / 4096
    while step > least:
        power, at = max((_power(parts, at), at) for at in (frequency - step, frequency + step))
        if power > best:
            best, frequency = power, at
        else:
            step /= 2
    return frequency


def _phase(spikes: list[Spike], frequency: float) -> float | None:
    """Where in a period most of a window's spikes end, in turns; None if nobody can tell, since
    there are too few, or too many others."""
    total = sum(cmath.exp(2j * math.pi * frequency * (at + took)) for at, took in spikes)
    if len(spikes) < IN_PART or abs(total) ** 2 < max(2 * len(spikes), len(spikes) ** 2 / 64):
        return None
    phase = cmath.phase(total) / (2 * math.pi)
    close = [off for spike in spikes if abs(off := _off(spike, frequency, phase)) <= 1 / 16]
    return phase + sum(close) / max(len(close), 1)


def _off(spike: Spike, frequency: float, phase: float) -> float:
    turns = (spike[0] + spike[1]) * frequency - phase
    return turns - round(turns)


def _measure(pauses: Pauses, traced: list[list[Spike]], usual: float) -> None:
    """How exactly spikes keep to the period, and how long pauses are. Accesses come at any time of
    a pause, or of its first part if they follow each other closely, so the times that they wait are
    evenly spread up to its length. What is a little longer than the 98th percentile does not
    count, as it may be of other spikes."""
    known = [(spikes, phase) for spikes in traced
             if (phase := _phase(spikes, pauses.frequency)) is not None]
    apart = [off for spikes, phase in known for spike in spikes
             if (off := abs(_off(spike, pauses.frequency, phase))) < 1 / 8]
    if not apart:
        return
    pauses.far = min(max(4 * sorted(apart)[len(apart) // 2], 1 / 256), 1 / 16)
    pauses.length = pauses.period / 4
    waits = sorted(took - usual for spikes in traced for _, took in pauses.marked(spikes))
    if waits:
        nearly, half = (waits[math.ceil(part * len(waits)) - 1] for part in (0.98, 0.5))
        pauses.length = nearly + (nearly - half) / 24       # of 48 hundredths, two are missing
    else:
        pauses.length = 0.0
