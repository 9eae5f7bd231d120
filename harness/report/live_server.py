"""The page of a run at work: read from the journal and live.json in a process of its own, served read-only.

If it was started with a token, whoever knows that may also stop, pause and widen the run. The token stands behind the # of
the address, which browsers send to nobody, and comes back in a header that no other site can set.

It does not slow the run down: pages are built only on request, at low priority, and building takes at most SHARE of a core;
what is shown each second comes from a small file that the run writes anyway.
"""

from __future__ import annotations

import asyncio
import errno
import hmac
import ipaddress
import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tornado import httpserver, netutil, web
from tornado.httputil import split_host_and_port

from harness.analysis import summary as summaries
from harness.errors import BadInput
from harness.journal import control
from harness.journal.journal import FILE, LIVE_FILE, Reader
from harness.report.page import facts, render, viewer

SHARE = 0.02  # of one core, for building pages
SOONEST = 3.0  # seconds between two pages
STATE_EVERY = 0.5  # seconds that a state stays fresh, however many watchers ask
PRIORITY = 10
TOKEN_HEADER = "X-Gauntlet-Token"


class _Run:
    """What has been read of one run so far."""

    def __init__(self, folder: Path) -> None:
        with Reader(folder) as reader:
            self.experiment = summaries.of_journal(reader)
        self.identity = _identity(folder)
        self.scan = facts.Scan(len(self.experiment.players))
        self.page = b""
        self.shows: tuple[int, str] = (-1, "")  # games and state on the page
        self.next_page = 0.0


class Watched:
    """The run as watchers see it. Its methods block; one thread may ask for pages and another for states."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._run = _Run(folder)
        self._state: dict[str, Any] = {}
        self._next_state = 0.0

    def _current(self) -> _Run:
        """The run in the folder; a folder that was emptied and used again holds another one."""
        with self._lock:
            if _identity(self.folder) != self._run.identity:
                self._run = _Run(self.folder)
            return self._run

    def page(self) -> bytes:
        """The present page, or a recent one: a long page is built less often."""
        run = self._current()
        now = time.monotonic()
        with Reader(self.folder) as reader:
            shows = reader.count(), reader.state()
            other = shows[1] != run.shows[1]  # it has ended, or goes on again
            if run.page and (shows == run.shows or (now < run.next_page and not other)):
                return run.page
            began = time.thread_time()
            found = facts.gather(reader, run.scan)
            games = viewer.games(reader, found, viewer.deciding(found))
        run.page = render.html(found, games, live=True).encode("utf-8", "replace")
        run.shows = found.summary.played, shows[1]
        run.next_page = now + max(SOONEST, (time.thread_time() - began) / SHARE)
        return run.page

    def state(self) -> dict[str, Any]:
        """The present state, ready for JSON."""
        now = time.monotonic()
        if self._state and now < self._next_state:
            return self._state
        run = self._current()
        with Reader(self.folder) as reader:
            word = reader.state()
            found = self._from_file() or self._from_journal(reader, run)
            if word != "running":
                if found["played"] != reader.count():
                    found = self._from_journal(reader, run)
                # The last file of a run that was killed names games that nobody plays any more.
                found["slots"] = []
        found["state"] = word
        found["age"] = max(0.0, time.time() - found["time"])
        # So that watchers fetch a page only when there can be a new one, not whenever a game ends.
        found["fresh_page"] = (found["played"], word) != run.shows and (now >= run.next_page or word != run.shows[1])
        found["page_games"] = run.shows[0]
        self._state, self._next_state = found, now + STATE_EVERY
        return found

    def _from_file(self) -> dict[str, Any] | None:
        try:
            found = json.loads((self.folder / LIVE_FILE).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        wanted = {"time", "played", "scheduled", "pairings", "slots", "faults"}
        whole = isinstance(found, dict) and wanted <= found.keys() and isinstance(found["time"], int | float)
        return found if whole else None

    def _from_journal(self, reader: Reader, run: _Run) -> dict[str, Any]:
        """The same figures without the run's own file: no boards, no ETA."""
        summary = summaries.summarise(reader, run.experiment)
        return {
            "name": summary.name,
            "state": summary.state,
            "time": time.time(),
            "scheduled": summary.scheduled,
            "played": summary.played,
            "plies": summary.plies,
            "elapsed": summary.seconds,
            "eta": None,
            "faults": {player.name: player.faults for player in summary.players if player.faults},
            "pairings": [{**asdict(pairing), "shown": asdict(pairing.outcome())} for pairing in summary.pairings],
            "slots": [],
        }


def _identity(folder: Path) -> tuple[int, int]:
    """What distinguishes the journal of one run from that of another in the same place."""
    try:
        status = (folder / FILE).stat()
    except OSError as error:
        raise BadInput(f"{folder / FILE}: cannot be read: {error.strerror}") from None
    return status.st_dev, status.st_ino


class _Handler(web.RequestHandler):
    """A read-only answer that may not be cached, framed or used by another site."""

    def initialize(self, watched: Watched, threads: ThreadPoolExecutor, names: frozenset[str] | None) -> None:
        self.watched, self.threads, self.names = watched, threads, names

    def set_default_headers(self) -> None:
        self.set_header("Server", "gauntlet")
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "no-referrer")
        self.set_header("Cross-Origin-Resource-Policy", "same-origin")
        self.set_header("Content-Security-Policy", _POLICY)

    def prepare(self) -> None:
        # DNS rebinding: another site may point its name at this machine to read the run through a visitor's browser.
        name = split_host_and_port(self.request.host)[0].strip("[]").lower()
        if self.names is not None and name not in self.names:
            raise web.HTTPError(403)

    def write_error(self, status_code: int, **_: Any) -> None:
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"{status_code}: {self._reason}\n")

    async def call(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.threads, work)


class _Page(_Handler):
    async def get(self) -> None:
        try:
            page = await self.call(self.watched.page)
        except (BadInput, OSError) as error:
            self.set_status(503)
            self.set_header("Content-Type", "text/plain; charset=utf-8")
            self.finish(f"{error}\n")
            return
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish(page)

    head = get


class _State(_Handler):
    async def get(self) -> None:
        try:
            state = await self.call(self.watched.state)
        except (BadInput, OSError) as error:
            self.set_status(503)
            state = {"error": str(error)}
        self.set_header("Content-Type", "application/json; charset=utf-8")
        self.finish(json.dumps(state))

    head = get


class _Control(_Handler):
    """Takes a user's wish, JSON {"do": "pause"|"play"|"stop"|"now"} or {"slots": N}, and answers with a line."""

    def initialize(
        self, watched: Watched, threads: ThreadPoolExecutor, names: frozenset[str] | None, token: str = ""
    ) -> None:
        super().initialize(watched, threads, names)
        self.token = token

    async def post(self) -> None:
        given = self.request.headers.get(TOKEN_HEADER, "")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            raise web.HTTPError(403)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        try:
            said = await self.call(lambda: _obey(self.watched.folder, self.request.body))
        except BadInput as error:
            self.set_status(409)
            said = str(error)
        self.finish(f"{said}\n")


def _obey(folder: Path, body: bytes) -> str:
    try:
        wish = json.loads(body)
        state, slots = wish.get("do"), wish.get("slots")
    except (ValueError, AttributeError, RecursionError):
        raise BadInput("expected a JSON object") from None
    if len(wish) != 1 or (state not in control.STATES and (isinstance(slots, bool) or not isinstance(slots, int))):
        raise BadInput(f'expected {{"do": {" or ".join(control.STATES)}}} or {{"slots": a whole number}}')
    return control.ask(folder, state, slots)


class _Nothing(_Handler):
    def get(self) -> None:
        raise web.HTTPError(404)

    head = get


_POLICY = f"{render.policy(render.script(live=True))}; connect-src 'self'; frame-ancestors 'none'"


def application(folder: Path, names: frozenset[str] | None, token: str = "") -> web.Application:
    """The addresses that exist; `names` are the host names it answers to, None for any. No token, no control."""
    watched = Watched(folder)
    # Pages and states have a thread each: building a long page must not delay the clocks of running games.
    page = {"watched": watched, "threads": ThreadPoolExecutor(1, "page"), "names": names}
    state = {**page, "threads": ThreadPoolExecutor(1, "state")}
    routes = [(r"/", _Page, page), (r"/state\.json", _State, state)]
    more = [(r"/control", _Control, {**state, "token": token})] if token else []
    return web.Application(
        [*routes, *more],
        default_handler_class=_Nothing,
        default_handler_args=page,
        log_function=lambda _: None,
    )


def host_names(host: str) -> frozenset[str] | None:
    """The host names that a loopback address answers to; None for an address that is open to others anyway."""
    host = host.lower()
    try:
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return None
    return frozenset({"localhost", "127.0.0.1", "::1", host}) if loopback else None


def bind(host: str, port: int) -> list[socket.socket]:
    """Listening sockets. Raises BadInput with what to do instead."""
    try:
        return netutil.bind_sockets(port, host)
    except PermissionError:
        raise BadInput(f"--port {port}: not allowed for this user; expected 1024 or more, or 0") from None
    except (OSError, UnicodeError) as error:
        if isinstance(error, (socket.gaierror, UnicodeError)) or error.errno == errno.EADDRNOTAVAIL:
            raise BadInput(f"--host {host}: no such address; expected a name or address of this machine") from None
        why = "in use already" if error.errno == errno.EADDRINUSE else error.strerror
        raise BadInput(f"--port {port}: {host}:{port} {why}; choose another, 0 picks a free one") from None


def serve(
    folder: Path | str,
    host: str = "127.0.0.1",
    port: int = 8000,
    say: Callable[[str], None] = print,
    token: str = "",
) -> None:
    """Shows a results folder until it is interrupted or terminated; with a token its run can be controlled too."""
    if token and not re.fullmatch(r"[A-Za-z0-9_-]{8,100}", token):
        raise BadInput("--token: expected 8 letters, digits, _ or - or more, or auto")
    app = application(Path(folder), host_names(host), token)
    sockets = bind(host, port)
    if hasattr(os, "nice"):
        os.nice(PRIORITY)
    asyncio.run(_serve(app, sockets, host, say, f"#token={token}" if token else ""))


async def _serve(
    app: web.Application, sockets: list[socket.socket], host: str, say: Callable[[str], None], tail: str
) -> None:
    server = httpserver.HTTPServer(app, max_body_size=1024, max_header_size=16384, idle_connection_timeout=60)
    server.add_sockets(sockets)
    port = sockets[0].getsockname()[1]
    name = f"[{host}]" if ":" in host else host
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows: asyncio.run turns Ctrl-C into a cancellation by itself
            loop.add_signal_handler(number, ended.set)
    say(f"http://{name}:{port}/{tail}")
    try:
        await ended.wait()
    finally:
        server.stop()
        await server.close_all_connections()
