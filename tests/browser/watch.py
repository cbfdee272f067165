"""What no page may do, whatever is tested on it: report an error, break its own content policy, or ask another host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Request, WebError


@dataclass
class Watch:
    """Listens to every page of the contexts it is given; a violation of the content policy arrives as a
    console error.
    """

    origin: str
    wrongs: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)
    is_paused: bool = False

    def over(self, context: BrowserContext) -> None:
        context.on("console", self._console)
        context.on("weberror", self._error)
        context.on("request", self._request)

    @contextmanager
    def looking(self, context: BrowserContext) -> Iterator[None]:
        """Over a context that others use afterwards."""
        self.over(context)
        yield
        context.remove_listener("console", self._console)
        context.remove_listener("weberror", self._error)
        context.remove_listener("request", self._request)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """What a tool of the test does to the page is not the page's fault."""
        self.is_paused = True
        yield
        self.is_paused = False

    def allow(self, words: str) -> None:
        """An error that the test itself brings about, such as a page that is not there."""
        self.allowed.append(words)

    def _console(self, message: ConsoleMessage) -> None:
        if self.is_paused:
            return
        if message.type in {"error", "warning"} and not any(words in message.text for words in self.allowed):
            self.wrongs.append(f"{message.type} on {message.location.get('url')}: {message.text}")

    def _error(self, error: WebError) -> None:
        self.wrongs.append(f"uncaught: {error.error}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.origin + "/", "data:", "blob:")):
            self.wrongs.append(f"asked {urlsplit(request.url).netloc}: {request.url}")
