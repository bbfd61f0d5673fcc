"""mitmweb's page as a program sees it: its API over HTTP, with the token of the start."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

_FORGERY_TOKEN = "of-the-test-suite"


class Page:
    """One page, by the address that the start printed."""

    def __init__(self, url: str, password: str | None = None) -> None:
        parts = urlsplit(url)
        self.url = url
        self._address = (parts.hostname or "", parts.port or 0)
        self._token = password if password is not None else parse_qs(parts.query)["token"][0]

    def request(self, method: str, path: str, value: Any = None) -> tuple[int, bytes]:
        """Status and body of one request to the API."""
        connection = http.client.HTTPConnection(*self._address, timeout=30)
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
            "Cookie": f"_mitmproxy_xsrf={_FORGERY_TOKEN}",
            "X-XSRFToken": _FORGERY_TOKEN,
        }
        try:
            connection.request(method, path, None if value is None else json.dumps(value), headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        """The JSON at a path."""
        status, body = self.request("GET", path)
        assert status == 200, (path, status, body)
        return json.loads(body)

    def flows(self) -> list[dict[str, Any]]:
        """All flows in the list, oldest first."""
        flows: list[dict[str, Any]] = self.get("/flows")
        return flows

    def view(self, flow: dict[str, Any], message: str, name: str = "auto") -> dict[str, Any]:
        """What a content view shows of a message."""
        shown: dict[str, Any] = self.get(f"/flows/{flow['id']}/{message}/content/{quote(name)}")
        return shown

    def content(self, flow: dict[str, Any], message: str) -> bytes:
        """The body of a message as it can be downloaded."""
        return self.request("GET", f"/flows/{flow['id']}/{message}/content.data")[1]

    def command(self, name: str, *arguments: str) -> Any:
        """Run a command; gives its value, or the text of its error as ``{"error": ...}``."""
        status, body = self.request("POST", f"/commands/{name}", {"arguments": list(arguments)})
        assert status == 200, (name, status, body)
        answer = json.loads(body)
        return answer.get("value", answer)

    def everything(self) -> bytes:
        """All that a person could come to see: the list, each message in two views and as a file, the log, the dump."""
        parts = [self.request("GET", "/flows")[1], self.request("GET", "/events")[1], self.request("GET", "/flows/dump")[1]]
        for flow in json.loads(parts[0]):
            for message in ("request", "response"):
                if flow.get(message) and flow[message]["contentLength"] is not None:
                    parts += [self.request("GET", f"/flows/{flow['id']}/{message}/content/{view}")[1] for view in ("auto", "raw")]
                    parts.append(self.content(flow, message))
        return b"\n".join(parts)
