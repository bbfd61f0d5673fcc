"""The switch: what it gives to whom, and that nothing gets past it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import pytest
from mitmproxy import http
from mitmproxy.proxy.server_hooks import ServerConnectionHookData
from mitmproxy.test import tflow

from spycatcher_addon import answers
from spycatcher_addon.config import HarnessConfig, LimitsConfig, UpstreamConfig
from spycatcher_addon.edge.mitm import LaneHooks
from spycatcher_addon.edge.tape_run import TapeRun
from spycatcher_addon.edge.tape_switch import TapeSwitch
from spycatcher_addon.exchange import ReplayResponse

CONFIG = HarnessConfig(
    limits=LimitsConfig(max_body_bytes=7), upstream=UpstreamConfig(connect_timeout_s=1, total_timeout_s=2, idle_timeout_s=3)
)


class Run(TapeRun):
    """A tape that only notes what it is asked."""

    def __init__(self, allows: bool = False, failure: ReplayResponse | None = None) -> None:
        self.calls: list[str] = []
        self._allows = allows
        self._failure = failure

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        self.calls.append("requestheaders")

    def request(self, flow: http.HTTPFlow) -> None:
        self.calls.append("request")

    def is_upstream_of(self, data: ServerConnectionHookData) -> bool:
        return self._allows

    def answer_for_failure(self, message: str, phase: str) -> ReplayResponse | None:
        return self._failure

    def hooks_of(self, flow: http.HTTPFlow) -> None:
        return None


def switch_for(run: TapeRun | ReplayResponse, runs: Iterable[Any] = ()) -> TapeSwitch:
    return TapeSwitch(CONFIG, lambda flow: run, lambda: cast(Iterable[TapeRun], runs))


def test_limits_are_those_of_the_configuration() -> None:
    switch = switch_for(Run())
    assert (switch.max_body_bytes, switch.connect_timeout_s, switch.total_timeout_s, switch.idle_timeout_s) == (7, 1, 2, 3)
    without = TapeSwitch(HarnessConfig(), lambda flow: Run(), lambda: ())
    assert without.total_timeout_s == float("inf")


def test_every_question_of_the_lane_about_a_flow_is_passed_on() -> None:
    asked = {name for name, method in vars(LaneHooks).items() if "flow" in getattr(getattr(method, "__code__", None), "co_varnames", ())}
    assert asked - set(vars(TapeSwitch)) == set()
    assert "take_outgoing" in asked


def test_a_request_goes_to_its_tape() -> None:
    run, flow = Run(), tflow.tflow()
    switch = switch_for(run)
    switch.requestheaders(flow)
    switch.request(flow)
    assert run.calls == ["requestheaders", "request"] and flow.response is None
    assert not switch.is_streaming(flow) and not switch.breaks_off(flow) and switch.take_outgoing(flow) is None


def test_a_request_for_no_tape_is_answered_here() -> None:
    flow = tflow.tflow()
    switch = switch_for(answers.unknown_tape())
    switch.requestheaders(flow)
    switch.request(flow)
    assert flow.response is not None and flow.response.status_code == 404
    assert switch.take_outgoing(flow) is None


def test_a_tape_that_raises_and_a_request_nobody_chose_for_are_a_500() -> None:
    class Failing(Run):
        def request(self, flow: http.HTTPFlow) -> None:
            raise RuntimeError("must not open a way through")

    failed, unannounced = tflow.tflow(), tflow.tflow()
    switch = switch_for(Failing())
    switch.requestheaders(failed)
    for flow in (failed, unannounced):
        switch.request(flow)
        assert flow.response is not None and flow.response.status_code == 500


@pytest.mark.parametrize(("allowed", "is_vetoed"), [([], True), ([False, False], True), ([False, True], False)])
def test_connections_are_vetoed_unless_a_tape_asked(allowed: list[bool], is_vetoed: bool) -> None:
    data = ServerConnectionHookData(tflow.tserver_conn(), tflow.tclient_conn())
    switch_for(Run(), [Run(allows) for allows in allowed]).server_connect(data)
    assert (data.server.error is not None) is is_vetoed


def test_a_failure_is_told_as_the_recorder_tells_it() -> None:
    told = answers.upstream_request_failed("told")
    assert switch_for(Run(), [Run(), Run(failure=told)]).answer_for_failure("x", "connect") is told
    assert switch_for(Run(), [Run()]).answer_for_failure("x", "connect").status == 500
