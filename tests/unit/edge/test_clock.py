"""The wall clock as text."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from spycatcher_addon.edge.clock import utc_now


def test_the_time_is_universal_and_reads_back() -> None:
    before = datetime.now(UTC)
    text = utc_now()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,5}[1-9])?Z", text)
    assert before <= datetime.fromisoformat(text) <= datetime.now(UTC)
