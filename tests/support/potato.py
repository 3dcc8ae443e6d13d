"""Runs the real Potato in an environment of its own, without importing it.

``SPANLOOM_POTATO`` is its command, from ``pip install potato-annotation`` in another environment.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from contextlib import closing
from typing import TYPE_CHECKING, Self

import httpx

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

START_S = 90.0


def find_potato() -> str | None:
    """Return the command of an installed Potato."""
    return os.environ.get("SPANLOOM_POTATO") or shutil.which("potato")


class Potato:
    """A Potato that serves the task of a folder while the context is entered."""

    def __init__(self, command: str, folder: Path) -> None:
        self._command = command
        self._folder = folder
        self.url = ""

    def __enter__(self) -> Self:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        log = (self._folder / "potato.log").open("ab")
        self._process = subprocess.Popen(
            [self._command, "start", "config.yaml", "-p", str(port), "--host", "127.0.0.1"],
            cwd=self._folder,
            stdout=log,
            stderr=log,
        )
        until = time.monotonic() + START_S
        while time.monotonic() < until:
            try:
                httpx.get(self.url, timeout=5)
            except httpx.TransportError:
                assert self._process.poll() is None, (self._folder / "potato.log").read_text()
                time.sleep(0.2)
            else:
                return self
        raise AssertionError("Potato did not start")

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(30)

    def log_in(self, user: str) -> httpx.Client:
        """Register a user or log one in; return their session on the first item."""
        session = httpx.Client(base_url=self.url, follow_redirects=True, timeout=20)
        for path in ("/register", "/auth"):
            session.post(path, data={"email": user, "pass": "pass"})
        assert session.get("/annotate").status_code == 200
        return session

    def answer(self, user: str, item: str, answers: Mapping[str, str]) -> None:
        """Annotate an item, as the page does."""
        with closing(self.log_in(user)) as session:
            labels = {f"{scheme}:{scheme}": text for scheme, text in answers.items()}
            body = {"instance_id": item, "annotations": labels}
            assert session.post("/updateinstance", json=body).is_success
        time.sleep(1)
