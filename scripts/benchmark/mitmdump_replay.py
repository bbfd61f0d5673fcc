"""The shortest thing that can be called a replay in stock mitmdump: ``mitmdump -s mitmdump_replay.py --set tape=PATH``."""

from __future__ import annotations

import json

from mitmproxy import ctx, http
from mitmproxy.addonmanager import Loader

from scripts.benchmark.references import hash_of
from spycatcher_addon import sse
from spycatcher_addon.cassette.model import NonStreamResponse
from spycatcher_addon.cassette.schema import parse_cassette
from spycatcher_addon.edge.disk import read_regular_file


class Replay:
    """Answers by hash; knows nothing else."""

    def load(self, loader: Loader) -> None:
        loader.add_option("tape", str, "", "the tape")

    def running(self) -> None:
        self.answers: dict[str, list[tuple[bytes, str]]] = {}
        for each in reversed(parse_cassette(read_regular_file(ctx.options.tape)[0], "tape").interactions):
            is_plain = isinstance(each.response, NonStreamResponse)
            body = each.response.body if isinstance(each.response, NonStreamResponse) else sse.encode_events(each.response.events)
            entry = (body, "application/json" if is_plain else "text/event-stream")
            self.answers.setdefault(hash_of(json.loads(each.request.body)), []).append(entry)

    def request(self, flow: http.HTTPFlow) -> None:
        body, media_type = self.answers[hash_of(json.loads(flow.request.content or b""))].pop()
        flow.response = http.Response.make(200, body, {"content-type": media_type})


addons = [Replay()]
