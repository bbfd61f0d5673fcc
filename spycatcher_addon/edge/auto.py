"""``auto``: one tape under a record mode, behind the same listener as ``record`` and ``replay``."""

from __future__ import annotations

from collections.abc import Mapping

from spycatcher_addon.config import HarnessConfig
from spycatcher_addon.edge.assembly import Stats
from spycatcher_addon.edge.mitm import LaneHooks
from spycatcher_addon.edge.tape_run import TapeRun
from spycatcher_addon.edge.tape_switch import TapeSwitch


class AutoHarness:
    """One tape and the switch in front of it, without a listener."""

    def __init__(self, config: HarnessConfig, run: TapeRun) -> None:
        self.run = run
        self.hooks: LaneHooks = TapeSwitch(config, lambda flow: run, lambda: (run,))

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know about the start, and after the end, about the recording."""
        return self.run.notices

    @property
    def longest_silence_s(self) -> int | None:
        """How long a connection may be silent while the upstream is waited for; ``None`` where there is none."""
        return self.run.longest_silence_s

    def stats(self) -> Stats:
        """Counts up to now."""
        return self.run.stats()

    def close(self, is_clean: bool) -> None:
        """Keep what was recorded if the end is a clean one.

        Raises:
            HarnessIOError: It could not take the tape's place.
        """
        self.run.finish(succeeded=is_clean)


def assemble_auto(config: HarnessConfig, environ: Mapping[str, str]) -> AutoHarness:
    """Open the tape as ``auto.mode`` wants it. Blocks on the disk.

    Raises:
        HarnessError: The tape or the configuration cannot be used.
    """
    return AutoHarness(config, TapeRun.open(config, config.auto.mode, environ))
