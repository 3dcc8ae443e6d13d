"""Annotators of one long run: they judge its steps and read the annotations over HTTP.

All times are wall-clock times.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx

from spanloom.core.model.annotation import ANNOTATOR_HEADER

if TYPE_CHECKING:
    from collections.abc import Sequence

ANNOTATORS = ("ada", "bo", "cy", "di", "eve")
TIMES = 10
SCHEME = "potato"
_WAIT_S = 600.0


def wait_for_run(api: str) -> tuple[str, list[str]]:
    """Wait until the run has settled; return its path and the ids of its steps."""
    until = time.monotonic() + _WAIT_S
    while time.monotonic() < until:
        found = httpx.get(f"{api}/v1/trajectories?status=settled").json()["items"]
        if found:
            path = f"/v1/trajectories/{found[0]['trace_id']}"
            document = httpx.get(f"{api}{path}", timeout=_WAIT_S).json()
            agents = document["agent_steps"]
            return path, [step["id"] for agent in agents for step in agent["steps"]]
        time.sleep(0.2)
    raise TimeoutError(f"the run has not settled after {_WAIT_S:g} s")


def mark_each(url: str, steps: Sequence[str], names: Sequence[str]) -> list[float]:
    """Judge steps one by one as each annotator; return the seconds of each request."""
    return _post(url, [([step], name) for name in names for step in steps])


def mark_all(url: str, steps: Sequence[str]) -> list[float]:
    """Judge all ``steps`` in one request as each annotator; return the seconds of each request."""
    return _post(url, [(steps, name) for name in ANNOTATORS])


def read_all(url: str, name: str, times: int = TIMES) -> list[float]:
    """Read the annotations as the page does, of one annotator or of all.

    Returns the seconds of each request.
    """
    asked = {"scheme": SCHEME, **({"annotator": name} if name else {})}
    with httpx.Client(timeout=_WAIT_S, headers={"accept": "application/x-ndjson"}) as client:
        return [
            _clocked(client.build_request("GET", url, params=asked), client) for _ in range(times)
        ]


def _post(url: str, writes: Sequence[tuple[Sequence[str], str]]) -> list[float]:
    clocks = []
    with httpx.Client(timeout=_WAIT_S) as client:
        for steps, name in writes:
            items = [
                {"write_id": f"{name}-{step}", "step_id": step, "correctness": "correct"}
                for step in steps
            ]
            body = {"scheme": SCHEME, "items": items}
            request = client.build_request("POST", url, json=body, headers={ANNOTATOR_HEADER: name})
            clocks.append(_clocked(request, client))
    return clocks


def _clocked(request: httpx.Request, client: httpx.Client) -> float:
    start = time.monotonic()
    client.send(request).raise_for_status()
    return time.monotonic() - start
