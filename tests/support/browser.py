"""Headless Chromium for tests, driven through chromedriver's WebDriver protocol with only the standard library."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from peers import need_peer

QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)
KEYS = {"left": "\ue012", "right": "\ue014", "home": "\ue011", "end": "\ue010"}


class Browser:
    """One tab."""

    def __init__(self, base: str, session: str) -> None:
        self.base = f"{base}/session/{session}"

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=180) as answer:
            return json.load(answer)["value"]

    def open(self, address: str) -> None:
        self.call("POST", "/url", {"url": address})

    def resize(self, width: int, height: int = 850) -> None:
        """Resizes the page, in pixels; below a width of 600 as on a phone."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})

    def run(self, script: str) -> Any:
        """Runs the body of a function in the page and returns its value."""
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def wait(self, script: str, seconds: float = 120.0) -> Any:
        """Waits until an expression is true and returns its value."""
        end = time.monotonic() + seconds
        while True:
            value = self.run(f"return {script}")
            if value or time.monotonic() > end:
                assert value, f"never came true in the page: {script}"
                return value
            time.sleep(0.1)

    def press(self, *keys: str) -> None:
        """Presses keys, each a letter or a name of KEYS."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def click(self, css: str) -> None:
        """Clicks on an element as with a mouse: a hidden or covered one cannot be clicked."""
        self.call("POST", f"{self._element(css)}/click", {})

    def enter(self, css: str, text: str) -> None:
        """Replaces the text of a field and presses Enter."""
        element = self._element(css)
        self.call("POST", f"{element}/clear", {})
        self.call("POST", f"{element}/value", {"text": text + "\ue007"})

    def _element(self, css: str) -> str:
        found = self.call("POST", "/element", {"using": "css selector", "value": css})
        return f"/element/{next(iter(found.values()))}"

    def errors(self) -> list[str]:
        """The errors on the console since the last call."""
        entries = self.call("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]


@contextmanager
def chromium(width: int = 1100) -> Iterator[Browser]:
    """A new browser; skips the test if Chromium or its driver is missing."""
    driver, program = need_peer("chromedriver"), need_peer("chromium", "chromium-browser", "google-chrome")
    with tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True) as home:
        process = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
        )
        try:
            base = f"http://127.0.0.1:{_port(process)}"
            options = {"binary": program, "args": [*QUIET, f"--user-data-dir={home}", f"--window-size={width},900"]}
            wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            body = json.dumps({"capabilities": {"alwaysMatch": wanted}}).encode()
            request = urllib.request.Request(f"{base}/session", body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=90) as answer:
                session = json.load(answer)["value"]["sessionId"]
            browser = Browser(base, session)
            try:
                yield browser
            finally:
                browser.call("DELETE", "")
        finally:
            process.terminate()
            process.wait(60)
            assert process.stdout is not None
            process.stdout.close()


def _port(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    for line in process.stdout:
        found = re.search(r"started successfully on port (\d+)", line)
        if found:
            return int(found[1])
    raise AssertionError("chromedriver did not start")
