"""Losses are counted by kind."""

from __future__ import annotations

from spycatcher_addon.tools.losses import Loss, LossKind, count_losses


def test_counting() -> None:
    met = [LossKind.REDACTED, LossKind.FAILURES, LossKind.REDACTED]
    assert count_losses(met) == (Loss(LossKind.FAILURES, 1), Loss(LossKind.REDACTED, 2))
    assert count_losses([]) == ()
