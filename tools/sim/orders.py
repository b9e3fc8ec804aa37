# SPDX-License-Identifier: GPL-2.0-only
"""The orders that a simulated machine takes, in whichever emulator it runs."""

DEBUGFS = "/sys/kernel/debug/memcache"


class Broken(Exception):
    """The machine does not start, has died, or does not answer."""


class Failed(Exception):
    """A script in the guest ended with a status other than 0."""

    def __init__(self, status: int, output: str):
        super().__init__(f"status {status}: {output.strip()}")
        self.status = status
        self.output = output


class Orders:
    """A machine that takes orders.

    cost: its prices by their keys
    """
    cost: dict[str, int]

    def __enter__(self):
        return self

    def __exit__(self, *_error) -> None:
        self.close()

    def _ask(self, line: str) -> dict:
        """Give an order; return the answer. ValueError: the machine refuses the order."""
        raise NotImplementedError

    def run(self, script: str) -> tuple[int, str]:
        """Run a shell script in the guest; return its exit status and its output."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def sh(self, script: str) -> str:
        """Run a shell script that must succeed; return its output."""
        status, output = self.run(script)
        if status:
            raise Failed(status, output)
        return output

    def prices(self, **changed: int) -> None:
        """Change prices by their keys. Caches and buffers are empty afterwards."""
        self._ask("prices " + " ".join(f"{key}={value}" for key, value in changed.items()))
        self.cost |= changed

    def counts(self) -> dict:
        """The counts since the last call: those of each of the `windows`, and those in `all` or of
        each of the `cpus`."""
        return self._ask("counts")

    def watch(self, *windows: str) -> None:
        """Count in windows that open and close in the code of these functions. The arguments
        are four addresses, and that of a function that is called when a record begins."""
        self._ask("window")
        for window in windows:
            self._ask(f"window {window}")
